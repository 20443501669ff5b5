#include <cuda_runtime.h>

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "gpu/nms/pair_test.cuh"
#include "gpu/nms/paper_nms.h"
#include "gpu/runtime/array_layout.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

constexpr int kTile = 16;  // MapKernel: 16 by 16 pairs a block
constexpr int kThreads = 256;
constexpr std::int32_t kMaxThreads = 1024;

__device__ Candidate candidate(const DetectionSpan& raw, std::uint32_t i) {
    return {load_box(raw.boxes, i), raw.scores[i], i};
}

// A thread has one pair (i, j) of D. Threads beyond the count leave the 1 that the fill wrote: the paper's test
// z_j != 0. Instead of s_i < s_j, rules.ties says whether j may suppress i; instead of the side z of square windows,
// boxes have width and height; and pairs may have other rules than the overlap.
// rules: not a copy, which each thread would write to its stack for the calls of rare pair rules.
__global__ void MapKernel(std::uint8_t* B, const __grid_constant__ DetectionSpan D, std::int32_t D_max,
                          const __grid_constant__ NmsRuleSet rules) {
    const std::uint32_t i = blockIdx.y * kTile + threadIdx.y;
    const std::uint32_t j = blockIdx.x * kTile + threadIdx.x;
    const std::uint32_t n = stored_count(D);
    if (i >= n || j >= n || i == j) return;
    const Candidate d_i = candidate(D, i);
    const Candidate d_j = candidate(D, j);
    if (!is_valid_detection(d_i.box, d_i.score) || !is_valid_detection(d_j.box, d_j.score)) return;
    if (!precedes(d_j, d_i) || !may_suppress(rules.ties, d_i.score, d_j.score)) return;
    const float area_i = box_area(d_i.box, rules.extent);
    const float area_j = box_area(d_j.box, rules.extent);

    const float left = fmaxf(d_i.box.x, d_j.box.x), right = fminf(d_i.box.x + d_i.box.w, d_j.box.x + d_j.box.w);
    const float top = fmaxf(d_i.box.y, d_j.box.y), bottom = fminf(d_i.box.y + d_i.box.h, d_j.box.y + d_j.box.h);
    const float w = fmaxf(0.0F, (right - left) + rules.extent);
    const float h = fmaxf(0.0F, (bottom - top) + rules.extent);
    const float overlap = overlap_ratio(rules.overlap, w * h, area_i, area_j);  // the paper's: w h / area of d_j
    bool b_ij = overlap < rules.theta;
    if (rules.pair != PairRule::overlap) b_ij = !suppresses_with(rules, D, w * h, area_i, i, area_j, j);
    if (!b_ij) B[static_cast<std::size_t>(i) * D_max + j] = 0;  // B_ij <- b_ij: it is 1 before
}

// Block i has the row B_i: V_i <- AND of B_ij for all j, D_max / k of them a step, as many as the block has threads.
__global__ void ReduceKernel(std::uint8_t* V, const std::uint8_t* B, std::int32_t D_max, std::int32_t k) {
    const std::uint32_t i = blockIdx.x;
    const std::uint8_t* B_i = B + static_cast<std::size_t>(i) * D_max;
    int v = 1;
    for (std::int32_t step = 0; step < k; ++step) v = __syncthreads_and(v && B_i[blockDim.x * step + threadIdx.x]);
    if (threadIdx.x == 0) V[i] = static_cast<std::uint8_t>(v);
}

// A warp a detection: its first kept suppressor gets the hit.
__global__ void __launch_bounds__(kThreads) count_hits_kernel(PaperNmsScratch scratch, NmsTask task) {
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t i = (blockIdx.x * kThreads + threadIdx.x) / 32;
    const std::uint32_t n = stored_count(task.raw);
    if (i >= n) return;
    const Candidate mine = candidate(task.raw, i);
    const bool valid = is_valid_detection(mine.box, mine.score);
    std::int32_t owner = valid && scratch.V[i] != 0 ? static_cast<std::int32_t>(i) : -1;
    if (valid && owner < 0) {
        const std::uint8_t* row = scratch.B + static_cast<std::size_t>(i) * scratch.D_max;
        const auto first_of = [&](std::int32_t a, std::int32_t b) {
            const bool second = a < 0 || (b >= 0 && precedes(candidate(task.raw, b), candidate(task.raw, a)));
            return second ? b : a;
        };
        std::int32_t best = -1;
        for (std::uint32_t j = lane; j < n; j += 32) {
            if (row[j] == 0 && scratch.V[j] != 0) best = first_of(best, static_cast<std::int32_t>(j));
        }
        owner = fold_lanes(best, first_of);
    }
    if (lane == 0) {
        if (!valid) atomicAdd(&task.kept.count->invalid, 1U);
        if (owner >= 0) atomicAdd(&scratch.hits[owner], 1U);
        if (task.owner != nullptr) task.owner[i] = owner;
    }
}

