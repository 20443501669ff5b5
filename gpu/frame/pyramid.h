// The resize pyramid and its integral images in device memory: from a frame's luma plane to sums, sums of squares and,
// if a model needs them, tilted sums, of all levels in one to four launches.
//
// The resized gray images are never stored: a row is resized in registers, and only its running sums are written.
// Levels are resized as in core/algo/resize_linear.h and sums wrap around as in core/algo/cascade.h, so every
// difference of entries equals the CPU's, bit for bit.
#pragma once

#include <cstdint>
#include <vector>

#include "core/algo/resize_linear.h"
#include "gpu/frame/atlas.h"
#include "gpu/frame/device_image.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

struct PyramidPlanes {
    bool squares = false;
    bool tilted = false;
};

// Describes a level for the kernels; stored in device memory.
struct PyramidLevel {
    std::int32_t width, height;   // pixels
    std::int64_t origin;          // entry (0, 0) of its integral image
    std::int32_t taps_x, taps_y;  // index of its first ResizeTap
    std::int32_t first_row;       // index of its first row among the rows of all levels
    std::int32_t first_strip;     // index of its first strip of columns among the strips of all levels
    std::int32_t first_slant;     // as first_strip, for strips of diagonals
};

// Entries of the integral images for kernels.
struct PyramidView {
    const std::uint32_t* sums = nullptr;
    // Offsets in entries from a sum to the sum of squares and the tilted sum at the same position; 0: no such plane.
    std::int64_t squares = 0, tilted = 0;
    std::int32_t pitch = 0;  // entries
};

// Words that the first kernel of a frame sets to 0 for later kernels. Either pointer may be null.
struct ClearWords {
    std::uint32_t* words = nullptr;
    int count = 0;
    std::uint32_t* more = nullptr;
    int more_count = 0;
};

// Levels [first, last).
struct LevelRange {
    int first, last;
};

struct PyramidTables;

class Pyramid {
public:
    // Allocates and fills its tables; waits for the stream. Throws Error(unavailable) if there is not enough memory or
    // the frame is too large for 32-bit offsets.
    Pyramid(ImageSize frame, const std::vector<ImageSize>& levels, const PyramidPlanes& planes, StreamView stream);

    // Both enqueue and do not wait. frame must have the constructor's size. enqueue_rows resizes and writes running
    // sums along the rows. enqueue_columns sums down the columns, which completes the integral images, then computes
    // the tilted ones. Kernels that add up columns themselves do without it.
    void enqueue_rows(const DeviceImage& image, LevelRange range, const ClearWords& clear, StreamView stream) const;
    void enqueue_columns(LevelRange range, StreamView stream) const;
    [[nodiscard]] LevelRange all() const { return {0, static_cast<int>(levels_.size()) - 1}; }

    [[nodiscard]] PyramidView view() const;
    [[nodiscard]] const Atlas& atlas() const { return atlas_; }
    // Returns the bytes of device memory.
    [[nodiscard]] std::size_t memory() const { return entries_.bytes(); }

private:
    [[nodiscard]] PyramidTables tables() const;
    [[nodiscard]] const PyramidLevel& level(int number) const { return levels_[static_cast<std::size_t>(number)]; }

    PyramidPlanes planes_;
    Atlas atlas_;
    std::vector<PyramidLevel> levels_;  // and one without pixels, which begins where the last ends
    DeviceBuffer<std::uint32_t> entries_;
    DeviceBuffer<PyramidLevel> d_levels_;
    DeviceBuffer<std::int32_t> d_row_level_;
    DeviceBuffer<std::int32_t> d_strip_level_;
    DeviceBuffer<std::int32_t> d_slant_level_;
    DeviceBuffer<std::uint32_t> d_taps_;
};

}  // namespace throng::gpu
