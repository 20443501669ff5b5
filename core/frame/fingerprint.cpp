#include "core/frame/fingerprint.h"

#include <fmt/format.h>

#include "core/base/sha256.h"

namespace throng {

std::string fingerprint_of(const std::optional<Frame>& frame) {
    if (!frame) return {};
    const Frame host = frame->on_host();
    const PlaneView& plane = host.plane(0);
    std::string pixels;
    for (int y = 0; y < plane.height; ++y) {
        pixels.append(reinterpret_cast<const char*>(plane.data) + y * plane.pitch,
                      static_cast<std::size_t>(plane.width));
    }
    return fmt::format("{:a}{} {}", host.info().pts, host.info().damaged ? " damaged" : "", sha256_of_text(pixels));
}

}  // namespace throng
