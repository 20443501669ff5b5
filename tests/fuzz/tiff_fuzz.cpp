// Any bytes as a TIFF image are decoded, in strips as well as at once, or rejected with an Error(input).
#include <cstdint>

#include "core/video/tiff_decoder.h"
#include "tests/fuzz/strips.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace throng;
    fuzz::compare_strips<TiffRows>({data, size}, decode_tiff);
    return 0;
}
