// Frames of device memory in OpenGL buffers: the bytes equal the conversion into plain device memory, read back from
// textures of a context without a window.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>

#include "core/base/error.h"
#include "core/redact/redact.h"
#include "gpu/backend.h"
#include "gpu/frame/convert.h"
#include "gpu/interop/cuda_gl_bridge.h"
#include "tests/gpu/frame/device_memory.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/gpu/interop/egl_context.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

// A frame on the host and the same frame in device memory.
struct Image {
    FrameInfo info;
    Bytes plane[Frame::kMaxPlanes];
    int pitch[Frame::kMaxPlanes] = {};
    Frame frame;

    [[nodiscard]] std::array<int, 3> yuv(int x, int y) const {
        const int luma = plane[0][static_cast<std::size_t>(y * pitch[0] + x)];
        if (info.format == PixelFormat::gray8) return {luma, 128, 128};
        if (info.format == PixelFormat::nv12) {
            const auto at = static_cast<std::size_t>(y / 2 * pitch[1] + x / 2 * 2);
            return {luma, plane[1][at], plane[1][at + 1]};
        }
        return {luma, plane[1][static_cast<std::size_t>(y / 2 * pitch[1] + x / 2)],
                plane[2][static_cast<std::size_t>(y / 2 * pitch[2] + x / 2)]};
    }
};

// The pitch is `gap` bytes larger than the row width.
Image random_image(std::mt19937_64& random, FrameInfo info, int gap) {
    Image image;
    info.memory = MemoryKind::device;
    image.info = info;
    auto memory = std::make_shared<std::vector<gpu::DeviceBuffer<std::uint8_t>>>();
    PlaneView planes[Frame::kMaxPlanes];
    for (int p = 0; p < plane_count(info.format); ++p) {
        planes[p] = plane_shape(info.format, info.width, info.height, p);
        image.pitch[p] = planes[p].width + gap;
        planes[p].pitch = image.pitch[p];
        Bytes& bytes = image.plane[p];
        bytes.resize(static_cast<std::size_t>(image.pitch[p]) * static_cast<std::size_t>(planes[p].height));
        std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random()); });
        memory->push_back(to_device(bytes));
        planes[p].data = memory->back().data();
    }
    image.frame = Frame(info, planes, std::move(memory));
    return image;
}

// The definition in float64: red, green and blue from 0 to 255, not rounded.
std::array<double, 3> defined_color(const std::array<int, 3>& yuv, ColorRange range, ColorMatrix matrix) {
    const double weights[3][2] = {{0.299, 0.114}, {0.2126, 0.0722}, {0.2627, 0.0593}};  // BT.601, 709, 2020
    const auto [kr, kb] = weights[static_cast<int>(matrix)];
    const bool limited = range == ColorRange::limited;
    const double luma = limited ? (yuv[0] - 16) / 219.0 : yuv[0] / 255.0;
    const double b = (yuv[1] - 128) / (limited ? 224.0 : 255.0);
    const double r = (yuv[2] - 128) / (limited ? 224.0 : 255.0);
    const double red = luma + 2 * (1 - kr) * r;
    const double blue = luma + 2 * (1 - kb) * b;
    const double green = (luma - kr * red - kb * blue) / (1 - kr - kb);
    return {255 * std::clamp(red, 0.0, 1.0), 255 * std::clamp(green, 0.0, 1.0), 255 * std::clamp(blue, 0.0, 1.0)};
}

// Counts bytes that differ from the rounded definition. If the exact value is halfway between two integers, to float32
// precision, both are correct.
int wrong_bytes(const Image& image, const Bytes& rgba) {
    constexpr double kHalf = 0.5 + 1e-4;
    int wrong = 0;
    for (int y = 0; y < image.info.height; ++y) {
        for (int x = 0; x < image.info.width; ++x) {
            const auto color = defined_color(image.yuv(x, y), image.info.range, image.info.matrix);
            const std::uint8_t* pixel = rgba.data() + 4 * (std::ptrdiff_t{y} * image.info.width + x);
            for (std::size_t c = 0; c < 3; ++c) wrong += std::abs(pixel[c] - color[c]) > kHalf ? 1 : 0;
            wrong += pixel[3] != 255 ? 1 : 0;
        }
    }
    return wrong;
}

class GlBridgeTest : public GpuTest {
protected:
    void SetUp() override {
        GpuTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        context.emplace(device.index);
        if (!context->unavailable_reason().empty())
            GTEST_SKIP() << "skipped: no OpenGL on the GPU: " << context->unavailable_reason();
        RecordProperty("renderer", context->renderer());
        ASSERT_EQ(bridge.unavailable_reason(), "") << context->renderer();
    }

