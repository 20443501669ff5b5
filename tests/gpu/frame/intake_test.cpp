// Frames of all memory kinds and formats give the same luma; colors for display; OpenCV matrices.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#if __has_include(<EGL/eglext.h>)
#include <cuda_egl_interop.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <future>
#include <memory>
#include <opencv2/core/cuda.hpp>
#include <random>

#include "core/algo/gray.h"
#include "core/algo/narrow.h"
#include "core/base/error.h"
#include "core/frame/frame_pool.h"
#include "gpu/frame/convert.h"
#include "gpu/frame/device_converter.h"
#include "gpu/frame/egl_image.h"
#include "gpu/frame/frame_intake.h"
#include "gpu/interop/gpu_mat.h"
#include "tests/gpu/frame/device_memory.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

Frame random_frame(std::mt19937_64& random, PixelFormat format, int width, int height, ColorRange range,
                   ColorMatrix matrix) {
    FramePool pool;
    WritableFrame frame = pool.take(format, width, height);
    frame.info().range = range;
    frame.info().matrix = matrix;
    for (int p = 0; p < plane_count(format); ++p) {
        for (int y = 0; y < frame.plane(p).height; ++y) {
            for (int x = 0; x < frame.plane(p).width; ++x)
                frame.data(p)[y * frame.plane(p).pitch + x] = static_cast<std::uint8_t>(random());
        }
    }
    return std::move(frame).finish();
}

class IntakeTest : public GpuTest {
protected:
    std::vector<std::uint8_t> rows(const std::uint8_t* data, int pitch, int width, int height) {
        const auto all = to_host(
            data,
            static_cast<std::size_t>(pitch) * static_cast<std::size_t>(height - 1) + static_cast<std::size_t>(width),
            view());
        std::vector<std::uint8_t> packed;
        for (int y = 0; y < height; ++y)
            packed.insert(packed.end(), all.begin() + std::ptrdiff_t{y} * pitch,
                          all.begin() + std::ptrdiff_t{y} * pitch + width);
        return packed;
    }
    static std::vector<std::uint8_t> rows(const Frame& frame, int plane) {
        const PlaneView& from = frame.plane(plane);
        std::vector<std::uint8_t> packed;
        for (int y = 0; y < from.height; ++y)
            packed.insert(packed.end(), from.data + y * from.pitch, from.data + y * from.pitch + from.width);
        return packed;
    }
    NullRecorder recorder;
};

TEST_F(IntakeTest, LumaAndChromaArrive) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(71));
    for (const bool in_place : {false, true}) {
        gpu::FrameIntake intake(view(), in_place);
        for (int turn = 0; turn < 12; ++turn) {
            const auto format = static_cast<PixelFormat>(turn % 4);
            const int width = turn < 4 ? 1920 : 33 + 14 * turn;
            const int height = turn < 4 ? 1080 : 21 + 5 * turn;
            const Frame frame = random_frame(random, format, width, height, ColorRange::full, ColorMatrix::bt709);
            const gpu::FrameIntake::Reading reading(intake);
            const gpu::DeviceImage image = intake.take(frame, true, recorder);
            std::vector<std::uint8_t> expected = rows(frame, 0);
            if (format == PixelFormat::bgr24) {
                std::vector<std::uint8_t> gray;
                for (std::size_t i = 0; i < expected.size(); i += 3)
                    gray.push_back(gray_of_bgr(expected[i], expected[i + 1], expected[i + 2]));
                expected = gray;
            }
            EXPECT_EQ(rows(image.luma, image.luma_pitch, width, height), expected) << "turn " << turn;
            if (format == PixelFormat::nv12) {
                EXPECT_EQ(image.cr, image.cb + 1);
                EXPECT_EQ(rows(image.cb, image.chroma_pitch, frame.plane(1).width, frame.plane(1).height),
                          rows(frame, 1));
            } else if (format == PixelFormat::yuv420p) {
                EXPECT_EQ(rows(image.cb, image.chroma_pitch, frame.plane(1).width, frame.plane(1).height),
                          rows(frame, 1));
                EXPECT_EQ(rows(image.cr, image.chroma_pitch, frame.plane(2).width, frame.plane(2).height),
                          rows(frame, 2));
            } else {
                EXPECT_EQ(image.cb, nullptr);
            }
        }
    }
}

