// Runs a second setting on the frame on screen, for QML. Both sides show the same frame.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QRectF>
#include <QString>
#include <QVariant>
#include <functional>
#include <memory>
#include <vector>

#include "core/pipeline/engine.h"
#include "core/pipeline/frame_result.h"
#include "ui/base/worker.h"
#include "ui/render/display_image.h"
#include "ui/settings/detection_settings.h"
#include "ui/views/view.h"

namespace throng::ui {

// One frame with the results of both settings. Results and images never change.
struct ComparePair {
    std::shared_ptr<const FrameResult> left, right;
    QImage left_image, right_image;  // of the same part of the frame, with boxes
    QRectF target;                   // of both images, in logical pixels of the item
};

// Lives on the window's thread. Closed, it has no thread, no detector and no images.
class CompareView : public throng::ui::View {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(throng::ui::DetectionSettings* first READ first CONSTANT)
    Q_PROPERTY(throng::ui::DetectionSettings* second READ second CONSTANT)
    Q_PROPERTY(bool playing READ playing NOTIFY changed)
    Q_PROPERTY(bool ready READ ready NOTIFY changed)
    Q_PROPERTY(QVariant leftImage READ left_image NOTIFY changed)
    Q_PROPERTY(QVariant rightImage READ right_image NOTIFY changed)
    Q_PROPERTY(QRectF target READ target NOTIFY changed)
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

    // make_backend and fallback (of Engine) are called on the view's thread. first: the settings of the left side.
    // median_ms: of the first setting's frames until now; 0: unknown.
    CompareView(MakeBackend make_backend, Engine::MakeBackend fallback, DetectionSettings& first,
                const std::vector<std::string>& kinds, std::function<double()> median_ms, QObject* parent = nullptr);

    [[nodiscard]] bool open() const override { return worker_.is_open(); }
    [[nodiscard]] bool needs_source() const override { return true; }
    void add_needs(PipelineNeeds& needs) const override {
        if (open()) needs.measures = true;
    }
    [[nodiscard]] bool covers_image() const override { return open(); }
    void on_result(const RunFrame& frame) override { show(frame.result, frame.settings); }
    void on_refresh(const RunFrame& frame) override;
    // Sets the second setting to a copy of the first, without a change.
    Q_INVOKABLE void copyFirst() { second_.set_values(first_settings_.values()); }

    [[nodiscard]] DetectionSettings* first() { return &first_settings_; }  // of the left side
    [[nodiscard]] DetectionSettings* second() { return &second_; }         // of the right side
    [[nodiscard]] bool playing() const { return playing_; }
    [[nodiscard]] bool ready() const { return pair_ != nullptr; }  // there is something to show
    [[nodiscard]] QVariant left_image() const { return ready() ? pair_->left_image : QVariant(); }
    [[nodiscard]] QVariant right_image() const { return ready() ? pair_->right_image : QVariant(); }
    [[nodiscard]] QRectF target() const { return ready() ? pair_->target : QRectF(); }  // of both images
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
    // Boxes are always painted.
    void set_image_view(const ImageView& view, const OverlayOptions& overlay) override;
    void clear() override;

    // Null while there is none.
    [[nodiscard]] const std::shared_ptr<const ComparePair>& pair() const { return pair_; }

signals:
    void changed();

protected:
    // The second setting is a copy of the first with one change.
    void change(bool open) override;

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
    DetectionSettings& first_settings_;
    DetectionSettings second_;
    std::function<double()> median_ms_;
    PipelineSettings first_;  // of the newest result
    ImageView view_;
    std::shared_ptr<const FrameResult> newest_;
    std::weak_ptr<const FrameResult> last_shown_;
    std::shared_ptr<const ComparePair> pair_;
    double alone_ms_ = 0;
    bool playing_ = false;
    int offered_ = 0, shown_ = 0;
    QString error_;
    int source_ = 0;                                              // number of the source
    Worker<Request, std::shared_ptr<const ComparePair>> worker_;  // last: its thread uses make_backend_ and fallback_
};

}  // namespace throng::ui