// A warp a detection: the kept ones before it give its place.
__global__ void __launch_bounds__(kThreads) write_kernel(PaperNmsScratch scratch, NmsTask task, std::int32_t min_hits) {
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t i = (blockIdx.x * kThreads + threadIdx.x) / 32;
    const std::uint32_t n = stored_count(task.raw);
    if (i >= n) return;
    // Invalid detections count as not kept: they have no hits.
    const auto stays = [&](std::uint32_t k) {
        return static_cast<std::int32_t>(scratch.hits[k]) >= min_hits && scratch.V[k] != 0;
    };
    if (!stays(i)) return;
    const Candidate mine = candidate(task.raw, i);
    std::uint32_t before = 0;
    for (std::uint32_t j = lane; j < n; j += 32) {
        if (j != i && stays(j) && precedes(candidate(task.raw, j), mine)) ++before;
    }
    before = warp_sum(before);
    if (lane == 0) {
        atomicAdd(&task.kept.count->total, 1U);
        write_kept(task, before, mine.box, mine.score, static_cast<std::int32_t>(scratch.hits[i]), i);
    }
}

// Returns D_max for a capacity.
std::int32_t paper_d_max(std::int32_t capacity, std::int32_t k) {
    const std::int32_t threads = std::max((capacity + k - 1) / k, 1);
    if (threads > kMaxThreads) {
        throw Error(ErrorKind::usage,
                    "the paper's reduction takes at most " + std::to_string(kMaxThreads * k) + " detections in " +
                        std::to_string(k) + " steps",
                    Setting{"paper_k"}, {"raise k (up to 64) or use %1", Setting{"kernels", "fast"}});
    }
    return threads * k;
}

}  // namespace

PaperNms::PaperNms(std::int32_t capacity, std::int32_t k) {
    scratch_.D_max = paper_d_max(capacity, k);
    scratch_.k = k;
    const auto side = static_cast<std::size_t>(scratch_.D_max);
    memory_ = allocate_arrays([&](ArrayLayout& layout) {
        layout.take(scratch_.B, side * side);
        layout.take(scratch_.V, side);
        layout.take(scratch_.hits, side);
    });
}

void PaperNms::launch_map(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const {
    const auto side = static_cast<std::size_t>(scratch_.D_max);
    check_cuda(cudaMemsetAsync(scratch_.B, 1, side * side, stream), "filling B");
    const unsigned tiles = blocks_for(scratch_.D_max, kTile);
    MapKernel<<<dim3(tiles, tiles), dim3(kTile, kTile), 0, stream>>>(scratch_.B, task.raw, scratch_.D_max, rules);
    check_launch("MapKernel", stream);
}

void PaperNms::launch_reduce(StreamView stream) const {
    ReduceKernel<<<static_cast<unsigned>(scratch_.D_max), static_cast<unsigned>(scratch_.D_max / scratch_.k), 0,
                   stream>>>(scratch_.V, scratch_.B, scratch_.D_max, scratch_.k);
    check_launch("ReduceKernel", stream);
}

void PaperNms::launch_compact(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const {
    const auto side = static_cast<std::size_t>(scratch_.D_max);
    check_cuda(cudaMemsetAsync(scratch_.hits, 0, side * sizeof(*scratch_.hits), stream), "clearing hits");
    check_cuda(cudaMemsetAsync(task.kept.count, 0, sizeof(*task.kept.count), stream), "clearing the count");
    const unsigned blocks = blocks_for(std::int64_t{scratch_.D_max} * 32, kThreads);
    count_hits_kernel<<<blocks, kThreads, 0, stream>>>(scratch_, task);
    check_launch("count_hits_kernel", stream);
    write_kernel<<<blocks, kThreads, 0, stream>>>(scratch_, task, rules.min_hits);
    check_launch("write_kernel", stream);
}

}  // namespace throng::gpu
