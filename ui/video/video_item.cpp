#include "ui/video/video_item.h"

#include <QQuickWindow>
#include <chrono>

#include "core/base/log.h"
#include "ui/post.h"
#include "ui/video/video_node.h"

namespace throng::ui {

VideoItem::VideoItem(QQuickItem* parent)
    : QQuickItem(parent), thread_([this](Picture picture) {
          post(this, [this, picture = std::move(picture)]() mutable { accept(std::move(picture)); });
      }) {
    setFlag(ItemHasContents);
}

void VideoItem::set_session(Session* session) {
    if (session_ == session) return;
    if (session_) {
        disconnect(session_, nullptr, this, nullptr);
        disconnect(session_->display(), nullptr, this, nullptr);
    }
    session_ = session;
    if (session_) {
        connect(session_, &Session::result_changed, this, &VideoItem::request_picture);
        connect(session_, &Session::source_changed, this, [this] {
            if (!session_->result()) clear_picture();
        });
        connect(session_->display(), &DisplaySettings::changed, this, &VideoItem::request_picture);
    }
    emit session_changed();
    request_picture();
}

void VideoItem::set_raw_color(const QColor& color) {
    if (colors_.raw_color == color) return;
    colors_.raw_color = color;
    emit colors_changed();
    request_picture();
}

void VideoItem::set_kept_color(const QColor& color) {
    if (colors_.kept_color == color) return;
    colors_.kept_color = color;
    emit colors_changed();
    request_picture();
}

ViewMapping VideoItem::mapping() const {
    if (!picture_.result) return {};
    const Frame& frame = picture_.result->frame;
    return {size(), QSize(frame.width(), frame.height()), device_ratio()};
}

void VideoItem::request_picture() {
    if (!session_ || !session_->result() || size().isEmpty()) return;
    PictureRequest request;
    request.result = session_->result();
    request.run = session_->run();
    request.item = size();
    request.device_ratio = device_ratio();
    request.blur = session_->display()->blur();
    request.paint_overlay = software();
    request.keep_on_device = takes_device_frames_ && bridge_ == session_->gl_bridge();
    request.overlay = overlay_options();
    thread_.request(std::move(request));
}

void VideoItem::accept(Picture picture) {
    // A picture of a source that was closed meanwhile.
    if (!session_ || picture.run != session_->run()) return;
    const bool had = has_picture();
    const bool fresh = picture.result != picture_.result;
    picture_ = std::move(picture);
    image_changed_ = true;
    update_picture_rect();
    update();
    if (had != has_picture()) emit has_picture_changed();
    if (fresh) emit picture_shown();
}

void VideoItem::clear_picture() {
    const bool had = has_picture();
    picture_ = {};
    image_changed_ = true;
    update_picture_rect();
    update();
    if (had) emit has_picture_changed();
}

void VideoItem::update_picture_rect() {
    const QRectF rect = mapping().target();
    if (rect == picture_rect_) return;
    picture_rect_ = rect;
    emit picture_rect_changed();
}

QSGNode* VideoItem::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
    if (!has_picture()) {
        delete old;
        return nullptr;
    }
    auto* node = static_cast<VideoNode*>(old);
    const bool is_new = node == nullptr;
    if (is_new) {
        node = new VideoNode;  // the scene graph owns it
        image_changed_ = true;
    }
    // A new node may mean another OpenGL context.
    if (session_ && (is_new || bridge_ != session_->gl_bridge())) choose_way(session_->gl_bridge());
    const ViewMapping where = mapping();
    if (image_changed_) put_picture(*node, where);
    node->set_rect(where.target());
    if (!software()) {
        plan_overlay(*picture_.result, where, overlay_options(), device_ratio(), plan_);
        node->set_overlay(*window(), plan_);
    }
    image_changed_ = false;
    return node;
}

void VideoItem::put_picture(VideoNode& node, const ViewMapping& where) {
    if (!picture_.image.isNull()) {
        node.set_image(*window(), picture_.image);
        return;
    }
    std::string trouble;
    if (takes_device_frames_) {
        try {
            node.set_device_frame(*window(), bridge_, picture_.result->frame, where.device_size().width());
            return;
        } catch (const std::exception& error) {
            trouble = error.what();
        }
        take_device_frames(false, trouble);
    }
    // Meant for a way that is closed now: once more, by the host.
    post(this, [this] { request_picture(); });
}

// On the render thread, while the window's thread waits for it.
void VideoItem::choose_way(std::shared_ptr<GlBridge> bridge) {
    bridge_ = std::move(bridge);
    takes_device_frames_ = false;
    if (!bridge_) return;  // a backend without frames in device memory: nothing to choose
    const std::string trouble = device_texture_trouble(*window(), *bridge_);
    take_device_frames(trouble.empty(), trouble);
}

void VideoItem::take_device_frames(bool on, const std::string& trouble) {
    takes_device_frames_ = on;
    std::string line = on ? "the window shows decoded frames from device memory"
                          : "the window's pictures are copied from the device to the host: " + trouble;
    if (line != way_told_) spdlog::info("{}", line);
    way_told_ = std::move(line);
    if (!session_) return;
    post(session_, [session = session_.data(), bridge = bridge_, on] {
        if (session->gl_bridge() == bridge) session->set_shows_device_frames(on);
    });
}

void VideoItem::geometryChange(const QRectF& now, const QRectF& before) {
    QQuickItem::geometryChange(now, before);
    if (now.size() == before.size()) return;
    update_picture_rect();
    request_picture();
    update();
}

void VideoItem::itemChange(ItemChange change, const ItemChangeData& value) {
    if (change == ItemSceneChange && value.window != nullptr) {
        connect(value.window, &QQuickWindow::sceneGraphInitialized, this, &VideoItem::request_picture,
                Qt::QueuedConnection);
        connect(
            value.window, &QQuickWindow::frameSwapped, this,
            [this] {
                if (session_) session_->note_on_screen(picture_.result);
            },
            Qt::QueuedConnection);
    }
    if (change == ItemDevicePixelRatioHasChanged) request_picture();
    QQuickItem::itemChange(change, value);
}

OverlayOptions VideoItem::overlay_options() const {
    OverlayOptions options = colors_;
    if (session_) {
        options.raw = session_->display()->raw();
        options.kept = session_->display()->kept();
        options.labels = session_->display()->labels();
        options.landmarks = session_->display()->landmarks();
    }
    return options;
}

double VideoItem::device_ratio() const {
    return window() != nullptr ? window()->effectiveDevicePixelRatio() : 1.0;
}

bool VideoItem::software() const {
    return window() != nullptr && window()->rendererInterface()->graphicsApi() == QSGRendererInterface::Software;
}

}  // namespace throng::ui
