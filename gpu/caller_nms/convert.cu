#include "gpu/caller_nms/convert.h"

#include <cuda_runtime.h>

#include <cmath>
#include <cub/device/device_radix_sort.cuh>
#include <limits>

#include "gpu/caller_nms/caller_values.cuh"
#include "gpu/nms/pair_test.cuh"

namespace throng::gpu {
namespace {

constexpr unsigned kThreads = 256;

// An interval of float32 that contains [low, high) and has an extent. Where coordinates are far from 0
// they are clamped: as that is monotonic, intervals that intersect still do.
struct Cover {
    float start, end;

    __device__ __forceinline__ Cover(double low, double high) {
        constexpr float kFarthest = 0x1p60F;
        constexpr float kLeast = 0x1p-60F;  // the area of two is not 0
        start = fminf(fmaxf(__double2float_rd(low), -kFarthest), kFarthest);
        end = fminf(fmaxf(__double2float_ru(high), -kFarthest), kFarthest);
        // Where clamped two steps of float32 more, so that a box that ends where another one begins intersects it.
        const float farthest = fmaxf(fabsf(start), fabsf(end));
        end = __fadd_ru(end, farthest < kFarthest ? 0.0F : farthest * 0x1p-22F);
        end = fmaxf(end, __fadd_ru(start, kLeast));
    }
};

template <typename Element>
__global__ void __launch_bounds__(kThreads)
    engine_input_kernel(const __grid_constant__ CallerNmsTask task, const __grid_constant__ EngineInput to) {
    start_kernel();
    const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
    const auto n = static_cast<std::uint32_t>(task.size);
    for (std::size_t k = i; k < to.clear.count; k += std::size_t{gridDim.x} * kThreads) to.clear.words[k] = 0;
    if (i == 0) *to.raw.count = DetectionCount{n, 0};
    if (i >= n) return;
    if (task.mask != nullptr) task.mask[i] = 0;
    const auto given = load_real(static_cast<const Element*>(task.scores), i);
    auto score = static_cast<float>(given);
    Box box;
    if (!task.rules.torchvision) {
        // As the program reads a file: sides are differences in double, then everything is rounded to float32.
        const auto* d_elements = static_cast<const Element*>(task.boxes);
        double v[4];
        for (std::uint32_t k = 0; k < 4; ++k) v[k] = static_cast<double>(load_real(d_elements, std::size_t{4} * i + k));
        if (!task.xywh) {
            v[2] -= v[0];
            v[3] -= v[1];
        }
        box = {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2]), static_cast<float>(v[3])};
        // Throng's rules order float64 scores as float32, torchvision as they are.
        if (to.order != nullptr) to.order[i] = descending_key(score);
    } else {
        const auto corners = load_caller_corners<Element>(task, i);
        to.order[i] = descending_key(given);
        // Valid for the engines; the keys order what becomes equal.
        constexpr float kMost = 3.402823466e+38F;
        score = isnan(given) ? kMost : fminf(fmaxf(score, -kMost), kMost);
        // Boxes are x1, y1, x2, y2 here.
        if constexpr (std::is_same_v<Element, double>) {
            reinterpret_cast<Corners<double>*>(to.corners)[i] = corners;
            const Cover x(corners.left, corners.right);
            const Cover y(corners.top, corners.bottom);
            box = {x.start, y.start, x.end, y.end};
        } else {
            box = {corners.left, corners.top, corners.right, corners.bottom};
        }
        if (!may_overlap(corners)) {
            // Suppresses nothing wherever it is: where few others are, and x2 < x1.
            const float x = -0x1p24F - 128.0F * static_cast<float>(i % 4096);
            const float y = 128.0F * static_cast<float>(i / 4096);
            box = {x + 64, y + 64, x, y};
        }
    }
    reinterpret_cast<float4*>(to.raw.boxes)[i] = make_float4(box.x, box.y, box.w, box.h);
    // The engines drop boxes with such scores.
    if (!isnan(task.score_threshold) && !(given > static_cast<decltype(given)>(task.score_threshold)))
        score = __int_as_float(0x7FC00000);
    to.raw.scores[i] = score;
}

