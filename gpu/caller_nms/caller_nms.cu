#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cmath>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <limits>

#include "gpu/caller_nms/caller_nms.h"

namespace throng::gpu {
namespace {

constexpr int kTile = 1024;  // ranks that one resolution decides
constexpr int kWords = kTile / 64;
constexpr int kThreads = 256;

struct alignas(32) DoubleBox {
    double x1, y1, x2, y2;
};
struct alignas(16) FloatBox {
    float x1, y1, x2, y2;
};
template <typename Real>
struct BoxOf {
    using type = FloatBox;
};
template <>
struct BoxOf<double> {
    using type = DoubleBox;
};

// Work arrays by rank, in the caller's workspace.
struct Work {
    std::uint64_t* keys[2];   // double buffers of the sorts
    std::uint32_t* order[2];  // raw index of each rank
    std::byte* boxes;         // corners
    std::uint64_t* class_ids;
    std::uint64_t* image_ids;
    std::uint8_t* suppressed;    // then: 1 for a kept rank
    std::uint32_t* owner_hits;   // hits of each kept rank
    unsigned long long* matrix;  // [kTile][kWords] of the current tile
    std::uint32_t* tile_kept;    // ranks that the current tile keeps, ascending
    std::uint32_t* tile_count;
    std::uint32_t* kept;  // ranks of all kept boxes, ascending
    std::uint32_t* kept_count;
    std::byte* temporary;  // of CUB
    std::size_t temporary_bytes;
};

std::size_t aligned(std::size_t bytes) {
    return (bytes + kCallerNmsAlignment - 1) / kCallerNmsAlignment * kCallerNmsAlignment;
}

std::size_t cub_bytes(std::int32_t n) {
    std::size_t sort = 0;
    std::size_t select = 0;
    cub::DoubleBuffer<std::uint64_t> keys;
    cub::DoubleBuffer<std::uint32_t> values;
    cub::DeviceRadixSort::SortPairs(nullptr, sort, keys, values, n);
    cub::DeviceSelect::Flagged(nullptr, select, static_cast<std::uint32_t*>(nullptr),
                               static_cast<std::uint8_t*>(nullptr), static_cast<std::uint32_t*>(nullptr),
                               static_cast<std::uint32_t*>(nullptr), n);
    return sort > select ? sort : select;
}

// Lays the arrays out from `base`, which may be null. Returns the bytes.
std::size_t lay_out(std::byte* base, std::int32_t size, Work& work) {
    const auto n = static_cast<std::size_t>(size > 0 ? size : 1);
    std::size_t at = 0;
    const auto take = [&](auto*& array, std::size_t count) {
        array = base == nullptr ? nullptr : reinterpret_cast<std::remove_reference_t<decltype(array)>>(base + at);
        at += aligned(count * sizeof(*array));
    };
    take(work.keys[0], n);
    take(work.keys[1], n);
    take(work.order[0], n);
    take(work.order[1], n);
    take(work.boxes, n * sizeof(DoubleBox));
    take(work.class_ids, n);
    take(work.image_ids, n);
    take(work.suppressed, n);
    take(work.owner_hits, n);
    take(work.matrix, static_cast<std::size_t>(kTile) * kWords);
    take(work.tile_kept, kTile);
    take(work.tile_count, 1);
    take(work.kept, n);
    take(work.kept_count, 1);
    work.temporary_bytes = cub_bytes(static_cast<std::int32_t>(n));
    take(work.temporary, work.temporary_bytes);
    return at;
}

__device__ __forceinline__ float load_real(const float* d_values, std::size_t i) {
    return d_values[i];
}
__device__ __forceinline__ float load_real(const __half* d_values, std::size_t i) {
    return __half2float(d_values[i]);
}
__device__ __forceinline__ double load_real(const double* d_values, std::size_t i) {
    return d_values[i];
}

// Keys ascend as scores descend; -0 equals +0, NaN comes first.
__device__ __forceinline__ std::uint64_t key_of(float score) {
    if (isnan(score)) return 0;
    const std::uint32_t bits = __float_as_uint(score + 0.0F);
    return ~((bits >> 31) != 0 ? ~bits : bits | 0x80000000U) & 0xFFFFFFFFU;
}
__device__ __forceinline__ std::uint64_t key_of(double score) {
    if (isnan(score)) return 0;
    const auto bits = static_cast<std::uint64_t>(__double_as_longlong(score + 0.0));
    return ~((bits >> 63) != 0 ? ~bits : bits | 0x8000000000000000ULL);
}

__device__ __forceinline__ std::uint64_t load_id(const void* d_ids, bool is_int64, std::size_t i) {
    return static_cast<std::uint64_t>(is_int64 ? static_cast<const std::int64_t*>(d_ids)[i]
                                               : std::int64_t{static_cast<const std::int32_t*>(d_ids)[i]});
}

template <typename Element>
__global__ void write_keys_kernel(const Element* d_scores, std::uint64_t* d_keys, std::uint32_t* d_order, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    d_keys[i] = key_of(load_real(d_scores, static_cast<std::size_t>(i)));
    d_order[i] = static_cast<std::uint32_t>(i);
}

// Keys of the second sort, which is stable: images in ascending order as signed numbers.
__global__ void write_image_keys_kernel(const void* d_ids, bool is_int64, const std::uint32_t* d_order,
                                        std::uint64_t* d_keys, int n) {
    const int rank = blockIdx.x * blockDim.x + threadIdx.x;
    if (rank < n) d_keys[rank] = load_id(d_ids, is_int64, d_order[rank]) ^ 0x8000000000000000ULL;
}

template <typename Element, typename Box>
__global__ void gather_kernel(CallerNmsTask task, const std::uint32_t* d_order, Box* d_boxes,
                              std::uint64_t* d_class_ids, std::uint64_t* d_image_ids, std::uint8_t* d_suppressed,
                              std::uint32_t* d_hits) {
    const int rank = blockIdx.x * blockDim.x + threadIdx.x;
    if (rank >= task.size) return;
    const std::size_t index = d_order[rank];
    const auto* d_elements = static_cast<const Element*>(task.boxes);
    Box box{load_real(d_elements, 4 * index), load_real(d_elements, 4 * index + 1),
            load_real(d_elements, 4 * index + 2), load_real(d_elements, 4 * index + 3)};
    if (task.xywh) {
        box.x2 += box.x1;
        box.y2 += box.y1;
    }
    d_boxes[rank] = box;
    if (task.class_ids != nullptr) d_class_ids[rank] = load_id(task.class_ids, task.ids_are_int64, index);
    if (task.image_ids != nullptr) d_image_ids[rank] = load_id(task.image_ids, task.ids_are_int64, index);
    d_suppressed[rank] = 0;
    d_hits[rank] = 1;
}

// The ids of ranks; null if there are none.
struct Groups {
    const std::uint64_t* d_class_ids;
    const std::uint64_t* d_image_ids;

