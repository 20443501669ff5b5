// Shows the newest frame of a source with its boxes, fitted into the item. Both are drawn in the same render pass.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QPointer>
#include <QQuickItem>
#include <memory>
#include <string>

#include "ui/session/frame_feed.h"
#include "ui/settings/display_settings.h"

namespace throng::ui {

class VideoNode;

class VideoItem : public QQuickItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(throng::ui::FrameFeed* feed READ feed WRITE set_feed NOTIFY sourceChanged)
    Q_PROPERTY(throng::ui::DisplaySettings* display READ display WRITE set_display NOTIFY sourceChanged)
    Q_PROPERTY(QColor rawColor MEMBER raw_color_ NOTIFY styleChanged)
    Q_PROPERTY(QColor keptColor MEMBER kept_color_ NOTIFY styleChanged)
    // One of many small items: thin boxes, which the thread of the images paints.
    Q_PROPERTY(bool small MEMBER small_ NOTIFY styleChanged)
    Q_PROPERTY(bool hasFrame READ has_frame NOTIFY hasFrameChanged)
    Q_PROPERTY(bool hidesFaces READ hides_faces NOTIFY hidesFacesChanged)
    Q_PROPERTY(double zoom READ zoom NOTIFY zoomChanged)
    Q_PROPERTY(int frameWidth READ frame_width NOTIFY frameRectChanged)
    Q_PROPERTY(QRectF frameRect READ frame_rect NOTIFY frameRectChanged)

public:
    explicit VideoItem(QQuickItem* parent = nullptr);
    ~VideoItem() override;

    [[nodiscard]] FrameFeed* feed() const { return feed_; }
    void set_feed(FrameFeed* feed);
    [[nodiscard]] DisplaySettings* display() const { return display_; }
    void set_display(DisplaySettings* display);
    [[nodiscard]] bool has_frame() const { return !frame_.image.isNull() || frame_.on_device; }
    [[nodiscard]] bool hides_faces() const { return frame_.hides_faces; }  // the frame on screen
    [[nodiscard]] double zoom() const { return zoom_.factor; }             // 1 to 16; 1: the whole frame is visible
    // Magnifies by a factor, with this point of the item (logical pixels) unmoved.
    Q_INVOKABLE void zoomAt(const QPointF& point, double factor);
    Q_INVOKABLE void panBy(const QPointF& distance);  // logical pixels
    Q_INVOKABLE void resetZoom();
    [[nodiscard]] int frame_width() const { return frame_.result ? frame_.result->frame.width() : 0; }  // pixels
    [[nodiscard]] QRectF frame_rect() const { return frame_rect_; }  // of the whole frame, in item coordinates

    // The frame that is on screen or will be drawn next; for tests.
    [[nodiscard]] const DisplayImage& frame() const { return frame_; }
    [[nodiscard]] ViewMapping mapping() const;

signals:
    void sourceChanged();
    void styleChanged();
    void hasFrameChanged();
    void hidesFacesChanged();
    void zoomChanged();
    void frameRectChanged();
    // A new frame and its boxes are ready to be drawn. Not emitted when a frame is redrawn.
    void frameShown();

protected:
    QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData* data) override;
    void geometryChange(const QRectF& now, const QRectF& before) override;
    void itemChange(ItemChange change, const ItemChangeData& value) override;

private:
    void publish_view();
    void show_frame();
    void update_frame_rect();
    void update_texture(VideoNode& node, const ViewMapping& where);
    void choose_frame_path(std::shared_ptr<GlBridge> bridge);
    void set_device_frames(bool on, const std::string& unavailable_reason);
    [[nodiscard]] OverlayOptions overlay_options() const;
    [[nodiscard]] double device_ratio() const;
    [[nodiscard]] bool paints_overlay() const;  // into the image
    // False while faces must be hidden and the image with hidden faces is still being made.
    [[nodiscard]] bool may_draw() const;

    void set_zoom(const Zoom& zoom);

    QPointer<FrameFeed> feed_;
    QPointer<DisplaySettings> display_;
    QColor raw_color_ = OverlayOptions{}.raw_color;
    QColor kept_color_ = OverlayOptions{}.kept_color;
    bool small_ = false;

    Zoom zoom_;
    QRectF frame_rect_;
    DisplayImage frame_;
    bool frame_changed_ = false;  // since the last updatePaintNode
    OverlayPlan plan_;
    // Path of frames in device memory to the screen. Written by the render thread while the window's thread is blocked.
    std::shared_ptr<GlBridge> bridge_;  // bridge that the path was chosen for
    bool uses_device_frames_ = false;   // draw through the bridge; otherwise from images in host memory
    std::string logged_frame_path_;     // last line logged
};

}  // namespace throng::ui
