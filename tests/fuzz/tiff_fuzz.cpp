// Any bytes as a TIFF image are decoded, in strips as well as at once, or rejected with an Error(input).
#include <cstdint>

#include "core/video/tiff_decoder.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/strips.h"

TH_FUZZ(tiff) {
    using namespace throng;
    fuzz::compare_strips<TiffRows>({data, size}, decode_tiff);
    return 0;
}