TEST_F(IntakeTest, PinnedAndDeviceFrames) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(72));
    gpu::FrameIntake intake(view(), false);
    FrameInfo info;
    info.width = 301;
    info.height = 99;
    const int pitch = 317;
    auto pinned = std::make_shared<gpu::PinnedBuffer<std::uint8_t>>(static_cast<std::size_t>(pitch) * 99);
    std::vector<std::uint8_t> bytes(pinned->size());
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    std::copy(bytes.begin(), bytes.end(), pinned->data());
    info.memory = MemoryKind::pinned;
    const PlaneView host[Frame::kMaxPlanes] = {{pinned->data(), pitch, 301, 99}};
    std::vector<std::uint8_t> expected;
    for (int y = 0; y < 99; ++y)
        expected.insert(expected.end(), bytes.begin() + y * pitch, bytes.begin() + y * pitch + 301);

    {
        const gpu::FrameIntake::Reading reading(intake);
        const gpu::DeviceImage uploaded = intake.take(Frame(info, host, pinned), false, recorder);
        EXPECT_EQ(rows(uploaded.luma, uploaded.luma_pitch, 301, 99), expected);
    }

    const auto device_bytes = to_device(bytes);
    info.memory = MemoryKind::device;
    const PlaneView on_device[Frame::kMaxPlanes] = {{device_bytes.data(), pitch, 301, 99}};
    const gpu::FrameIntake::Reading reading(intake);
    EXPECT_EQ(intake.take(Frame(info, on_device, nullptr), false, recorder).luma, device_bytes.data())
        << "device frames are used in place";
}

// Work of the stream that waits until it is opened. Enqueue nothing meanwhile that may wait for the device, as
// allocations do.
class Gate {
public:
    explicit Gate(gpu::StreamView stream) : stream_(stream) {
        const auto wait = [](void* gate) { static_cast<Gate*>(gate)->opened_.get_future().wait(); };
        gpu::check_cuda(cudaLaunchHostFunc(stream, wait, this), "cudaLaunchHostFunc");
    }
    ~Gate() {
        open();
        gpu::warn_cuda(cudaStreamSynchronize(stream_), "waiting for a gate");
    }
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    void open() {
        if (!std::exchange(is_open_, true)) opened_.set_value();
    }

private:
    gpu::StreamView stream_;
    std::promise<void> opened_;
    bool is_open_ = false;
};

// A decoder gets a frame back once the work of its batch is done, not earlier, and not only when others follow. That
// includes a batch that an exception ended.
TEST_F(IntakeTest, FramesAreReturnedWhenTheyAreRead) {
    if (IsSkipped() || HasFatalFailure()) return;
    const gpu::DeviceBuffer<std::uint8_t> memory(static_cast<std::size_t>(64 * 64));
    gpu::FrameIntake intake(view(), false);
    const auto take = [&] {
        auto owner = std::make_shared<int>();
        const std::weak_ptr<int> watched = owner;
        FrameInfo info;
        info.width = info.height = 64;
        info.memory = MemoryKind::device;
        const PlaneView planes[Frame::kMaxPlanes] = {{memory.data(), 64, 64, 64}};
        static_cast<void>(intake.take(Frame(info, planes, std::move(owner)), false, recorder));
        return watched;
    };
    std::vector<std::weak_ptr<int>> batch;
    Gate gate(view());
    try {
        const gpu::FrameIntake::Reading reading(intake);
        for (int i = 0; i < 3; ++i) batch.push_back(take());
        throw Error(ErrorKind::unavailable, "no memory", "a detector");
    } catch (const Error&) {
    }
    const auto kept = [&] {
        return std::count_if(batch.begin(), batch.end(), [](const auto& frame) { return !frame.expired(); });
    };
    std::weak_ptr<int> next;
    {
        const gpu::FrameIntake::Reading reading(intake);
        next = take();
    }
    intake.release_read();
    EXPECT_EQ(kept(), 3);
    EXPECT_FALSE(next.expired());
    gate.open();
    stream->synchronize();
    {
        const gpu::FrameIntake::Reading reading(intake);
        EXPECT_EQ(kept(), 0);
        EXPECT_TRUE(next.expired());
    }
}

