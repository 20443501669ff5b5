// The cascade heat map of a frame with its image, for QML: computed on a thread of its own while it is open.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QImage>
#include <QSizeF>
#include <QString>
#include <QVariantList>
#include <memory>

#include "core/base/message.h"
#include "core/cpu/stage_map.h"
#include "core/pipeline/frame_result.h"
#include "ui/base/worker.h"
#include "ui/views/view.h"

namespace throng::ui {

// A range of passed stages that is drawn in one color.
struct StageBand {
    int first, last;
    QRgb color;  // not premultiplied
};

// Returns the bands from 1 passed stage to all; the last one is "all" alone. A position that passed none is not drawn.
[[nodiscard]] std::vector<StageBand> stage_bands(int stage_count);

// One pixel per cell.
[[nodiscard]] QImage image_of(const StageMap& map);

// Lives on the window's thread. Closed, it has no thread and holds no data.
class StageMapView : public throng::ui::View {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(bool ready READ ready NOTIFY changed)
    Q_PROPERTY(QVariant image READ image NOTIFY changed)
    Q_PROPERTY(QVariant frameImage READ frame_image NOTIFY changed)
    Q_PROPERTY(QSizeF cells READ cells NOTIFY changed)
    Q_PROPERTY(int level READ level WRITE set_level NOTIFY changed)
    Q_PROPERTY(int levels READ levels NOTIFY changed)
    Q_PROPERTY(QString levelText READ level_text NOTIFY changed)
    Q_PROPERTY(QVariantList bands READ bands NOTIFY changed)
    Q_PROPERTY(double computeMs READ compute_ms NOTIFY changed)
    Q_PROPERTY(double behind READ behind NOTIFY behindChanged)
    Q_PROPERTY(double visited READ visited NOTIFY changed)
    Q_PROPERTY(double accepted READ accepted NOTIFY changed)
    Q_PROPERTY(QString problem READ problem NOTIFY changed)

public:
    // The map with its image. Never changes.
    struct Map {
        StageMap map;
        QImage image;
        QImage frame;  // what the map was made of, with its boxes
        bool hides_faces = false;
        QSizeF cells;  // of the frame; the last column and row of the image may lie partly outside
        double compute_ms = 0;
        double pts = 0;  // of the frame, seconds
    };

    using View::View;

    [[nodiscard]] bool open() const override { return worker_.is_open(); }
    void on_refresh(const RunFrame& frame) override { show(frame.result, frame.settings.detector); }
    [[nodiscard]] bool ready() const { return map_ != nullptr; }
    [[nodiscard]] QVariant image() const { return map_ ? map_->image : QVariant(); }
    [[nodiscard]] QVariant frame_image() const { return map_ ? map_->frame : QVariant(); }
    [[nodiscard]] QSizeF cells() const { return map_ ? map_->cells : QSizeF(); }  // of the image that the frame covers
    [[nodiscard]] int level() const { return level_; }                            // -1: all
    void set_level(int level);
    [[nodiscard]] int levels() const { return map_ ? static_cast<int>(map_->map.levels.size()) : 0; }
    [[nodiscard]] QString level_text() const;  // "All sizes", "24 px, 1 of 30"
    // The legend: {text, color} each, from few stages to all.
    [[nodiscard]] QVariantList bands() const;
    [[nodiscard]] double compute_ms() const { return map_ ? map_->compute_ms : 0; }
    // Seconds of the source from the map's frame to the newest one: a map may take longer than a frame. The map is
    // shown over its own.
    [[nodiscard]] double behind() const;
    [[nodiscard]] double visited() const { return map_ ? static_cast<double>(map_->map.visited) : 0; }
    [[nodiscard]] double accepted() const { return map_ ? static_cast<double>(map_->map.accepted) : 0; }
    [[nodiscard]] QString problem() const { return problem_; }  // why there is no map; empty: there will be one

    // Shows this result from now on, with the parameters of its detector. Ignored while closed.
    void show(const std::shared_ptr<const FrameResult>& result, const DetectorParams& detector);
    void clear() override;
    void set_image_view(const ImageView& view, const OverlayOptions& overlay) override;

    // Null while there is none.
    [[nodiscard]] const std::shared_ptr<const Map>& map() const { return map_; }

signals:
    void changed();
    void behindChanged();

protected:
    void change(bool open) override;

private:
    struct Request {
        std::shared_ptr<const FrameResult> result;
        DetectorParams detector;
        int level = kAllLevels;
        ImageView view{};  // of its frame

        friend bool operator==(const Request&, const Request&) = default;
    };
    void receive(std::shared_ptr<const Map> map, const Message& problem);

    int level_ = kAllLevels;
    ImageView view_;  // for the frame of a map
    Request newest_;
    std::shared_ptr<const Map> map_;
    QString problem_;
    Worker<Request, std::shared_ptr<const Map>> worker_{
        this, [this](auto map, const Message& problem) { receive(std::move(map), problem); }};
};

}  // namespace throng::ui
