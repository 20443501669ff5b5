// The kernels of the cascade with a mask, with a stride, between more than two segments, or with features as rectangles.
#include "core/algo/cascade.h"
#include "gpu/cascade/first_pairs.cuh"
#include "gpu/cascade/first_segment.cuh"
#include "gpu/cascade/queue_segment.cuh"
#include "gpu/lab/cascade_steps_launch.h"

namespace throng::gpu {
namespace {

__device__ std::uint8_t mask_sample(const DeviceImage& frame, const CandidateMask& mask, int x, int y) {
    if (mask.roi_width > 0 && mask.roi_height > 0) {
        const int column = 2 * x - mask.roi_x;
        const int row = 2 * y - mask.roi_y;
        if (column < 0 || row < 0 || column >= mask.roi_width || row >= mask.roi_height) return 0;
    }
    if (!mask.skin || frame.cb == nullptr) return 1;
    const std::int64_t at = static_cast<std::int64_t>(y) * frame.chroma_pitch + x * frame.chroma_step;
    const int cb = __ldg(frame.cb + at);
    const int cr = __ldg(frame.cr + at);
    const SkinTone& tone = mask.tone;
    return cb >= tone.cb_low && cb <= tone.cb_high && cr >= tone.cr_low && cr <= tone.cr_high ? 1 : 0;
}

// A block per row of the mask.
__global__ void __launch_bounds__(kBlockThreads)
    mask_kernel(DeviceImage frame, CandidateMask mask, std::uint8_t* d_samples) {
    const int width = (frame.width + 1) / 2;
    const int y = static_cast<int>(blockIdx.x);
    for (int x = static_cast<int>(threadIdx.x); x < width; x += kBlockThreads) {
        d_samples[static_cast<std::int64_t>(y) * width + x] = mask_sample(frame, mask, x, y);
    }
}

struct FilteredWindows : WindowFilter {
    [[nodiscard]] __device__ bool admits(const WindowTask& task, const WindowLevel& level, int column, int row) const {
        if (requested != nullptr) {
            const std::uint32_t word = requested[level.first_word + row * level.words + column / 32];
            if ((word >> column % 32 & 1U) == 0) return false;
        }
        return mask == nullptr || in_mask(window_box(level.level, column, row, task.frame_width, task.frame_height));
    }
    // With a stride every requested window is visited, because its neighbors have not all been evaluated.
    [[nodiscard]] __device__ bool visits_all() const { return requested != nullptr; }

private:
    // Tests if enough of the box is set in the mask.
    [[nodiscard]] __device__ bool in_mask(const Box& box) const {
        const int left = min(static_cast<int>(box.x) / 2, mask_width - 1);
        const int top = min(static_cast<int>(box.y) / 2, mask_height - 1);
        const int right = min(max(static_cast<int>(box.x + box.w) / 2, left + 1), mask_width);
        const int bottom = min(max(static_cast<int>(box.y + box.h) / 2, top + 1), mask_height);
        const std::int32_t set = rect_sum(mask, mask_pitch, left, top, right - left, bottom - top);
        return static_cast<float>(set) >= min_share * static_cast<float>((right - left) * (bottom - top));
    }
};

// Both kinds of features, from the rectangles.
struct Geometry {
    static __device__ double stage_sum(const CascadeTables& c, const PyramidView& p, int s, const std::uint32_t* at,
                                       float norm) {
        const WindowSums sums{at, at + p.squares, at + p.tilted, p.pitch};
        return throng::stage_sum(c.geometry, c.geometry.stages[s], sums, norm);
    }
};

template <typename F>
__global__ void __launch_bounds__(kBlockThreads)
    coarse_windows_kernel(CascadeTables cascade, WindowTask task, const WindowTile* tiles, int stages, int stride,
                          FilteredWindows filter, std::uint32_t* d_requested) {
    const WindowTile tile = tiles[blockIdx.x];
    const WindowLevel& level = task.levels[tile.level];
    for (int slot = threadIdx.x; slot < kBlockWindows; slot += kBlockThreads) {
        const int column = tile.column + slot % kTileColumns;
        const int row = tile.row + slot / kTileColumns;
        if (column >= level.level.columns || row >= level.level.rows || column % stride != 0 || row % stride != 0 ||
            !filter.admits(task, level, column, row))
            continue;
        const std::uint32_t* at = task.pyramid.sums + corner_entry(task, level, column, row);
        const float norm = norm_of(cascade, task.pyramid, at);
        double margin = 0.0;
        if (norm == 0.0F || !passes<F>(cascade, task.pyramid, 0, stages, at, norm, margin)) continue;
        for (int y = max(row - stride + 1, 0); y < min(row + stride, level.level.rows); ++y) {
            for (int x = max(column - stride + 1, 0); x < min(column + stride, level.level.columns); ++x) {
                atomicOr(d_requested + level.first_word + y * level.words + x / 32, 1U << (x % 32));
            }
        }
    }
}

template <typename Use>
void select_form(const StepLaunch& step, const Use& use) {
    if (step.features == Features::geometry) return use(Geometry{});
    if (step.cascade.geometry.kind == CascadeKind::lbp) return use(LbpOffsets<0>{});
    use(HaarOffsets<0>{});
}

}  // namespace

void launch_mask(const DeviceImage& image, const CandidateMask& mask, std::uint8_t* d_samples, StreamView stream) {
    LaunchChain(stream, false)
        .launch("mask_kernel", mask_kernel, LaunchSize{static_cast<unsigned>((image.height + 1) / 2), kBlockThreads},
                image, mask, d_samples);
}

void launch_coarse_windows(const StepLaunch& step, int stages, int stride, std::uint32_t* d_requested) {
    if (step.tiles.count == 0) return;
    select_form(step, [&](auto form) {
        LaunchChain(step.stream, false)
            .launch("coarse_windows_kernel", coarse_windows_kernel<decltype(form)>,
                    LaunchSize{static_cast<unsigned>(step.tiles.count), kBlockThreads}, step.cascade, step.task,
                    step.tiles.first, stages, stride, FilteredWindows{step.filter}, d_requested);
    });
}

void launch_filtered_pairs(const StepLaunch& step, const PairTables& tables, int stages, const WindowQueue& next) {
    pairs::launch(step, tables, stages, next, FilteredWindows{step.filter});
}

void launch_filtered_windows(const StepLaunch& step, int stages, const WindowQueue& next) {
    select_form(step,
                [&](auto form) { single::launch<decltype(form)>(step, stages, next, FilteredWindows{step.filter}); });
}

void launch_queue_segment(const StepLaunch& step, const WindowQueue& queue, int first, int last,
                          const WindowQueue& next) {
    select_form(step, [&](auto form) { launch_queue<decltype(form)>(step, queue, first, last, next); });
}

}  // namespace throng::gpu