    [[nodiscard]] __device__ __forceinline__ bool same(int a, int b) const {
        return (d_class_ids == nullptr || d_class_ids[a] == d_class_ids[b]) &&
               (d_image_ids == nullptr || d_image_ids[a] == d_image_ids[b]);
    }
};

// IoU >= least, in torchvision's order of operations: i is the kept box. std::max and std::min return their first
// argument if one is NaN; the areas are NaN then, so that the result is false either way.
template <typename Box, typename Real>
__device__ __forceinline__ bool suppresses(const Box& i, const Box& j, Real least) {
    const Real left = i.x1 < j.x1 ? j.x1 : i.x1;
    const Real top = i.y1 < j.y1 ? j.y1 : i.y1;
    const Real right = j.x2 < i.x2 ? j.x2 : i.x2;
    const Real bottom = j.y2 < i.y2 ? j.y2 : i.y2;
    const Real width = right - left > 0 ? right - left : Real{0};
    const Real height = bottom - top > 0 ? bottom - top : Real{0};
    const Real common = width * height;
    const Real area_i = (i.x2 - i.x1) * (i.y2 - i.y1);
    const Real area_j = (j.x2 - j.x1) * (j.y2 - j.y1);
    return common / ((area_i + area_j) - common) >= least;
}

// One bit per pair of the tile: row i suppresses column j > i. Block (column word, row word), 64 threads.
template <typename Box, typename Real>
__global__ void pair_mask_kernel(const Box* d_boxes, Groups groups, Real least, int first, int n,
                                 unsigned long long* d_matrix) {
    if (blockIdx.x < blockIdx.y) return;  // rows after columns are never read
    __shared__ Box columns[64];
    const int column_base = first + static_cast<int>(blockIdx.x) * 64;
    const int row_in_tile = static_cast<int>(blockIdx.y) * 64 + static_cast<int>(threadIdx.x);
    const int row = first + row_in_tile;
    if (column_base + static_cast<int>(threadIdx.x) < n) columns[threadIdx.x] = d_boxes[column_base + threadIdx.x];
    __syncthreads();
    if (row >= n) return;
    const Box mine = d_boxes[row];
    unsigned long long bits = 0;
    for (int k = 0; k < 64; ++k) {
        const int column = column_base + k;
        if (column >= n) break;
        if (column > row && suppresses(mine, columns[k], least) && groups.same(row, column)) bits |= 1ULL << k;
    }
    d_matrix[static_cast<std::size_t>(row_in_tile) * kWords + blockIdx.x] = bits;
}

// Decides the tile in order: one block of kWords * 64 threads. Writes the ranks that it keeps.
__global__ void resolve_kernel(const unsigned long long* d_matrix, int first, int n, std::uint8_t* d_suppressed,
                               std::uint32_t* d_tile_kept, std::uint32_t* d_tile_count) {
    __shared__ unsigned long long removed[kWords];
    __shared__ unsigned long long kept[kWords];
    __shared__ unsigned long long diagonal[kTile];  // of each row, its own word: read one after the other below
    const int thread = static_cast<int>(threadIdx.x);
    const int size = min(kTile, n - first);
    if (thread < kWords) removed[thread] = 0;
    diagonal[thread] = thread < size ? d_matrix[static_cast<std::size_t>(thread) * kWords + thread / 64] : 0;
    __syncthreads();
    if (thread >= size) {
        atomicOr(&removed[thread / 64], 1ULL << (thread % 64));
    } else if (d_suppressed[first + thread] != 0) {
        atomicOr(&removed[thread / 64], 1ULL << (thread % 64));
    }
    __syncthreads();
    for (int word = 0; word < kWords && word * 64 < size; ++word) {
        if (thread == 0) {
            unsigned long long suppressed = removed[word];
            unsigned long long is_kept = 0;
            for (unsigned long long open = ~suppressed; open != 0; open = ~suppressed & ~is_kept) {
                const int bit = __ffsll(static_cast<long long>(open)) - 1;
                is_kept |= 1ULL << bit;
                suppressed |= diagonal[word * 64 + bit];
            }
            kept[word] = is_kept;
        }
        __syncthreads();
        // Each kept row of this word removes from the later words: thread = row * kWords + column.
        const int row = thread / kWords;
        const int column = thread % kWords;
        if (column > word && column * 64 < size && ((kept[word] >> row) & 1ULL) != 0) {
            const unsigned long long bits = d_matrix[static_cast<std::size_t>(word * 64 + row) * kWords + column];
            if (bits != 0) atomicOr(&removed[column], bits);
        }
        __syncthreads();
    }
    if (thread >= size) return;
    const int word = thread / 64;
    const bool is_kept = ((kept[word] >> (thread % 64)) & 1ULL) != 0;
    d_suppressed[first + thread] = is_kept ? 0 : 1;
    if (is_kept) {
        int before = __popcll(kept[word] & ((1ULL << (thread % 64)) - 1));
        for (int k = 0; k < word; ++k) before += __popcll(kept[k]);
        d_tile_kept[before] = static_cast<std::uint32_t>(first + thread);
    }
    if (thread == 0) {
        int total = 0;
        for (int k = 0; k * 64 < size; ++k) total += __popcll(kept[k]);
        *d_tile_count = static_cast<std::uint32_t>(total);
    }
}

// Marks what the kept boxes of a tile suppress after it. One thread per later rank.
template <typename Box, typename Real>
__global__ void suppress_by_kept_kernel(const Box* d_boxes, Groups groups, Real least, int first, int n,
                                        const std::uint32_t* d_tile_kept, const std::uint32_t* d_tile_count,
                                        std::uint8_t* d_suppressed) {
    __shared__ Box kept[kThreads];
    __shared__ std::uint32_t ranks[kThreads];
    const int rank = first + kTile + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const std::uint32_t count = *d_tile_count;
    const bool mine = rank < n && d_suppressed[rank] == 0;
    const Box box = mine ? d_boxes[rank] : Box{};
    bool done = !mine;
    for (std::uint32_t base = 0; base < count; base += kThreads) {
        if (base + threadIdx.x < count) {
            ranks[threadIdx.x] = d_tile_kept[base + threadIdx.x];
            kept[threadIdx.x] = d_boxes[ranks[threadIdx.x]];
        }
        __syncthreads();
        const auto here = static_cast<int>(min(count - base, static_cast<std::uint32_t>(kThreads)));
        for (int k = 0; k < here && !done; ++k) {
            done = suppresses(kept[k], box, least) && groups.same(static_cast<int>(ranks[k]), rank);
        }
        if (__syncthreads_and(done ? 1 : 0) != 0) break;
    }
    if (mine && done) d_suppressed[rank] = 1;
}

// Turns the flags of suppression into flags of kept ranks.
__global__ void flag_kept_kernel(std::uint8_t* d_flags, int n) {
    const int rank = blockIdx.x * blockDim.x + threadIdx.x;
    if (rank < n) d_flags[rank] = d_flags[rank] == 0 ? 1 : 0;
}

// Adds each suppressed box to the hits of the first kept one that suppresses it.
template <typename Box, typename Real>
__global__ void count_hits_kernel(const Box* d_boxes, Groups groups, Real least, int n, const std::uint8_t* d_is_kept,
                                  const std::uint32_t* d_kept, const std::uint32_t* d_kept_count,
                                  std::uint32_t* d_hits) {
    const int rank = blockIdx.x * blockDim.x + threadIdx.x;
    if (rank >= n || d_is_kept[rank] != 0) return;
    const Box box = d_boxes[rank];
    const std::uint32_t count = *d_kept_count;
    for (std::uint32_t k = 0; k < count; ++k) {
        const auto other = static_cast<int>(d_kept[k]);
        if (other >= rank) return;
        if (!groups.same(other, rank) || !suppresses(d_boxes[other], box, least)) continue;
        atomicAdd(&d_hits[other], 1U);
        return;
    }
}

__global__ void drop_few_hits_kernel(const std::uint32_t* d_hits, std::int32_t min_hits, std::uint8_t* d_is_kept,
                                     int n) {
    const int rank = blockIdx.x * blockDim.x + threadIdx.x;
    if (rank < n && d_hits[rank] < static_cast<std::uint32_t>(min_hits)) d_is_kept[rank] = 0;
}

__device__ __forceinline__ void store_number(void* d_to, bool is_int64, std::int64_t at, std::int64_t value) {
    if (is_int64) {
        static_cast<std::int64_t*>(d_to)[at] = value;
    } else {
        static_cast<std::int32_t*>(d_to)[at] = static_cast<std::int32_t>(value);
    }
}

template <typename Element>
__global__ void write_results_kernel(CallerNmsTask task, const std::uint32_t* d_order, const std::uint8_t* d_is_kept,
                                     const std::uint32_t* d_kept, const std::uint32_t* d_kept_count,
                                     const std::uint32_t* d_hits) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    const auto count = static_cast<std::int64_t>(task.size > 0 ? *d_kept_count : 0);
    if (k == 0) {
        if (task.count != nullptr) store_number(task.count, task.results_are_int64, 0, count);
        if (task.invalid != nullptr) store_number(task.invalid, task.results_are_int64, 0, 0);
    }
    if (k >= task.size) return;
    if (task.mask != nullptr) task.mask[d_order[k]] = d_is_kept[k];
    if (k >= count || k >= task.capacity) return;
    const std::uint32_t rank = d_kept[k];
    const std::uint32_t index = d_order[rank];
    if (task.indices != nullptr) store_number(task.indices, task.results_are_int64, k, index);
    if (task.hits != nullptr) task.hits[k] = static_cast<std::int32_t>(d_hits[rank]);
    if (task.kept_scores != nullptr) {
        task.kept_scores[k] = static_cast<float>(load_real(static_cast<const Element*>(task.scores), index));
    }
}

unsigned int blocks_of(std::int64_t threads) {
    return static_cast<unsigned int>((threads + kThreads - 1) / kThreads);
}

// The least Real above theta, so that IoU > theta is IoU >= the result.
template <typename Real>
Real least_above(double theta) {
    const auto rounded = static_cast<Real>(theta);
    if (static_cast<double>(rounded) > theta) return rounded;
    return std::nextafter(rounded, std::numeric_limits<Real>::infinity());
}

cudaError_t select_kept(const Work& work, const std::uint32_t* d_ranks, int n, cudaStream_t stream) {
    std::size_t bytes = work.temporary_bytes;
    return cub::DeviceSelect::Flagged(work.temporary, bytes, d_ranks, work.suppressed, work.kept, work.kept_count, n,
                                      stream);
}

__global__ void write_ranks_kernel(std::uint32_t* d_ranks, int n) {
    const int rank = blockIdx.x * blockDim.x + threadIdx.x;
    if (rank < n) d_ranks[rank] = static_cast<std::uint32_t>(rank);
}

template <typename Element, typename Real>
cudaError_t launch(const CallerNmsTask& task, Work& work, cudaStream_t stream) {
    using Box = typename BoxOf<Real>::type;
    const int n = task.size;
    const unsigned int blocks = blocks_of(n > 0 ? n : 1);
    if (n == 0) {
        write_results_kernel<Element><<<1, kThreads, 0, stream>>>(task, nullptr, nullptr, nullptr, nullptr, nullptr);
        return cudaGetLastError();
    }
    cub::DoubleBuffer<std::uint64_t> keys(work.keys[0], work.keys[1]);
    cub::DoubleBuffer<std::uint32_t> order(work.order[0], work.order[1]);
    write_keys_kernel<<<blocks, kThreads, 0, stream>>>(static_cast<const Element*>(task.scores), keys.Current(),
                                                       order.Current(), n);
    std::size_t bytes = work.temporary_bytes;
    constexpr int kKeyBits = sizeof(Real) == 8 ? 64 : 32;
    cudaError_t status = cub::DeviceRadixSort::SortPairs(work.temporary, bytes, keys, order, n, 0, kKeyBits, stream);
    if (status != cudaSuccess) return status;
    if (task.image_ids != nullptr) {
        write_image_keys_kernel<<<blocks, kThreads, 0, stream>>>(task.image_ids, task.ids_are_int64, order.Current(),
                                                                 keys.Current(), n);
        bytes = work.temporary_bytes;
        status = cub::DeviceRadixSort::SortPairs(work.temporary, bytes, keys, order, n, 0, 64, stream);
        if (status != cudaSuccess) return status;
    }
    auto* d_boxes = reinterpret_cast<Box*>(work.boxes);
    const std::uint32_t* d_order = order.Current();
    gather_kernel<Element><<<blocks, kThreads, 0, stream>>>(task, d_order, d_boxes, work.class_ids, work.image_ids,
                                                            work.suppressed, work.owner_hits);
    const Groups groups{task.class_ids != nullptr ? work.class_ids : nullptr,
                        task.image_ids != nullptr ? work.image_ids : nullptr};
    const Real least = least_above<Real>(task.theta);
    for (int first = 0; first < n; first += kTile) {
        const int words = (min(kTile, n - first) + 63) / 64;
        pair_mask_kernel<<<dim3(words, words), 64, 0, stream>>>(d_boxes, groups, least, first, n, work.matrix);
        resolve_kernel<<<1, kTile, 0, stream>>>(work.matrix, first, n, work.suppressed, work.tile_kept,
                                                work.tile_count);
        const int later = n - first - kTile;
        if (later <= 0) break;
        suppress_by_kept_kernel<<<blocks_of(later), kThreads, 0, stream>>>(
            d_boxes, groups, least, first, n, work.tile_kept, work.tile_count, work.suppressed);
    }
    flag_kept_kernel<<<blocks, kThreads, 0, stream>>>(work.suppressed, n);
    // The buffer of the order that the sort left over holds the ranks.
    std::uint32_t* d_ranks = order.Alternate();
    write_ranks_kernel<<<blocks, kThreads, 0, stream>>>(d_ranks, n);
    status = select_kept(work, d_ranks, n, stream);
    if (status != cudaSuccess) return status;
    if (task.hits != nullptr || task.min_hits > 1) {
        count_hits_kernel<<<blocks, kThreads, 0, stream>>>(d_boxes, groups, least, n, work.suppressed, work.kept,
                                                           work.kept_count, work.owner_hits);
        if (task.min_hits > 1) {
            drop_few_hits_kernel<<<blocks, kThreads, 0, stream>>>(work.owner_hits, task.min_hits, work.suppressed, n);
            status = select_kept(work, d_ranks, n, stream);
            if (status != cudaSuccess) return status;
        }
    }
    write_results_kernel<Element>
        <<<blocks, kThreads, 0, stream>>>(task, d_order, work.suppressed, work.kept, work.kept_count, work.owner_hits);
    return cudaGetLastError();
}

}  // namespace

std::size_t caller_nms_workspace(std::int32_t size) {
    Work work{};
    return lay_out(nullptr, size, work);
}

int launch_caller_nms(const CallerNmsTask& task, void* workspace, std::size_t workspace_bytes, CUstream_st* stream) {
    Work work{};
    if (lay_out(static_cast<std::byte*>(workspace), task.size, work) > workspace_bytes) return cudaErrorInvalidValue;
    switch (task.type) {
        case CallerType::float32: return launch<float, float>(task, work, stream);
        case CallerType::float16: return launch<__half, float>(task, work, stream);
        case CallerType::float64: return launch<double, double>(task, work, stream);
    }
    return cudaErrorInvalidValue;
}

}  // namespace throng::gpu
