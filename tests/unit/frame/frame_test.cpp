#include "core/frame/frame.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/frame/frame_pool.h"

namespace throng {
namespace {

TEST(FramePool, PlanesHaveTheShapesOfTheirFormat) {
    FramePool pool;
    const WritableFrame odd = pool.take(PixelFormat::yuv420p, 5, 7);
    EXPECT_EQ(odd.plane(0).width, 5);
    EXPECT_EQ(odd.plane(0).height, 7);
    EXPECT_EQ(odd.plane(2).width, 3);
    EXPECT_EQ(odd.plane(2).height, 4);
    EXPECT_EQ(pool.take(PixelFormat::nv12, 5, 7).plane(1).width, 6);
    EXPECT_EQ(pool.take(PixelFormat::bgr24, 5, 7).plane(0).width, 15);
}

TEST(FramePool, SizesBeyond32BitPixelIndicesAreRejected) {
    FramePool pool;
    EXPECT_THROW(static_cast<void>(pool.take(PixelFormat::gray8, 0, 1)), Error);
    EXPECT_THROW(static_cast<void>(pool.take(PixelFormat::gray8, 1 << 24, 17)), Error);  // less than a gigabyte
    EXPECT_THROW(static_cast<void>(pool.take(PixelFormat::gray8, 46341, 46341)), Error);
    EXPECT_EQ(pool.take(PixelFormat::gray8, 1 << 20, 24).plane(0).width, 1 << 20);
}

TEST(FramePool, PlanesAreDisjointAlignedAndWritable) {
    FramePool pool;
    WritableFrame image = pool.take(PixelFormat::yuv420p, 65, 3);
    for (int p = 0; p < 3; ++p) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(image.data(p)) % 64, 0U);
        EXPECT_EQ(image.plane(p).pitch % 64, 0);
        std::memset(image.data(p), p + 1, static_cast<std::size_t>(image.plane(p).pitch * image.plane(p).height));
    }
    for (int p = 0; p < 3; ++p) EXPECT_EQ(image.data(p)[0], p + 1);
}

TEST(FramePool, ABlockIsReusedAfterTheLastHandleIsDestroyed) {
    FramePool pool;
    Frame first = pool.take(PixelFormat::gray8, 64, 64).finish();
    Frame copy = first;
    const std::uint8_t* block = first.plane(0).data;
    first = {};
    EXPECT_NE(pool.take(PixelFormat::gray8, 64, 64).plane(0).data, block) << "a handle still holds it";
    copy = {};
    const WritableFrame one = pool.take(PixelFormat::gray8, 64, 64);
    const WritableFrame other = pool.take(PixelFormat::gray8, 64, 64);
    EXPECT_TRUE(one.plane(0).data == block || other.plane(0).data == block);
}

TEST(FramePool, FramesOutliveTheirPoolAndAreUsableAcrossThreads) {
    std::vector<Frame> frames;
    {
        FramePool pool(2);
        for (int i = 0; i < 4; ++i) {
            WritableFrame image = pool.take(PixelFormat::gray8, 16, 16);
            image.data(0)[0] = static_cast<std::uint8_t>(i);
            frames.push_back(std::move(image).finish());
        }
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([i, frame = std::move(frames[static_cast<std::size_t>(i)])]() mutable {
            EXPECT_EQ(frame.plane(0).data[0], i);
            frame = {};
        });
    }
    for (std::thread& thread : threads) thread.join();
}

TEST(FramePool, InvalidSizesAreRejected) {
    FramePool pool;
    EXPECT_THROW(static_cast<void>(pool.take(PixelFormat::gray8, 0, 5)), Error);
    EXPECT_THROW(static_cast<void>(pool.take(PixelFormat::gray8, 5, -1)), Error);
    EXPECT_THROW(static_cast<void>(pool.take(PixelFormat::bgr24, 40000, 40000)), Error);
}

TEST(Frame, WithTimingSharesTheMemory) {
    FramePool pool;
    const Frame frame = pool.take(PixelFormat::gray8, 8, 8).finish();
    const Frame with_timing = frame.with_timing(7, 1.5, {});
    EXPECT_EQ(with_timing.info().index, 7);
    EXPECT_EQ(with_timing.info().pts, 1.5);
    EXPECT_EQ(with_timing.plane(0).data, frame.plane(0).data);
    EXPECT_EQ(frame.info().index, 0);
}

TEST(Frame, DamageRemainsWithTheFrame) {
    FramePool pool;
    const Frame frame = pool.take(PixelFormat::gray8, 8, 8).finish();
    const Frame damaged = frame.as_damaged().with_timing(7, 1.5, {});
    EXPECT_TRUE(damaged.info().damaged);
    EXPECT_EQ(damaged.plane(0).data, frame.plane(0).data);
    EXPECT_FALSE(frame.info().damaged);
    EXPECT_FALSE(pool.take(PixelFormat::gray8, 8, 8).info().damaged) << "a frame of the pool starts without damage";
}

TEST(Frame, ADeviceFrameIsCopiedWithItsHostCopyFunction) {
    FrameInfo info;
    info.width = info.height = 4;
    info.memory = MemoryKind::device;
    const PlaneView planes[Frame::kMaxPlanes] = {{nullptr, 4, 4, 4}, {}, {}};
    EXPECT_THROW(static_cast<void>(Frame(info, planes, nullptr).on_host()), Error);
    const auto copy = [](const FrameInfo& of, const void*) {
        FramePool pool;
        return pool.take(of.format, of.width, of.height).finish();
    };
    const Frame host = Frame(info, planes, nullptr, copy).on_host();
    EXPECT_EQ(host.info().memory, MemoryKind::host);
    EXPECT_EQ(host.on_host().plane(0).data, host.plane(0).data);
}

}  // namespace
}  // namespace throng