// Frames with 10 bits become NV12 on the device, with the samples that core/algo/narrow.h defines. Their owner is kept as
// long as the frame; the memory is used again afterwards.
TEST_F(IntakeTest, TenBitsAreNarrowed) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(74));
    const auto converter = gpu::make_device_converter(0);
    gpu::FrameIntake intake(view(), false);
    for (const auto& [width, height] : {std::pair{1920, 1080}, {1920, 1080}, {33, 21}, {1, 1}, {322, 246}}) {
        const int half_width = (width + 1) / 2;
        const int half_height = (height + 1) / 2;
        const int pitch = 4 * half_width + 32;  // bytes
        std::vector<std::uint16_t> samples(static_cast<std::size_t>(pitch / 2 * (height + half_height)));
        for (std::uint16_t& sample : samples) sample = static_cast<std::uint16_t>(random() % 1024 << 6);
        auto memory = std::make_shared<gpu::DeviceBuffer<std::uint16_t>>(to_device(samples));
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(memory->data());
        const PlaneView from[] = {{bytes, pitch, 2 * width, height},
                                  {bytes + std::ptrdiff_t{pitch} * height, pitch, 4 * half_width, half_height}};
        std::vector<std::uint8_t> luma;
        std::vector<std::uint8_t> chroma;
        const auto at = [&](int x, int y) { return samples[static_cast<std::size_t>(pitch / 2 * y + x)] >> 6; };
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) luma.push_back(narrow(at(x, y), x, y));
        }
        for (int y = 0; y < half_height; ++y) {
            for (int x = 0; x < half_width; ++x) {
                for (int c = 0; c < 2; ++c) chroma.push_back(narrow(at(2 * x + c, height + y), x + c, y));
            }
        }
        FrameInfo info;
        info.width = width;
        info.height = height;
        info.pts = 7;
        const std::weak_ptr<gpu::DeviceBuffer<std::uint16_t>> watched = memory;
        {
            const Frame frame = converter->to_nv12(info, from, std::move(memory));
            EXPECT_EQ(frame.info().format, PixelFormat::nv12);
            EXPECT_EQ(frame.info().pts, 7);
            const gpu::FrameIntake::Reading reading(intake);
            const gpu::DeviceImage image = intake.take(frame, true, recorder);
            EXPECT_EQ(rows(image.luma, image.luma_pitch, width, height), luma) << width << "x" << height;
            EXPECT_EQ(rows(image.cb, image.chroma_pitch, 2 * half_width, half_height), chroma)
                << width << "x" << height;
            const Frame host = frame.on_host();
            EXPECT_EQ(rows(host, 0), luma);
            EXPECT_EQ(rows(host, 1), chroma);
            EXPECT_FALSE(watched.expired());
        }
        intake.release_read();
        EXPECT_TRUE(watched.expired());
    }
}

// Returns the color of one pixel in float64, from the standard's weights of red and blue in luma.
std::array<double, 3> color(int y, int cb, int cr, ColorRange range, ColorMatrix matrix) {
    const double weights[3][2] = {{0.299, 0.114}, {0.2126, 0.0722}, {0.2627, 0.0593}};  // BT.601, 709, 2020
    const auto [kr, kb] = weights[static_cast<int>(matrix)];
    const bool limited = range == ColorRange::limited;
    const double luma = limited ? (y - 16) / 219.0 : y / 255.0;
    const double b = (cb - 128) / (limited ? 224.0 : 255.0);  // -0.5 to 0.5
    const double r = (cr - 128) / (limited ? 224.0 : 255.0);
    const double red = luma + 2 * (1 - kr) * r;
    const double blue = luma + 2 * (1 - kb) * b;
    const double green = (luma - kr * red - kb * blue) / (1 - kr - kb);
    return {255 * std::clamp(red, 0.0, 1.0), 255 * std::clamp(green, 0.0, 1.0), 255 * std::clamp(blue, 0.0, 1.0)};
}

