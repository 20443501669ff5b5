// The race of the frame on screen, for QML. Measures once per start, on a thread of its own.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QThreadPool>
#include <QVariantList>
#include <memory>
#include <stop_token>

#include "core/pipeline/frame_result.h"
#include "ui/race/race_row.h"
#include "ui/views/view.h"

namespace throng::ui {

// Lives on the window's thread. Closed, it measures nothing and holds no frame.
class RaceView : public throng::ui::View {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(bool running READ running NOTIFY changed)
    Q_PROPERTY(int rawCount READ raw_count NOTIFY changed)
    Q_PROPERTY(QVariantList suppression READ suppression NOTIFY changed)
    Q_PROPERTY(QVariantList detector READ detector NOTIFY changed)
    Q_PROPERTY(QString error READ error NOTIFY changed)

public:
    // The functions are called on the view's thread; empty ones have no bars.
    RaceView(RunRace suppression, RunRace detector, QObject* parent = nullptr);
    ~RaceView() override;

    [[nodiscard]] bool open() const override { return open_; }
    [[nodiscard]] bool needs_source() const override { return true; }
    [[nodiscard]] bool holds_playback() const override { return true; }  // it would compete for the processor
    void add_needs(PipelineNeeds& needs) const override {
        if (open_) needs.raw = needs.measures = true;
    }
    // Playback may have been paused after the result.
    void on_refresh(const RunFrame& frame) override {
        if (!frame.playing && frame.settings.keep_raw) offer(frame.result, frame.settings);
    }
    void on_result(const RunFrame& frame) override { on_refresh(frame); }
    [[nodiscard]] bool running() const { return running_; }
    [[nodiscard]] int raw_count() const { return raw_count_; }  // raw detections of the measured frame; -1: none yet
    // Bars: {name, note, ms, reason, reference, times, share}. times: ms divided by that of the reference, 0 if unknown.
    // share: of a frame at 30 frames per second.
    [[nodiscard]] QVariantList suppression() const { return suppression_; }
    [[nodiscard]] QVariantList detector() const { return detector_; }
    [[nodiscard]] QString error() const { return error_; }

    // The newest result, with all raw detections. The first one after opening starts a race.
    void offer(const std::shared_ptr<const FrameResult>& result, const PipelineSettings& settings);
    Q_INVOKABLE void start();  // with the newest result
    void clear() override;

    static constexpr double kFrameMs = 1000.0 / 30;

signals:
    void changed();

protected:
    void change(bool open) override;

private:
    void work(const RaceInput& input, int run, const std::stop_token& stop);
    void add(QVariantList& rows, const RaceRow& row);

    RunRace run_suppression_, run_detector_;
    bool open_ = false, running_ = false, has_started_ = false;
    std::shared_ptr<const FrameResult> newest_;
    PipelineSettings settings_;
    int raw_count_ = -1;
    QVariantList suppression_, detector_;
    QString error_;
    int run_ = 0;  // number of the race: late bars of the previous one are dropped
    std::stop_source stop_;
    QThreadPool pool_;  // last: its thread uses the others
};

}  // namespace throng::ui
