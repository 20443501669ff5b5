// Runs a second setting on the frame on screen, for QML. Both sides show the same frame.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QRectF>
#include <QString>
#include <functional>
#include <memory>
#include <vector>

#include "core/pipeline/engine.h"
#include "core/pipeline/frame_result.h"
#include "ui/base/worker.h"
#include "ui/render/display_image.h"
#include "ui/settings/detection_settings.h"

namespace throng::ui {

// One frame with the results of both settings. Results and images never change.
struct ComparePair {
    std::shared_ptr<const FrameResult> left, right;
    QImage left_image, right_image;  // of the same part of the frame, with boxes
    QRectF target;                   // of both images, in logical pixels of the item
};

// Lives on the window's thread. Closed, it has no thread, no detector and no images.
class CompareView : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(bool open READ open NOTIFY openChanged)
    Q_PROPERTY(throng::ui::DetectionSettings* second READ second CONSTANT)
    Q_PROPERTY(bool ready READ ready NOTIFY changed)
    Q_PROPERTY(int leftCount READ left_count NOTIFY changed)
    Q_PROPERTY(int rightCount READ right_count NOTIFY changed)
    Q_PROPERTY(double leftMs READ left_ms NOTIFY changed)
    Q_PROPERTY(double rightMs READ right_ms NOTIFY changed)
    Q_PROPERTY(double aloneMs READ alone_ms NOTIFY changed)
    Q_PROPERTY(int offered READ offered NOTIFY changed)
    Q_PROPERTY(int shown READ shown NOTIFY changed)
    Q_PROPERTY(QString error READ error NOTIFY changed)

public:
    using MakeBackend = std::function<std::shared_ptr<Backend>(const DetectorParams&)>;

    // make_backend and fallback (of Engine) are called on the view's thread.
    CompareView(MakeBackend make_backend, Engine::MakeBackend fallback, const PipelineSettings& start,
                const std::vector<std::string>& kinds, QObject* parent = nullptr);

    [[nodiscard]] bool open() const { return worker_.is_open(); }
    // Opens the view. The second setting is a copy of the first with one change. alone_ms: median time of the first
    // setting's frames until now; 0: unknown.
    void start(const PipelineSettings& first, double alone_ms);
    void stop();
    // Sets the second setting to a copy of the first, without a change.
    void copy(const PipelineSettings& first) { second_.set_values(first); }

    // Settings of the right side.
    [[nodiscard]] DetectionSettings* second() { return &second_; }
    [[nodiscard]] bool ready() const { return pair_ != nullptr; }  // there is something to show
    [[nodiscard]] int left_count() const { return ready() ? static_cast<int>(pair_->left->kept.detections.size()) : 0; }
    [[nodiscard]] int right_count() const {
        return ready() ? static_cast<int>(pair_->right->kept.detections.size()) : 0;
    }
    [[nodiscard]] double left_ms() const;   // milliseconds for the detection of the frame
    [[nodiscard]] double right_ms() const;  // likewise
    // Milliseconds of the first setting before the view was open; 0 if unknown or of another setting.
    [[nodiscard]] double alone_ms() const { return alone_ms_; }
    [[nodiscard]] int offered() const { return offered_; }  // results of the first setting, since a change of settings
    [[nodiscard]] int shown() const { return shown_; }      // of these: frames shown with both results
    [[nodiscard]] QString error() const { return error_; }  // why the second setting cannot run; empty: it runs

    // Compares this result from now on; first: the settings it was made with. Ignored while closed.
    void show(const std::shared_ptr<const FrameResult>& result, const PipelineSettings& first);
    // Sets the properties of the images. Boxes are always painted.
    void set_view(const ImageView& view, const OverlayOptions& overlay);
    void clear();  // another source

    // For the item that draws it; null while there is none.
    [[nodiscard]] const std::shared_ptr<const ComparePair>& pair() const { return pair_; }

signals:
    void openChanged();
    void changed();

private:
    struct Request {
        std::shared_ptr<const FrameResult> left;
        PipelineSettings right;
        ImageView view;
        int source = 0;
    };
    class Comparison;
    void request();
    void restart_counts();
    void receive(const std::shared_ptr<const ComparePair>& pair, const Message& error);

    MakeBackend make_backend_;
    Engine::MakeBackend fallback_;
    DetectionSettings second_;
    PipelineSettings first_;  // of the newest result
    ImageView view_;
    std::shared_ptr<const FrameResult> newest_;
    std::weak_ptr<const FrameResult> last_shown_;
    std::shared_ptr<const ComparePair> pair_;
    double alone_ms_ = 0;
    int offered_ = 0, shown_ = 0;
    QString error_;
    int source_ = 0;                                              // number of the source
    Worker<Request, std::shared_ptr<const ComparePair>> worker_;  // last: its thread uses make_backend_ and fallback_
};

}  // namespace throng::ui
