// Any bytes as a JPEG image are decoded, in strips as well as at once, or rejected with an Error(input).
#include <cstdint>

#include "core/video/jpeg.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/strips.h"

TH_FUZZ(jpeg) {
    using namespace throng;
    fuzz::compare_strips<JpegRows>({data, size}, decode_jpeg);
    return 0;
}