// Keys of a stable sort by image; entries beyond the count come last.
__global__ void write_image_keys_kernel(CallerNmsTask task, DetectionSpan kept, std::uint64_t* d_keys,
                                        std::uint32_t* d_values) {
    start_kernel();
    const std::uint32_t k = blockIdx.x * kThreads + threadIdx.x;
    if (k >= static_cast<std::uint32_t>(task.size)) return;
    std::uint64_t key = 0xFFFFFFFFFFFFFFFFULL;
    if (k < kept.count->total) {
        const auto source = static_cast<std::size_t>(kept.source[k]);
        key = static_cast<std::uint64_t>(load_id(task.image_ids, task.ids_are_int64, source)) ^ 0x8000000000000000ULL;
    }
    d_keys[k] = key;
    d_values[k] = k;
}

template <typename Element>
__global__ void __launch_bounds__(kThreads)
    results_kernel(const __grid_constant__ CallerNmsTask task, const __grid_constant__ DetectionSpan kept,
                   const std::uint32_t* d_order) {
    start_kernel();
    const std::uint32_t k = blockIdx.x * kThreads + threadIdx.x;
    DetectionCount count = task.size > 0 ? *kept.count : DetectionCount{};
    if (task.max_output > 0) count.total = min(count.total, static_cast<std::uint32_t>(task.max_output));
    if (k < count.total) {
        const std::uint32_t at = d_order != nullptr ? d_order[k] : k;
        const std::int32_t index = kept.source[at];
        if (task.mask != nullptr) task.mask[index] = 1;
        store_kept<Element>(task, k, static_cast<std::uint32_t>(index));
        if (k < task.capacity) {
            if (task.hits != nullptr) task.hits[k] = kept.hits[at];
            const bool decayed = !task.rules.torchvision && is_soft(task.rules.params.rule);
            if (task.kept_scores != nullptr && decayed) task.kept_scores[k] = kept.scores[at];
        }
    }
    if (k == 0) store_counts(task, count.total, count.invalid);
}

}  // namespace

ImageSort::ImageSort(std::int32_t size) {
    for (auto& keys : keys_) keys = DeviceBuffer<std::uint64_t>(static_cast<std::size_t>(size));
    for (auto& values : values_) values = DeviceBuffer<std::uint32_t>(static_cast<std::size_t>(size));
    std::size_t bytes = 0;
    cub::DoubleBuffer<std::uint64_t> keys;
    cub::DoubleBuffer<std::uint32_t> values;
    check_cuda(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, size), "the memory of a sort");
    temporary_ = DeviceBuffer<std::byte>(bytes);
}

const std::uint32_t* ImageSort::launch(const CallerNmsTask& task, const DetectionSpan& kept, const LaunchChain& chain,
                                       StreamView stream) const {
    chain.launch("write_image_keys_kernel", write_image_keys_kernel, launch_size(task.size, kThreads), task, kept,
                 keys_[0].data(), values_[0].data());
    cub::DoubleBuffer<std::uint64_t> keys(keys_[0].data(), keys_[1].data());
    cub::DoubleBuffer<std::uint32_t> values(values_[0].data(), values_[1].data());
    std::size_t bytes = temporary_.size();
    check_cuda(cub::DeviceRadixSort::SortPairs(temporary_.data(), bytes, keys, values, task.size, 0, 64, stream),
               "sorting");
    return values.Current();
}

void launch_engine_input(const CallerNmsTask& task, const EngineInput& to, const LaunchChain& chain) {
    with_element(task.type, [&]<class Element>(Element) {
        chain.launch("engine_input_kernel", engine_input_kernel<Element>, launch_size(task.size, kThreads), task, to);
    });
}

void launch_results(const CallerNmsTask& task, const DetectionSpan& kept, const std::uint32_t* order,
                    const LaunchChain& chain) {
    with_element(task.type, [&]<class Element>(Element) {
        chain.launch("results_kernel", results_kernel<Element>, launch_size(task.size, kThreads), task, kept, order);
    });
}

template <typename Real>
Real least_above(double theta) {
    const auto rounded = static_cast<Real>(theta);
    if (static_cast<double>(rounded) > theta) return rounded;
    return std::nextafter(rounded, std::numeric_limits<Real>::infinity());
}
template float least_above(double theta);
template double least_above(double theta);

}  // namespace throng::gpu
