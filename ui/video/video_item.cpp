#include "ui/video/video_item.h"

#include <QQuickWindow>
#include <algorithm>

#include "core/base/log.h"
#include "ui/base/post.h"
#include "ui/session/capture_files.h"
#include "ui/video/video_node.h"

namespace throng::ui {

VideoItem::VideoItem(QQuickItem* parent) : QQuickItem(parent) {
    setFlag(ItemHasContents);
    connect(this, &VideoItem::styleChanged, this, &VideoItem::publish_view);
    connect(this, &QQuickItem::visibleChanged, this, &VideoItem::publish_view);
}

VideoItem::~VideoItem() {
    if (feed_) feed_->set_view({});
}

void VideoItem::set_feed(FrameFeed* feed) {
    if (feed_ == feed) return;
    if (feed_) {
        feed_->disconnect(this);
        feed_->set_view({});
    }
    feed_ = feed;
    if (feed_) {
        connect(feed_, &FrameFeed::delivered, this, &VideoItem::show_frame);
        connect(feed_, &FrameFeed::attached, this, [this] {
            resetZoom();
            publish_view();  // frames of another backend
            show_frame();
        });
    }
    emit sourceChanged();
    publish_view();
    show_frame();
}

void VideoItem::set_display(DisplaySettings* display) {
    if (display_ == display) return;
    if (display_) display_->disconnect(this);
    display_ = display;
    if (display_) connect(display_, &DisplaySettings::changed, this, &VideoItem::publish_view);
    emit sourceChanged();
    publish_view();
}

ViewMapping VideoItem::mapping() const {
    if (!frame_.result) return {};
    const Frame& frame = frame_.result->frame;
    return {size(), QSize(frame.width(), frame.height()), device_ratio(), zoom_};
}

void VideoItem::zoomAt(const QPointF& point, double factor) {
    constexpr double kMaxZoom = 16;
    const ViewMapping before = mapping();
    if (before.empty()) return;
    Zoom zoom = zoom_;
    zoom.factor = std::clamp(zoom_.factor * factor, 1.0, kMaxZoom);
    // The point of the frame below `point` moves away from it by the factor: move the center to undo that.
    const QPointF fixed = before.to_frame(point);
    const QRectF target = before.target();
    const double growth = zoom.factor / zoom_.factor;
    const QSizeF shown = target.size() * growth;
    const auto& frame = frame_.result->frame;
    const QPointF relative(fixed.x() / frame.width(), fixed.y() / frame.height());
    zoom.center =
        relative + QPointF((width() / 2 - point.x()) / shown.width(), (height() / 2 - point.y()) / shown.height());
    set_zoom(zoom);
}

void VideoItem::panBy(const QPointF& distance) {
    const QRectF target = mapping().target();
    if (target.isEmpty()) return;
    Zoom zoom = zoom_;
    zoom.center -= QPointF(distance.x() / target.width(), distance.y() / target.height());
    set_zoom(zoom);
}

void VideoItem::resetZoom() {
    set_zoom({});
}

void VideoItem::set_zoom(const Zoom& zoom) {
    Zoom next = zoom;
    if (next.factor <= 1) next = {};
    // The frame must cover the item, so keep the center at least half an item away from its edges.
    if (frame_.result && next.factor > 1) {
        const Frame& frame = frame_.result->frame;
        const QSizeF shown = ViewMapping(size(), QSize(frame.width(), frame.height()), 1, next).target().size();
        const auto inside = [](double center, double item, double length) {
            const double half = item / (2 * length);
            return length <= item ? 0.5 : std::clamp(center, half, 1 - half);
        };
        next.center = {inside(next.center.x(), width(), shown.width()),
                       inside(next.center.y(), height(), shown.height())};
    }
    if (next == zoom_) return;
    zoom_ = next;
    update_frame_rect();
    publish_view();
    update();
    emit zoomChanged();
}

void VideoItem::publish_view() {
    if (!feed_) return;
    ImageView view;
    if (isVisible()) view.item = size();
    view.device_ratio = device_ratio();
    view.zoom = zoom_;
    view.blur = !display_ || display_->blur();
    view.paint_overlay = paints_overlay();
    view.keep_on_device = uses_device_frames_ && bridge_ == feed_->gl_bridge();
    if (view.paint_overlay) view.overlay = overlay_options();
    feed_->set_view(view, overlay_options());
    if (!view.paint_overlay || !may_draw()) update();  // the overlay is a node of its own
}

void VideoItem::show_frame() {
    const DisplayImage& shown = feed_ ? feed_->shown() : DisplayImage{};
    // A result without an image: the item has no size, or the frame could not be converted.
    if (shown.result && shown.image.isNull() && !shown.on_device) return;
    const bool had = has_frame();
    const bool hid = hides_faces();
    const bool fresh = shown.result && shown.result != frame_.result;
    frame_ = shown;
    frame_changed_ = true;
    update_frame_rect();
    update();
    if (had != has_frame()) emit hasFrameChanged();
    if (hid != hides_faces()) emit hidesFacesChanged();
    if (fresh) emit frameShown();
}

void VideoItem::update_frame_rect() {
    const QRectF rect = mapping().target();
    if (rect == frame_rect_) return;
    frame_rect_ = rect;
    emit frameRectChanged();
}

QSGNode* VideoItem::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
    if (!has_frame() || !may_draw()) {
        delete old;
        return nullptr;
    }
    auto* node = static_cast<VideoNode*>(old);
    const bool is_new = node == nullptr;
    if (is_new) {
        node = new VideoNode;  // the scene graph owns it
        frame_changed_ = true;
    }
    // A new node may have another OpenGL context.
    if (feed_ && (is_new || bridge_ != feed_->gl_bridge())) choose_frame_path(feed_->gl_bridge());
    const ViewMapping where = mapping();
    if (frame_changed_) update_texture(*node, where);
    node->set_rect(where.map_part(frame_.part));
    if (!paints_overlay()) {
        plan_overlay(*frame_.result, where, overlay_options(), device_ratio(), plan_);
        node->set_overlay(*window(), plan_);
    }
    frame_changed_ = false;
    return node;
}