// As memory of GStreamer's elements for CUDA is.
TEST_F(IntakeTest, MemoryOfOthersIsReadInPlace) {
    constexpr int kWidth = 66, kHeight = 35, kPitch = 128;
    std::vector<std::uint8_t> bytes(kPitch * (kHeight + (kHeight + 1) / 2));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
    const auto memory = std::make_shared<gpu::DeviceBuffer<std::uint8_t>>(test::to_device(bytes));
    const auto converter = gpu::make_device_converter(0);
    EXPECT_TRUE(converter->can_read(memory->data()));
    EXPECT_FALSE(converter->can_read(bytes.data()));
    PlaneView planes[2];
    for (int p = 0; p < 2; ++p) {
        planes[p] = plane_shape(PixelFormat::nv12, kWidth, kHeight, p);
        planes[p].data = memory->data() + p * kPitch * kHeight;
        planes[p].pitch = kPitch;
    }
    FrameInfo info;
    info.width = kWidth;
    info.height = kHeight;
    {
        const Frame frame = converter->wrap(info, planes, memory);
        EXPECT_EQ(memory.use_count(), 2);
        EXPECT_EQ(frame.info().memory, MemoryKind::device);
        const Frame host = frame.on_host();
        for (int p = 0; p < 2; ++p) {
            const PlaneView& plane = host.plane(p);
            for (int y = 0; y < plane.height; ++y) {
                EXPECT_EQ(std::memcmp(plane.data + y * plane.pitch, bytes.data() + (p * kHeight + y) * kPitch,
                                      static_cast<std::size_t>(plane.width)),
                          0);
            }
        }
    }
    EXPECT_EQ(memory.use_count(), 1);
    EXPECT_THROW(static_cast<void>(converter->register_image(nullptr)), Error);
}

#if __has_include(<EGL/eglext.h>)
TEST(EglImage, OnlyPitchLinearNv12IsRead) {
    std::uint8_t bytes[1];
    const auto problem_of = [&bytes](const auto& change) {
        cudaEglFrame frame{};
        frame.frameType = cudaEglFrameTypePitch;
        frame.eglColorFormat = cudaEglColorFormatYUV420SemiPlanar;
        frame.planeCount = 2;
        for (unsigned p = 0; p < 2; ++p) {
            frame.frame.pPitch[p] = {bytes, 256, 0, 0};
            frame.planeDesc[p].width = p == 0 ? 200 : 100;
            frame.planeDesc[p].height = p == 0 ? 80 : 40;
            frame.planeDesc[p].numChannels = p + 1;
        }
        change(frame);
        PlaneView planes[2];
        std::string problem = gpu::read_egl_frame(frame, planes);
        if (problem.empty()) {
            EXPECT_EQ(planes[0].width, 200);
            EXPECT_EQ(planes[1].width, 200);
            EXPECT_EQ(planes[1].height, 40);
            EXPECT_EQ(planes[1].pitch, 256);
        }
        return problem;
    };
    EXPECT_EQ(problem_of([](cudaEglFrame&) {}), "");
    EXPECT_EQ(problem_of([](cudaEglFrame& frame) { frame.eglColorFormat = cudaEglColorFormatYUV420SemiPlanar_ER; }),
              "");
    EXPECT_NE(problem_of([](cudaEglFrame& frame) { frame.frameType = cudaEglFrameTypeArray; }), "");
    EXPECT_NE(problem_of([](cudaEglFrame& frame) { frame.eglColorFormat = cudaEglColorFormatYVU420SemiPlanar; }), "");
    EXPECT_NE(problem_of([](cudaEglFrame& frame) { frame.planeCount = 1; }), "");
    EXPECT_NE(problem_of([](cudaEglFrame& frame) { frame.planeDesc[1].numChannels = 1; }), "");
    EXPECT_NE(problem_of([](cudaEglFrame& frame) { frame.frame.pPitch[0].ptr = nullptr; }), "");
    EXPECT_NE(problem_of([](cudaEglFrame& frame) { frame.frame.pPitch[0].pitch = 199; }), "");
}
#endif

