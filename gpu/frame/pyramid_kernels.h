// Launchers of the pyramid's kernels; other code calls Pyramid.
#pragma once

#include <cstdint>

#include "core/algo/host_device.h"
#include "core/algo/resize_linear.h"
#include "gpu/frame/device_image.h"
#include "gpu/frame/pyramid.h"

namespace throng::gpu {

inline constexpr int kStripColumns = 32;  // columns or diagonals per block

// A tap in one word, so that a thread loads those of four pixels at once. offset: less than kPackedOffsets.
inline constexpr std::int32_t kPackedOffsets = 1 << 23;
TH_HD std::uint32_t pack_tap(ResizeTap tap) {
    return static_cast<std::uint32_t>(tap.offset) << 9 | static_cast<std::uint32_t>(tap.far);
}
TH_HD ResizeTap unpack_tap(std::uint32_t packed) {
    const auto far = static_cast<std::int16_t>(packed & 0x1FFU);
    return {static_cast<std::int32_t>(packed >> 9), static_cast<std::int16_t>(256 - far), far};
}

// Device addresses of the tables of all levels.
struct PyramidTables : PyramidView {
    const PyramidLevel* levels = nullptr;
    const std::int32_t* row_level = nullptr;    // [row] level of the row
    const std::int32_t* strip_level = nullptr;  // [strip]
    const std::int32_t* slant_level = nullptr;  // [strip of diagonals]
    const std::uint32_t* taps = nullptr;        // as pack_tap returns them
    std::uint32_t* entries = nullptr;           // the sums of the view, to be written
};

void launch_resize_rows(const PyramidTables& tables, const DeviceImage& frame, int first_row, int end_row,
                        const ClearWords& clear, StreamView stream);

// planes: 1 for sums only, 2 for sums and squares.
void launch_sum_columns(const PyramidTables& tables, int first_strip, int end_strip, int planes, StreamView stream);

// Two launches; call after launch_sum_columns for the same levels.
void launch_tilted_sums(const PyramidTables& tables, int first_slant, int end_slant, StreamView stream);

}  // namespace throng::gpu
