#include "core/cpu/gray_converter.h"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "core/cpu/image_kernels.h"

namespace throng {
namespace {

constexpr int kRows = 32;  // per task

}  // namespace

PlaneView GrayConverter::of(const Frame& frame, ThreadPool& pool, StageRecorder& recorder) {
    if (frame.has_luma() && frame.rows() == nullptr) return frame.plane(0);
    const ScopedStage timed(recorder, stage::kGray);
    const int width = frame.width();
    const int height = frame.height();
    pixels_.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    const auto convert = [&](const PlaneView& from, int first) {
        pool.run((from.height + kRows - 1) / kRows, [&](int task, int) {
            for (int y = task * kRows; y < std::min((task + 1) * kRows, from.height); ++y) {
                const std::uint8_t* row = from.data + y * from.pitch;
                std::uint8_t* to = pixels_.data() + std::ptrdiff_t{first + y} * width;
                if (frame.has_luma()) {
                    std::copy_n(row, width, to);
                } else {
                    gray_row(row, width, to);
                }
            }
        });
    };
    if (frame.rows() == nullptr) {
        convert(frame.plane(0), 0);
    } else {
        const std::unique_ptr<RowReader> reader = frame.rows()->open();
        for (int y = 0; y < height;) {
            const PlaneView strip = reader->next();
            convert(strip, y);
            y += strip.height;
        }
    }
    return {pixels_.data(), width, width, height};
}

}  // namespace throng
