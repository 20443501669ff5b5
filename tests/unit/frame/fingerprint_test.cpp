// The fingerprint of a frame: equal for the same frame in other memory, and for no other frame.
#include "core/frame/fingerprint.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace throng {
namespace {

// A gray frame of 5x3 pixels. padding: the bytes after each row.
Frame frame_at(double pts, std::uint8_t last_pixel, std::int64_t pitch, std::uint8_t padding) {
    const auto pixels = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(pitch) * 3, padding);
    for (int y = 0; y < 3; ++y) {
        for (int x = 0; x < 5; ++x) (*pixels)[static_cast<std::size_t>(y * pitch + x)] = static_cast<std::uint8_t>(y);
    }
    (*pixels)[static_cast<std::size_t>(2 * pitch + 4)] = last_pixel;
    FrameInfo info;
    info.width = 5;
    info.height = 3;
    info.pts = pts;
    const PlaneView planes[Frame::kMaxPlanes] = {{pixels->data(), static_cast<int>(pitch), 5, 3}};
    return {info, planes, pixels};
}

TEST(Fingerprint, IsThatOfTimePixelsAndDamage) {
    const Frame frame = frame_at(1.1, 7, 5, 0);
    EXPECT_EQ(fingerprint_of(std::nullopt), "");
    EXPECT_EQ(fingerprint_of(frame), fingerprint_of(frame_at(1.1, 7, 64, 0)));
    EXPECT_EQ(fingerprint_of(frame), fingerprint_of(frame_at(1.1, 7, 8, 99))) << "bytes after a row are no pixels";
    EXPECT_NE(fingerprint_of(frame), fingerprint_of(frame_at(1.1, 8, 5, 0)));
    EXPECT_NE(fingerprint_of(frame), fingerprint_of(frame_at(1.1 + 2e-16 * 2, 7, 5, 0))) << "no time is rounded";
    EXPECT_NE(fingerprint_of(frame), fingerprint_of(frame.as_damaged()));
}

}  // namespace
}  // namespace throng