    // Pixel buffers and a texture of one size.
    class Target {
    public:
        Target(const GlFunctions& gl, GlBridge& bridge, int width, int height)
            : gl_(gl), width_(width), height_(height) {
            gl_.gen_textures(1, &texture_);
            gl_.bind_texture(GL_TEXTURE_2D, texture_);
            gl_.tex_image(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
            gl_.gen_buffers(2, buffers_.data());
            for (const GLuint buffer : buffers_) {
                gl_.bind_buffer(GL_PIXEL_UNPACK_BUFFER, buffer);
                gl_.buffer_data(GL_PIXEL_UNPACK_BUFFER, static_cast<GLsizeiptr>(bytes()), nullptr, GL_STREAM_DRAW);
            }
            gl_.bind_buffer(GL_PIXEL_UNPACK_BUFFER, 0);
            pixels_ = bridge.attach(buffers_, bytes());
        }
        ~Target() {
            pixels_.reset();
            gl_.delete_buffers(2, buffers_.data());
            gl_.delete_textures(1, &texture_);
        }
        Target(const Target&) = delete;
        Target& operator=(const Target&) = delete;

        // Writes buffers in rotation, like the window; does not wait.
        void show(const Frame& frame, const Redaction* hidden = nullptr) {
            next_ = 1 - next_;
            pixels_->write(next_, frame, hidden);
            gl_.bind_texture(GL_TEXTURE_2D, texture_);
            gl_.bind_buffer(GL_PIXEL_UNPACK_BUFFER, buffers_[next_]);
            gl_.tex_sub_image(GL_TEXTURE_2D, 0, 0, 0, width_, height_, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
            gl_.bind_buffer(GL_PIXEL_UNPACK_BUFFER, 0);
        }
        [[nodiscard]] Bytes read() const {
            Bytes rgba(bytes());
            gl_.bind_texture(GL_TEXTURE_2D, texture_);
            gl_.pixel_store(GL_PACK_ALIGNMENT, 1);
            gl_.get_tex_image(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
            return rgba;
        }

    private:
        [[nodiscard]] std::size_t bytes() const {
            return std::size_t{4} * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
        }

        const GlFunctions& gl_;
        int width_, height_;
        GLuint texture_ = 0;
        std::array<GLuint, 2> buffers_{};
        std::size_t next_ = 0;
        std::unique_ptr<GlPixelBuffers> pixels_;
    };

    // The same conversion into plain device memory.
    [[nodiscard]] Bytes converted(const Frame& frame) const {
        gpu::DeviceImage image;
        image.width = frame.width();
        image.height = frame.height();
        image.luma = frame.plane(0).data;
        image.luma_pitch = static_cast<int>(frame.plane(0).pitch);
        image.cb = frame.plane(1).data;
        image.cr = frame.plane(1).data + 1;
        image.chroma_pitch = static_cast<int>(frame.plane(1).pitch);
        image.chroma_step = 2;
        const gpu::DeviceBuffer<std::uint8_t> rgba(static_cast<std::size_t>(4 * frame.width() * frame.height()));
        gpu::enqueue_rgba(image, frame.info(), rgba.data(), 4 * frame.width(), view());
        return to_host(rgba.data(), rgba.size(), view());
    }

    [[nodiscard]] static FrameInfo info_of(int width, int height, PixelFormat format = PixelFormat::nv12,
                                           ColorRange range = ColorRange::limited,
                                           ColorMatrix matrix = ColorMatrix::bt709) {
        FrameInfo info;
        info.width = width;
        info.height = height;
        info.format = format;
        info.range = range;
        info.matrix = matrix;
        return info;
    }

    std::optional<EglContext> context;  // outlives the objects created in it
    gpu::CudaGlBridge bridge{0};
};

TEST_F(GlBridgeTest, ImagesMatchTheConversion) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(81));
    for (const auto& [width, height, gap] : {std::array{1920, 1080, 128},
                                             {321, 117, 6},
                                             {320, 240, 31},
                                             {1, 1, 0},
                                             {2, 3, 1},
                                             {33, 1, 95},
                                             {7, 500, 57}}) {
        Target target(context->gl(), bridge, width, height);
        for (const ColorRange range : {ColorRange::limited, ColorRange::full}) {
            for (const ColorMatrix matrix : {ColorMatrix::bt601, ColorMatrix::bt709, ColorMatrix::bt2020}) {
                const Image image = random_image(random, info_of(width, height, PixelFormat::nv12, range, matrix), gap);
                target.show(image.frame);
                const Bytes found = target.read();
                EXPECT_EQ(found, converted(image.frame)) << width << 'x' << height;
                EXPECT_EQ(wrong_bytes(image, found), 0) << width << 'x' << height << ", pitch " << image.pitch[0];
            }
        }
    }
    EXPECT_EQ(context->gl().get_error(), static_cast<GLenum>(GL_NO_ERROR));
}

TEST_F(GlBridgeTest, OtherFormatsOfLuma) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(82));
    for (const PixelFormat format : {PixelFormat::yuv420p, PixelFormat::gray8}) {
        const Image image = random_image(random, info_of(99, 55, format), 13);
        Target target(context->gl(), bridge, 99, 55);
        target.show(image.frame);
        EXPECT_EQ(wrong_bytes(image, target.read()), 0);
    }
}

