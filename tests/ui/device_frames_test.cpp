// Tests the display of frames in device memory: through a bridge into OpenGL buffers, or through host copies if the
// bridge fails. With the software renderer all tests use host copies.
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QQuickWindow>
#include <QTest>
#include <array>
#include <atomic>
#include <sstream>
#include <vector>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/frame/host_copies.h"
#include "core/redact/redact.h"
#include "core/video/convert.h"
#include "tests/support/test_data.h"
#include "tests/ui/fakes.h"
#include "tests/ui/wait.h"
#include "ui/session/session.h"
#include "ui/video/video_item.h"

namespace throng::ui {
namespace {

const QColor kRed(255, 0, 0);
const QColor kBlue(0, 0, 255);

// Behavior of the fake bridge and counts of its calls. Shared with the render thread.
struct BridgeLog {
    std::string unavailable_reason;
    std::atomic<bool> rejects = false;  // attach() throws
    std::atomic<bool> lost = false;     // device lost: write() throws
    std::atomic<int> queried = 0, attached = 0, detached = 0, written = 0;
    std::atomic<int> written_open = 0, written_hidden = 0;  // of `written`: without and with something to hide
    std::atomic<int> without_context = 0;                   // calls where no OpenGL context was current
    void note_context() {
        if (QOpenGLContext::currentContext() == nullptr) ++without_context;
    }
};

class FakePixelBuffers : public GlPixelBuffers {
public:
    FakePixelBuffers(BridgeLog& log, std::span<const unsigned int> buffers, std::size_t bytes)
        : log_(log), buffers_(buffers.begin(), buffers.end()), bytes_(bytes) {
        ++log_.attached;
    }
    ~FakePixelBuffers() override {
        log_.note_context();
        ++log_.detached;
    }

    void write(std::size_t index, const Frame& frame, const Redaction* hidden) override {
        log_.note_context();
        if (log_.lost) throw Error(ErrorKind::internal, "the device is lost");
        const std::ptrdiff_t pitch = std::ptrdiff_t{4} * frame.width();
        std::vector<std::uint8_t> pixels(static_cast<std::size_t>(pitch * frame.height()));
        ASSERT_EQ(frame.info().memory, MemoryKind::device);
        ASSERT_LE(pixels.size(), bytes_);
        // The memory is in fact host memory: convert directly, because a host copy would be counted.
        FrameInfo info = frame.info();
        info.memory = MemoryKind::host;
        const PlaneView planes[Frame::kMaxPlanes] = {frame.plane(0), frame.plane(1)};
        converter_.convert(Frame(info, planes, nullptr), Packing::rgba32, pixels.data(), pitch);
        ++(hidden != nullptr ? log_.written_hidden : log_.written_open);
        if (hidden != nullptr) {
            redact(bgra_image(pixels.data(), pitch, frame.width(), frame.height()), hidden->regions, hidden->options);
        }
        QOpenGLFunctions& gl = *QOpenGLContext::currentContext()->functions();
        gl.glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffers_.at(index));
        gl.glBufferSubData(GL_PIXEL_UNPACK_BUFFER, 0, static_cast<qopengl_GLsizeiptr>(pixels.size()), pixels.data());
        gl.glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        ++log_.written;
    }

private:
    BridgeLog& log_;
    std::vector<unsigned int> buffers_;
    std::size_t bytes_;
    PixelConverter converter_;
};

class FakeBridge : public GlBridge {
public:
    explicit FakeBridge(BridgeLog& log) : log_(log) {}
    std::string unavailable_reason() override {
        log_.note_context();
        ++log_.queried;
        return log_.unavailable_reason;
    }
    std::unique_ptr<GlPixelBuffers> attach(std::span<const unsigned int> buffers, std::size_t bytes) override {
        log_.note_context();
        if (log_.rejects) throw Error(ErrorKind::unavailable, "the buffers were rejected");
        return std::make_unique<FakePixelBuffers>(log_, buffers, bytes);
    }

private:
    BridgeLog& log_;
};

class DeviceFrames : public testing::Test {
protected:
    DeviceFrames() {
        sink_ = std::make_shared<spdlog::sinks::ostream_sink_mt>(log_text_);
        logger().sinks().push_back(sink_);
        logger().set_level(spdlog::level::info);
    }
    ~DeviceFrames() override {
        close();
        logger().set_level(spdlog::level::off);
        std::erase(logger().sinks(), sink_);
        EXPECT_EQ(log_.without_context, 0);
        EXPECT_EQ(log_.attached, log_.detached);
    }

