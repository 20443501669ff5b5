// Any bytes as a PNG image are decoded, in strips as well as at once. Chunks get the checksum of their content, so that
// changed ones are read, too.
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/video/png.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/strips.h"

namespace {

constexpr std::size_t kSignature = 8;  // bytes
constexpr std::size_t kHead = 8;       // length and type

std::uint32_t read_big(const std::uint8_t* bytes) {
    return std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U | std::uint32_t{bytes[2]} << 8U | bytes[3];
}

void correct_checksums(std::span<std::uint8_t> png) {
    for (std::span<std::uint8_t> rest = png.subspan(std::min(kSignature, png.size())); rest.size() >= kHead + 4;) {
        const std::size_t length = read_big(rest.data());
        if (length > rest.size() - kHead - 4) return;
        std::uint8_t* end = rest.data() + kHead + length;
        const auto sum = static_cast<std::uint32_t>(crc32(0, rest.data() + 4, static_cast<uInt>(length + 4)));
        for (int i = 0; i < 4; ++i) end[i] = static_cast<std::uint8_t>(sum >> (24 - 8 * i));
        rest = rest.subspan(kHead + length + 4);
    }
}

}  // namespace

TH_FUZZ(png) {
    using namespace throng;
    std::vector<std::uint8_t> bytes(data, data + size);
    correct_checksums(bytes);
    fuzz::compare_strips<PngRows>(bytes, decode_png);
    return 0;
}