TEST_F(IntakeTest, ColorsMatchTheStandards) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(73));
    for (const ColorRange range : {ColorRange::limited, ColorRange::full}) {
        for (const ColorMatrix matrix : {ColorMatrix::bt601, ColorMatrix::bt709, ColorMatrix::bt2020}) {
            const int width = 321;
            const int height = 117;
            const Frame frame = random_frame(random, PixelFormat::nv12, width, height, range, matrix);
            gpu::FrameIntake intake(view(), false);
            const gpu::FrameIntake::Reading reading(intake);
            const gpu::DeviceImage image = intake.take(frame, true, recorder);
            const gpu::DeviceBuffer<std::uint8_t> rgba(static_cast<std::size_t>(4 * width * height));
            gpu::enqueue_rgba(image, frame.info(), rgba.data(), 4 * width, view());
            const auto found = to_host(rgba.data(), rgba.size(), view());
            double worst = 0;
            for (int y = 0; y < height; ++y) {
                for (int x = 0; x < width; ++x) {
                    const std::uint8_t* chroma = frame.plane(1).data + y / 2 * frame.plane(1).pitch + x / 2 * 2;
                    const auto expected =
                        color(frame.plane(0).data[y * frame.plane(0).pitch + x], chroma[0], chroma[1], range, matrix);
                    const std::uint8_t* pixel = found.data() + 4 * (y * width + x);
                    for (std::size_t c = 0; c < 3; ++c) worst = std::max(worst, std::abs(pixel[c] - expected[c]));
                    ASSERT_EQ(pixel[3], 255);
                }
            }
            EXPECT_LE(worst, 0.51);
        }
    }
}

TEST_F(IntakeTest, OpencvMatricesAreNotCopied) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(80 * 50), 7);
    const auto memory = to_device(bytes);
    const cv::cuda::GpuMat gray(50, 61, CV_8UC1, memory.data(), 80);
    const Frame frame = gpu::frame_from_mat(gray);
    EXPECT_EQ(frame.plane(0).data, memory.data());
    EXPECT_EQ(frame.plane(0).pitch, 80);
    EXPECT_EQ(frame.width(), 61);
    EXPECT_EQ(frame.info().memory, MemoryKind::device);
    const auto back = gpu::mat_from_frame<cv::cuda::GpuMat>(frame);
    EXPECT_EQ(back.data, memory.data());
    EXPECT_EQ(back.step, 80U);
    EXPECT_EQ(back.type(), CV_8UC1);

    const cv::cuda::GpuMat bgr(50, 20, CV_8UC3, memory.data(), 80);
    EXPECT_EQ(gpu::frame_from_mat(bgr).info().format, PixelFormat::bgr24);
    EXPECT_EQ(gpu::mat_from_frame<cv::cuda::GpuMat>(gpu::frame_from_mat(bgr)).type(), CV_8UC3);
    const cv::cuda::GpuMat wide(5, 20, CV_16UC1, memory.data(), 80);
    EXPECT_THROW((void)gpu::frame_from_mat(wide), Error);
    EXPECT_THROW((void)gpu::frame_from_mat(cv::cuda::GpuMat()), Error);

    const DetectionBuffer buffer = gpu::make_device_buffer(12, {}, view());
    const auto boxes = gpu::boxes_mat<cv::cuda::GpuMat>(buffer);
    EXPECT_EQ(static_cast<void*>(boxes.data), static_cast<void*>(buffer.span().boxes));
    EXPECT_EQ(boxes.type(), CV_32FC4);
    EXPECT_EQ(boxes.cols, 12);
    EXPECT_EQ(gpu::scores_mat<cv::cuda::GpuMat>(buffer).type(), CV_32FC1);
}

}  // namespace
}  // namespace throng::test