    void open(test::FakeClip clip = {}, QSize size = {640, 480}) {
        clip.on_device = true;
        clip.make_gl_bridge = [this] { return std::make_unique<FakeBridge>(log_); };
        SessionSetup setup;
        setup.settings.host_pixels = true;
        setup.open_source = [clip](const std::string&, const std::stop_token&) { return test::make_fake_source(clip); };
        setup.make_backend = [clip](const DetectorParams&) { return BackendChoice{test::make_fake_backend(clip), ""}; };
        session_ = std::make_unique<Session>(std::move(setup), store_);
        session_->display()->set_raw(false);
        session_->display()->set_kept(false);
        window_ = std::make_unique<QQuickWindow>();
        window_->resize(size);
        video_ = new VideoItem(window_->contentItem());
        video_->setSize(size);
        video_->set_feed(session_->feed());
        video_->set_display(session_->display());
        QObject::connect(video_, &VideoItem::frameShown, [this] { ++shown_; });
        window_->show();
        session_->open("clip");
        ASSERT_TRUE(test::wait_for([this] { return shown_ >= 3; }));
    }
    void close() {
        window_.reset();
        session_.reset();
    }

    bool wait_for_more(int images) {
        return test::wait_for([this, enough = shown_ + images] { return shown_ >= enough; });
    }

    [[nodiscard]] bool has_opengl() const {
        return window_->rendererInterface()->graphicsApi() == QSGRendererInterface::OpenGL;
    }
    [[nodiscard]] bool shown_from_device() const {
        return session_->feed()->shows_device_frames() && log_.attached > log_.detached && log_.written > 0 &&
               video_->frame().result && video_->frame().image.isNull();
    }
    [[nodiscard]] bool shown_by_host() const {
        return !session_->feed()->shows_device_frames() && !video_->frame().image.isNull();
    }

    // Expects red in the upper half and blue in the lower half, including the corners.
    void expect_colors() {
        const auto mismatch = [this](const QImage& image) {
            const QRectF rect = video_->frame_rect();
            const double ratio = image.width() / window_->contentItem()->width();
            std::string mismatches;
            for (const double x : {0.02, 0.5, 0.98}) {
                for (const auto& [y, color] : {std::pair{0.02, kRed}, {0.45, kRed}, {0.55, kBlue}, {0.98, kBlue}}) {
                    const QPointF at = (rect.topLeft() + QPointF(x * rect.width(), y * rect.height())) * ratio;
                    mismatches += test::difference(x, y, image.pixelColor(at.toPoint()), color, 3);
                }
            }
            return mismatches;
        };
        EXPECT_EQ(test::wait_for_image(*window_, mismatch), "");
    }
    [[nodiscard]] int times_logged(const std::string& words) const {
        const std::string text = log_text_.str();
        int times = 0;
        for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++times;
        return times;
    }