void VideoItem::update_texture(VideoNode& node, const ViewMapping& where) {
    if (!frame_.image.isNull()) {
        node.set_image(*window(), frame_.image);
        return;
    }
    std::string unavailable_reason;
    if (uses_device_frames_) {
        try {
            node.set_device_frame(*window(), bridge_, frame_, where.device_size().width());
            return;
        } catch (const std::exception& error) {
            unavailable_reason = error.what();
        }
        set_device_frames(false, unavailable_reason);
    }
    // The frame was left on the device, but this path is no longer available: request it as an image in host memory.
    post(this, [this] { publish_view(); });
}

// Runs on the render thread while the window's thread is blocked.
void VideoItem::choose_frame_path(std::shared_ptr<GlBridge> bridge) {
    bridge_ = std::move(bridge);
    uses_device_frames_ = false;
    if (!bridge_) return;  // the backend has no frames in device memory
    const std::string unavailable_reason = device_texture_unavailable_reason(*window(), *bridge_);
    set_device_frames(unavailable_reason.empty(), unavailable_reason);
}

void VideoItem::set_device_frames(bool on, const std::string& unavailable_reason) {
    uses_device_frames_ = on;
    std::string line = on ? "the window shows decoded frames from device memory"
                          : "the window's frames are copied from the device to the host: " + unavailable_reason;
    if (line != logged_frame_path_) logger().info("{}", line);
    logged_frame_path_ = std::move(line);
    if (!feed_) return;
    post(this, [this, bridge = bridge_, on] {
        if (!feed_ || feed_->gl_bridge() != bridge) return;
        feed_->set_shows_device_frames(on);
        publish_view();
    });
}

void VideoItem::geometryChange(const QRectF& now, const QRectF& before) {
    QQuickItem::geometryChange(now, before);
    if (now.size() == before.size()) return;
    update_frame_rect();
    publish_view();
    update();
}

void VideoItem::itemChange(ItemChange change, const ItemChangeData& value) {
    if (change == ItemSceneChange && value.window != nullptr) {
        connect(value.window, &QQuickWindow::sceneGraphInitialized, this, &VideoItem::publish_view,
                Qt::QueuedConnection);
        connect(
            value.window, &QQuickWindow::frameSwapped, this,
            [this] {
                if (feed_ && isVisible()) feed_->add_presented(frame_.result);
            },
            Qt::QueuedConnection);
    }
    if (change == ItemDevicePixelRatioHasChanged) publish_view();
    QQuickItem::itemChange(change, value);
}

OverlayOptions VideoItem::overlay_options() const {
    OverlayOptions options = display_ ? overlay_on_screen(*display_) : OverlayOptions();
    options.raw_color = raw_color_;
    options.kept_color = kept_color_;
    if (small_) options.kept_width = 2;
    return options;
}

double VideoItem::device_ratio() const {
    return window() != nullptr ? window()->effectiveDevicePixelRatio() : 1.0;
}

bool VideoItem::may_draw() const {
    return frame_.hides_faces || (display_ && !display_->blur());
}

// Software renderers draw no nodes of their own.
bool VideoItem::paints_overlay() const {
    return small_ ||
           (window() != nullptr && window()->rendererInterface()->graphicsApi() == QSGRendererInterface::Software);
}

}  // namespace throng::ui