// No wait between two frames: buffers are rewritten while OpenGL may still read them.
TEST_F(GlBridgeTest, ConsecutiveImages) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(83));
    std::vector<Image> images;
    for (int i = 0; i < 5; ++i) images.push_back(random_image(random, info_of(1280, 720), 64));
    Target target(context->gl(), bridge, 1280, 720);
    for (int turn = 0; turn < 200; ++turn) {
        const Image& image = images[static_cast<std::size_t>(turn) % images.size()];
        target.show(image.frame);
        if (turn % 20 != 19 && turn > 6) continue;
        ASSERT_EQ(target.read(), converted(image.frame)) << "turn " << turn;
    }
}

// The faces of a frame are hidden before OpenGL sees it, as in an image on the host.
TEST_F(GlBridgeTest, HidesFaces) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(88));
    for (const auto& [width, height] : {std::pair{640, 360}, {321, 117}}) {
        Target target(context->gl(), bridge, width, height);
        for (const RedactStyle style : {RedactStyle::blur, RedactStyle::mosaic, RedactStyle::solid}) {
            for (const bool whole : {false, true}) {
                const Image image = random_image(random, info_of(width, height), 5);
                const Redaction hidden{{{{20, 30, 60, 70}, {300, 80, 50, 60}, {50, 60, 40, 40}}, whole}, {style}};
                target.show(image.frame, &hidden);
                Bytes expected = converted(image.frame);
                redact(bgra_image(expected.data(), std::ptrdiff_t{4} * width, width, height), hidden.regions,
                       hidden.options);
                ASSERT_EQ(target.read(), expected);
                target.show(image.frame);
                ASSERT_EQ(target.read(), converted(image.frame));
            }
        }
    }
}

// Decoders have few surfaces: a frame is released as soon as the next write finds that it has been read.
TEST_F(GlBridgeTest, FrameIsKeptUntilItIsConverted) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(84));
    Target target(context->gl(), bridge, 640, 360);
    std::weak_ptr<const void> watched;
    {
        const Image image = random_image(random, info_of(640, 360), 0);
        auto owner = std::make_shared<Frame>(image.frame);
        watched = owner;
        const PlaneView planes[Frame::kMaxPlanes] = {image.frame.plane(0), image.frame.plane(1)};
        target.show(Frame(image.info, planes, std::move(owner)));
    }
    EXPECT_FALSE(watched.expired());
    static_cast<void>(target.read());  // waits
    target.show(random_image(random, info_of(640, 360), 0).frame);
    EXPECT_TRUE(watched.expired());
}

TEST_F(GlBridgeTest, InvalidBuffersAreRejectedAndOthersStillWork) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(85));
    Target target(context->gl(), bridge, 64, 48);
    const Image large = random_image(random, info_of(64, 49), 0);
    EXPECT_THROW(target.show(large.frame), Error);
    Image host = random_image(random, info_of(64, 48), 0);
    host.info.memory = MemoryKind::host;
    const PlaneView planes[Frame::kMaxPlanes] = {host.frame.plane(0), host.frame.plane(1)};
    EXPECT_THROW(target.show(Frame(host.info, planes, nullptr)), Error);
    EXPECT_THROW((void)bridge.attach(std::array{12345U}, 16), Error) << "unknown buffer";
    const Image image = random_image(random, info_of(64, 48), 0);
    target.show(image.frame);
    EXPECT_EQ(target.read(), converted(image.frame));
}

TEST_F(GlBridgeTest, BridgeOutlivesItsBackend) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(86));
    std::unique_ptr<GlBridge> of_backend = make_cuda_backend(device.index)->make_gl_bridge();
    ASSERT_NE(of_backend, nullptr);
    EXPECT_EQ(of_backend->unavailable_reason(), "");
    Target target(context->gl(), *of_backend, 320, 200);
    of_backend.reset();
    const Image image = random_image(random, info_of(320, 200), 0);
    target.show(image.frame);
    EXPECT_EQ(target.read(), converted(image.frame));
    EXPECT_NE(gpu::CudaGlBridge(device.index + 1000).unavailable_reason(), "") << "unknown device";
}

}  // namespace
}  // namespace throng::test