    BridgeLog log_;
    std::ostringstream log_text_;
    spdlog::sink_ptr sink_;
    test::ScratchDir folder_;
    QSettings store_{QString::fromStdString((folder_.path() / "settings.ini").string()), QSettings::IniFormat};
    std::unique_ptr<Session> session_;
    std::unique_ptr<QQuickWindow> window_;
    VideoItem* video_ = nullptr;
    int shown_ = 0;
};

#define TH_NEEDS_OPENGL() \
    if (!has_opengl()) GTEST_SKIP() << "skipped: the window is not drawn with OpenGL here"

TEST_F(DeviceFrames, ShowsFramesWithoutAHostCopy) {
    open();
    TH_NEEDS_OPENGL();
    ASSERT_TRUE(test::wait_for([this] { return shown_from_device(); }));
    ASSERT_TRUE(wait_for_more(3));  // frames requested before have arrived
    const std::uint64_t before = host_copied_bytes();
    const int written = log_.written;
    ASSERT_TRUE(wait_for_more(20));
    EXPECT_EQ(host_copied_bytes(), before);
    EXPECT_GT(log_.written, written);
    EXPECT_EQ(log_.attached, 1) << "once, not per frame";
    expect_colors();
    EXPECT_EQ(times_logged("shows decoded frames from device memory"), 1);
}

TEST_F(DeviceFrames, AdaptsToTheSizeOfWindowAndFrames) {
    test::FakeClip clip;
    clip.width = 640;
    clip.height = 360;
    clip.grows_at = 40;
    open(clip);
    TH_NEEDS_OPENGL();
    ASSERT_TRUE(test::wait_for([this] { return shown_from_device(); }));
    expect_colors();
    for (const QSize size : {QSize(200, 150), QSize(90, 300), QSize(800, 600)}) {  // a third, a seventh: mipmaps
        window_->resize(size);
        video_->setSize(size);
        ASSERT_TRUE(wait_for_more(3));
        expect_colors();
    }
    ASSERT_TRUE(test::wait_for([this] { return log_.attached == 2; }));
    ASSERT_TRUE(wait_for_more(3));
    EXPECT_EQ(log_.detached, 1);
    EXPECT_TRUE(shown_from_device());
    expect_colors();
}

TEST_F(DeviceFrames, HidesFacesOnTheDevice) {
    open();
    TH_NEEDS_OPENGL();
    ASSERT_TRUE(test::wait_for([this] { return shown_from_device(); }));
    session_->display()->set_blur(true);
    const int open_frames = log_.written_open;
    ASSERT_TRUE(test::wait_for([this] { return log_.written_hidden >= 3; }));
    ASSERT_TRUE(wait_for_more(3));
    const std::uint64_t before = host_copied_bytes();
    ASSERT_TRUE(wait_for_more(5));
    EXPECT_EQ(host_copied_bytes(), before);
    EXPECT_TRUE(shown_from_device());
    EXPECT_TRUE(video_->frame().hides_faces);
    expect_colors();
    EXPECT_EQ(log_.written_open, open_frames) << "a frame was shown with its faces";
    log_.lost = true;  // faces remain hidden when the host takes over
    ASSERT_TRUE(test::wait_for([this] { return shown_by_host(); }));
    EXPECT_TRUE(video_->frame().hides_faces);
    EXPECT_EQ(log_.written_open, open_frames);
}

TEST_F(DeviceFrames, ShowsFacesAgainFromTheDevice) {
    open();
    TH_NEEDS_OPENGL();
    session_->display()->set_blur(true);
    ASSERT_TRUE(test::wait_for([this] { return log_.written_hidden > 0; }));
    const int open_frames = log_.written_open;
    session_->display()->set_blur(false);
    EXPECT_TRUE(test::wait_for([&] { return log_.written_open > open_frames; }));
    EXPECT_TRUE(shown_from_device());
    expect_colors();
}

TEST_F(DeviceFrames, WorksInAnotherWindowAndWithAnotherSource) {
    open();
    TH_NEEDS_OPENGL();
    ASSERT_TRUE(test::wait_for([this] { return shown_from_device(); }));
    video_->setParentItem(nullptr);
    ASSERT_TRUE(test::wait_for([this] { return log_.detached == 1; }))
        << "OpenGL objects are destroyed with their context";
    auto other = std::make_unique<QQuickWindow>();
    other->resize(window_->size());
    other->show();
    video_->setParent(other->contentItem());  // ownership
    video_->setParentItem(other->contentItem());
    ASSERT_TRUE(test::wait_for([this] { return log_.attached == 2; }));
    std::swap(window_, other);
    other.reset();  // the first window
    ASSERT_TRUE(wait_for_more(3));
    expect_colors();
    session_->open("another clip");
    ASSERT_TRUE(test::wait_for([this] { return log_.attached == 3 && shown_from_device(); }));
    expect_colors();
    EXPECT_EQ(times_logged("shows decoded frames from device memory"), 1) << "the path has not changed";
}

TEST_F(DeviceFrames, UsesHostCopiesIfTheBridgeIsUnavailable) {
    log_.unavailable_reason = "another device draws";
    open();
    TH_NEEDS_READ_BACK(*window_);
    ASSERT_TRUE(test::wait_for([this] { return log_.queried > 0 || !has_opengl(); }));
    ASSERT_TRUE(wait_for_more(10));
    EXPECT_TRUE(shown_by_host());
    EXPECT_EQ(log_.attached, 0);
    expect_colors();
    // The message contains the name of the renderer.
    EXPECT_EQ(times_logged(has_opengl() ? "another device draws (" : "not drawn with OpenGL"), 1);
}

TEST_F(DeviceFrames, UsesHostCopiesIfBuffersAreRejected) {
    log_.rejects = true;
    open();
    TH_NEEDS_READ_BACK(*window_);
    ASSERT_TRUE(wait_for_more(10));
    ASSERT_TRUE(test::wait_for([this] { return shown_by_host(); }));
    expect_colors();
    EXPECT_EQ(times_logged("copied from the device to the host"), 1);
}

TEST_F(DeviceFrames, UsesHostCopiesAfterTheDeviceIsLost) {
    open();
    TH_NEEDS_OPENGL();
    ASSERT_TRUE(test::wait_for([this] { return shown_from_device(); }));
    log_.lost = true;
    ASSERT_TRUE(test::wait_for([this] { return shown_by_host(); }));
    ASSERT_TRUE(wait_for_more(10));
    EXPECT_TRUE(shown_by_host());
    expect_colors();
    EXPECT_EQ(times_logged("the device is lost"), 1);
}

TEST_F(DeviceFrames, ReleasesBuffersWhenTheWindowCloses) {
    for (const int images : {0, 1, 4}) {
        open();
        ASSERT_TRUE(wait_for_more(images));
        close();
        EXPECT_EQ(log_.attached, log_.detached);
    }
}

}  // namespace
}  // namespace throng::ui
