// List model of the stage times of a frame, one row per stage, for the bars of the timing panel. The effect of a change
// is shown relative to a baseline.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ui/base/run_listener.h"
#include "ui/models/row_model.h"

namespace throng::ui {

class StageModel : public throng::ui::RowModel, public RunListener {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(double scale READ scale NOTIFY scaleChanged)
    Q_PROPERTY(int shortStages READ short_stages NOTIFY shortStagesChanged)
    Q_PROPERTY(QString baselineTitle READ baseline_title NOTIFY baselineChanged)

public:
    explicit StageModel(QObject* parent = nullptr);

    // Milliseconds at the right end of the bars: a round number above all p99 values.
    [[nodiscard]] double scale() const { return scale_; }
    [[nodiscard]] double total_ms() const;  // median of a frame; 0: unknown
    [[nodiscard]] int short_stages() const { return static_cast<int>(short_stages_.size()); }  // 0 or at least 2

    void attach(std::shared_ptr<Pipeline> pipeline) override {
        if (!pipeline) clear();
    }
    void on_result(const RunFrame& frame) override {
        if (!frame.result->carried) add(frame.result->timings);  // otherwise its times are those of a frame before
    }
    void on_refresh(const RunFrame& frame) override { update(frame.pipeline.timings()); }

    // Resets the model only if the set of stages has changed. Skips stages without samples and stages that are missing
    // from the latest results (of a previous detector).
    void update(const std::vector<StageSummary>& stages);

    // Adds the times of one result to the medians since the baseline. update() shows them.
    void add(const StageTimes& times);
    // Stores the current medians as the baseline. title: the settings they were measured with. Without a result since
    // the previous baseline, keeps that one: the effect of its change has not been measured.
    void set_baseline(const QString& title);
    Q_INVOKABLE void clearBaseline();
    void clear();  // for another source
    [[nodiscard]] QString baseline_title() const { return baseline_title_; }

signals:
    void scaleChanged();
    void shortStagesChanged();
    void baselineChanged();

private:
    [[nodiscard]] std::size_t size() const override { return stages_.size(); }
    struct RecentStage {
        RollingStatistics now{32};  // since the baseline
        std::optional<double> baseline;
        int missed_results = 0;  // results since the last one that had the stage
    };
    [[nodiscard]] double baseline(const std::string& name) const;
    [[nodiscard]] double ratio(const std::string& name) const;
    [[nodiscard]] bool is_shown(const StageSummary& stage) const;
    [[nodiscard]] std::set<std::string> short_ones(const std::vector<StageSummary>& stages) const;

    std::vector<StageSummary> stages_;
    std::map<std::string, RecentStage, std::less<>> recent_stages_;  // by stage name
    std::set<std::string> short_stages_;                             // by name
    QString baseline_title_;
    double scale_ = 1;
};

// Returns the milliseconds of a stage of a frame; empty: it did not run.
[[nodiscard]] std::optional<double> stage_ms(const StageTimes& times, std::string_view stage);

// Returns the label of a stage: "NMS map" for "nms_map".
[[nodiscard]] QString stage_label(const std::string& name);

// Returns the smallest 1, 2 or 5 times a power of ten that is at least value, and at least 0.1.
[[nodiscard]] double round_scale(double value);

}  // namespace throng::ui
