#include "core/cpu/gray_converter.h"

#include <algorithm>
#include <cstddef>

#include "core/cpu/image_kernels.h"

namespace throng {
namespace {

constexpr int kRows = 32;  // per task

}  // namespace

PlaneView GrayConverter::of(const Frame& frame, ThreadPool& pool, StageRecorder& recorder) {
    if (frame.has_luma()) return frame.plane(0);
    const ScopedStage timed(recorder, stage::kGray);
    const PlaneView& color = frame.plane(0);
    const int width = frame.width();
    const int height = frame.height();
    pixels_.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    pool.run((height + kRows - 1) / kRows, [&](int task, int) {
        for (int y = task * kRows; y < std::min((task + 1) * kRows, height); ++y) {
            gray_row(color.data + y * color.pitch, width, pixels_.data() + std::ptrdiff_t{y} * width);
        }
    });
    return {pixels_.data(), width, width, height};
}

}  // namespace throng
