#include "gpu/caller_nms/convert.h"

#include <cuda_runtime.h>

#include <cmath>
#include <cub/device/device_radix_sort.cuh>
#include <limits>

#include "gpu/caller_nms/quick_corners.cuh"
#include "gpu/nms/pair_test.cuh"

namespace throng::gpu {
namespace {

constexpr unsigned kThreads = 256;

LaunchSize size_for(std::int32_t items) {
    return {blocks_for(items, kThreads), kThreads};
}

// Throng's rules order float64 scores as float32, torchvision as they are.
template <typename Element>
__global__ void write_keys_kernel(CallerNmsTask task, std::uint64_t* d_keys, std::uint32_t* d_values,
                                  std::uint32_t* d_farthest) {
    start_kernel();
    const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
    const bool present = i < static_cast<std::uint32_t>(task.size);
    if (present) {
        const auto score = load_real(static_cast<const Element*>(task.scores), i);
        d_keys[i] = task.rules.torchvision ? std::uint64_t{descending_key(score)}
                                           : std::uint64_t{descending_key(static_cast<float>(score))};
        d_values[i] = i;
    }
    if (d_farthest == nullptr) return;
    float farthest = 0.0F;
    if (present) {
        const auto box = load_caller_corners<Element>(task, i);
        if (may_overlap(box)) {
            farthest =
                static_cast<float>(fmax(fmax(fabs(static_cast<double>(box.x1)), fabs(static_cast<double>(box.x2))),
                                        fmax(fabs(static_cast<double>(box.y1)), fabs(static_cast<double>(box.y2)))));
        }
    }
    farthest = fold_lanes(farthest, [](float a, float b) { return fmaxf(a, b); });
    if (threadIdx.x % 32 == 0 && farthest > 0.0F) atomicMax(d_farthest, __float_as_uint(farthest));
}

__device__ __forceinline__ float round_down(float v) {
    return v;
}
__device__ __forceinline__ float round_down(double v) {
    return __double2float_rd(v);
}
__device__ __forceinline__ float round_up(float v) {
    return v;
}
__device__ __forceinline__ float round_up(double v) {
    return __double2float_ru(v);
}

// An interval of float32 that contains [low, high) + offset and has a valid extent. Where coordinates are far from 0
// they are clamped: as that is monotonic, intervals that intersect still do.
struct Cover {
    float start, extent;

    template <typename Real>
    __device__ __forceinline__ Cover(Real low, Real high, float offset) {
        constexpr float kFarthest = 0x1p60F;
        constexpr float kLeast = 0x1p-60F;
        const float first = fminf(fmaxf(round_down(low), -kFarthest), kFarthest);
        const float last = fminf(fmaxf(round_up(high), -kFarthest), kFarthest);
        start = __fadd_rd(first, offset);
        const float end = __fadd_ru(last, offset);
        // Two steps of float32 more, so that a box that ends where another one was clamped to begin intersects it.
        const float more = fmaxf(fmaxf(fabsf(start), fabsf(end)) * 0x1p-22F, kLeast);
        extent = __fadd_ru(__fsub_ru(end, start), more);
    }
};

// Boxes of different groups are moved apart, so that few are found near a box. `most` bounds the coordinates.
__device__ __forceinline__ float2 offset_of_group(const CallerNmsTask& task, std::uint32_t i, float most) {
    constexpr std::uint32_t kSide = 32;
    std::uint64_t hash = 0;
    if (task.class_ids != nullptr) hash = static_cast<std::uint64_t>(load_id(task, task.class_ids, i));
    if (task.image_ids != nullptr) hash = hash * 31 + static_cast<std::uint64_t>(load_id(task, task.image_ids, i));
    hash ^= hash >> 10;
    const float step = fminf(2.5F * most, 0x1p50F);
    return {step * static_cast<float>(hash % kSide), step * static_cast<float>(hash / kSide % kSide)};
}

// By rank if there is an order, otherwise by index.
template <typename Element>
__global__ void __launch_bounds__(kThreads)
    engine_input_kernel(const __grid_constant__ CallerNmsTask task, const __grid_constant__ EngineInput to) {
    start_kernel();
    const std::uint32_t rank = blockIdx.x * kThreads + threadIdx.x;
    const auto n = static_cast<std::uint32_t>(task.size);
    if (rank == 0) *to.raw.count = DetectionCount{n, 0};
    if (rank >= n) return;
    const std::uint32_t i = to.order != nullptr ? to.order[rank] : rank;
    if (task.mask != nullptr) task.mask[i] = 0;
    if (to.class_ids != nullptr) to.class_ids[i] = load_id(task, task.class_ids, i);
    if (to.image_ids != nullptr) to.image_ids[i] = load_id(task, task.image_ids, i);
    const float rank_score = -static_cast<float>(rank);
    const auto given = load_real(static_cast<const Element*>(task.scores), i);
    const auto score = static_cast<float>(given);
    Box box;
    if (to.corners == nullptr) {
        // As the program reads a file: sides are differences in double, then everything is rounded to float32.
        const auto* d_elements = static_cast<const Element*>(task.boxes);
        double v[4];
        for (std::uint32_t k = 0; k < 4; ++k) v[k] = static_cast<double>(load_real(d_elements, std::size_t{4} * i + k));
        if (!task.xywh) {
            v[2] -= v[0];
            v[3] -= v[1];
        }
        box = {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2]), static_cast<float>(v[3])};
        const bool has_score = isfinite(score);
        to.raw.scores[i] = to.order != nullptr && has_score ? rank_score : score;
    } else {
        const auto corners = load_caller_corners<Element>(task, i);
        static_cast<Corners<typename RealOf<Element>::type>*>(to.corners)[i] = corners;
        to.raw.scores[i] = rank_score;
        if (may_overlap(corners)) {
            float2 offset{};
            if (to.farthest != nullptr) offset = offset_of_group(task, i, __uint_as_float(*to.farthest));
            const Cover x(corners.x1, corners.x2, offset.x);
            const Cover y(corners.y1, corners.y2, offset.y);
            box = {x.start, y.start, x.extent, y.extent};
            const bool close = static_cast<double>(x.extent) <= 1.01 * static_cast<double>(corners.x2 - corners.x1) &&
                               static_cast<double>(y.extent) <= 1.01 * static_cast<double>(corners.y2 - corners.y1) &&
                               fmaxf(x.extent, y.extent) < 0x1p59F && area_of(corners) > 1e-30F;
            if (!close) *to.coarse = 1;
        } else {
            // Suppresses nothing wherever it is: few share a place.
            box = {3.0F * static_cast<float>(i % 4096), 3.0F * static_cast<float>(i / 4096), 1.0F, 1.0F};
        }
    }
    reinterpret_cast<float4*>(to.raw.boxes)[i] = make_float4(box.x, box.y, box.w, box.h);
    // The engines drop boxes with such scores.
    if (!isnan(task.score_threshold) && !(given > static_cast<decltype(given)>(task.score_threshold)))
        to.raw.scores[i] = __int_as_float(0x7FC00000);
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
        key = static_cast<std::uint64_t>(load_id(task, task.image_ids, source)) ^ 0x8000000000000000ULL;
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
        if (k < task.capacity) {
            if (task.indices != nullptr) store_number(task.indices, task.results_are_int64, k, index);
            if (task.hits != nullptr) task.hits[k] = kept.hits[at];
            if (task.kept_scores != nullptr) {
                const bool decayed = !task.rules.torchvision && is_soft(task.rules.params.rule);
                task.kept_scores[k] = decayed ? kept.scores[at]
                                              : static_cast<float>(load_real(static_cast<const Element*>(task.scores),
                                                                             static_cast<std::size_t>(index)));
            }
        }
    }
    if (k == 0) {
        if (task.invalid != nullptr) {
            store_number(task.invalid, task.results_are_int64, 0, count.invalid);
        }
        if (task.count != nullptr) store_number(task.count, task.results_are_int64, 0, count.total);
    }
}

// Sorts keys[0] and values[0]. Returns the values in order.
const std::uint32_t* sort_pairs(const SortArrays& sort, std::int32_t size, int bits, StreamView stream) {
    cub::DoubleBuffer<std::uint64_t> keys(sort.keys[0], sort.keys[1]);
    cub::DoubleBuffer<std::uint32_t> values(sort.values[0], sort.values[1]);
    std::size_t bytes = sort.temporary_bytes;
    check_cuda(cub::DeviceRadixSort::SortPairs(sort.temporary, bytes, keys, values, size, 0, bits, stream), "sorting");
    return values.Current();
}

}  // namespace

std::size_t sort_temporary_bytes(std::int32_t size) {
    std::size_t bytes = 0;
    cub::DoubleBuffer<std::uint64_t> keys;
    cub::DoubleBuffer<std::uint32_t> values;
    check_cuda(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, size), "the memory of a sort");
    return bytes;
}

const std::uint32_t* launch_rank_sort(const CallerNmsTask& task, const SortArrays& sort, std::uint32_t* farthest,
                                      const LaunchChain& chain, StreamView stream) {
    if (farthest != nullptr) check_cuda(cudaMemsetAsync(farthest, 0, sizeof *farthest, stream), "clearing a word");
    with_element(task.type, [&]<class Element>(Element) {
        chain.launch("write_keys_kernel", write_keys_kernel<Element>, size_for(task.size), task, sort.keys[0],
                     sort.values[0], farthest);
    });
    const bool wide = task.rules.torchvision && task.type == CallerType::float64;
    return sort_pairs(sort, task.size, wide ? 64 : 32, stream);
}

void launch_engine_input(const CallerNmsTask& task, const EngineInput& to, const LaunchChain& chain) {
    with_element(task.type, [&]<class Element>(Element) {
        chain.launch("engine_input_kernel", engine_input_kernel<Element>, size_for(task.size), task, to);
    });
}

const std::uint32_t* launch_image_sort(const CallerNmsTask& task, const DetectionSpan& kept, const SortArrays& sort,
                                       const LaunchChain& chain, StreamView stream) {
    chain.launch("write_image_keys_kernel", write_image_keys_kernel, size_for(task.size), task, kept, sort.keys[0],
                 sort.values[0]);
    return sort_pairs(sort, task.size, 64, stream);
}

void launch_results(const CallerNmsTask& task, const DetectionSpan& kept, const std::uint32_t* order,
                    const LaunchChain& chain) {
    with_element(task.type, [&]<class Element>(Element) {
        chain.launch("results_kernel", results_kernel<Element>, size_for(task.size), task, kept, order);
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
