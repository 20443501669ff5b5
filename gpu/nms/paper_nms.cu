#include <cuda_runtime.h>

#include <string>

#include "core/base/error.h"
#include "gpu/nms/pair_test.cuh"
#include "gpu/nms/paper_nms.h"

namespace throng::gpu {
namespace {

constexpr int kTile = 16;  // MapKernel: 16 by 16 pairs a block
constexpr int kThreads = 256;
constexpr std::int32_t kMaxThreads = 1024;

__device__ Candidate candidate(const DetectionSpan& raw, std::uint32_t i) {
    return {load_box(raw.boxes, i), raw.scores[i], i};
}

// B_ij <- 0 where j suppresses i. Threads beyond the count leave the 1 that the fill wrote.
__global__ void map_kernel(PaperNmsScratch scratch, NmsTask task, NmsRuleSet rules) {
    const std::uint32_t j = blockIdx.x * kTile + threadIdx.x;
    const std::uint32_t i = blockIdx.y * kTile + threadIdx.y;
    const std::uint32_t n = stored_count(task.raw);
    if (i >= n || j >= n) return;
    const Candidate mine = candidate(task.raw, i);
    const Candidate other = candidate(task.raw, j);
    if (!is_valid_detection(mine.box, mine.score) || !is_valid_detection(other.box, other.score)) return;
    if (i != j && precedes(other, mine) && suppresses<PairPath::any>(rules, task.raw, mine, other)) {
        scratch.matrix[static_cast<std::size_t>(i) * scratch.d_max + j] = 0;
    }
}

__global__ void reduce_kernel(PaperNmsScratch scratch, std::int32_t k) {
    const std::uint8_t* row = scratch.matrix + static_cast<std::size_t>(blockIdx.x) * scratch.d_max;
    int all = 1;
    for (std::int32_t step = 0; step < k; ++step) {
        all = __syncthreads_and(
            all && row[static_cast<std::int32_t>(blockDim.x) * step + static_cast<std::int32_t>(threadIdx.x)]);
    }
    if (threadIdx.x == 0) scratch.vector[blockIdx.x] = static_cast<std::uint8_t>(all);
}

// A warp a detection: its first kept suppressor gets the hit.
__global__ void __launch_bounds__(kThreads)
    count_hits_kernel(PaperNmsScratch scratch, NmsTask task, std::uint32_t* d_hits) {
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t i = (blockIdx.x * kThreads + threadIdx.x) / 32;
    const std::uint32_t n = stored_count(task.raw);
    if (i >= n) return;
    const Candidate mine = candidate(task.raw, i);
    const bool valid = is_valid_detection(mine.box, mine.score);
    std::int32_t owner = valid && scratch.vector[i] != 0 ? static_cast<std::int32_t>(i) : -1;
    if (valid && owner < 0) {
        const std::uint8_t* row = scratch.matrix + static_cast<std::size_t>(i) * scratch.d_max;
        std::int32_t best = -1;
        for (std::uint32_t j = lane; j < n; j += 32) {
            if (row[j] == 0 && scratch.vector[j] != 0 &&
                (best < 0 || precedes(candidate(task.raw, j), candidate(task.raw, best)))) {
                best = static_cast<std::int32_t>(j);
            }
        }
        for (int step = 16; step > 0; step /= 2) {
            const std::int32_t other = __shfl_xor_sync(kWholeWarp, best, step);
            if (other >= 0 && (best < 0 || precedes(candidate(task.raw, other), candidate(task.raw, best))))
                best = other;
        }
        owner = best;
    }
    if (lane == 0) {
        if (!valid) atomicAdd(&task.kept.count->invalid, 1U);
        if (owner >= 0) atomicAdd(&d_hits[owner], 1U);
        if (task.owner != nullptr) task.owner[i] = owner;
    }
}

// A warp a detection: the kept ones before it give its place.
__global__ void __launch_bounds__(kThreads)
    write_kernel(PaperNmsScratch scratch, NmsTask task, std::int32_t min_hits, const std::uint32_t* d_hits) {
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t i = (blockIdx.x * kThreads + threadIdx.x) / 32;
    const std::uint32_t n = stored_count(task.raw);
    if (i >= n) return;
    // Invalid detections count as not kept: they have no hits.
    const auto stays = [&](std::uint32_t k) {
        return static_cast<std::int32_t>(d_hits[k]) >= min_hits && scratch.vector[k] != 0;
    };
    if (!stays(i)) return;
    const Candidate mine = candidate(task.raw, i);
    std::uint32_t before = 0;
    for (std::uint32_t j = lane; j < n; j += 32) {
        if (j != i && stays(j) && precedes(candidate(task.raw, j), mine)) ++before;
    }
    before = [&] {
        for (int step = 16; step > 0; step /= 2) before += __shfl_xor_sync(kWholeWarp, before, step);
        return before;
    }();
    if (lane == 0) {
        atomicAdd(&task.kept.count->total, 1U);
        write_kept(task, before, mine.box, mine.score, static_cast<std::int32_t>(d_hits[i]), i);
    }
}

}  // namespace

std::int32_t paper_d_max(std::int32_t capacity, std::int32_t k) {
    const std::int32_t threads = (capacity + k - 1) / k;
    if (threads > kMaxThreads) {
        throw Error(ErrorKind::usage,
                    "the paper's reduction takes at most " + std::to_string(kMaxThreads * k) + " detections in " +
                        std::to_string(k) + " steps",
                    Setting{"paper_k"}, {"raise k (up to 64) or use %1", Setting{"kernels", "fast"}});
    }
    return threads < 1 ? k : threads * k;
}

void launch_paper_map(const PaperNmsScratch& scratch, const NmsTask& task, const NmsRuleSet& rules, StreamView stream) {
    const auto d_max = static_cast<std::size_t>(scratch.d_max);
    check_cuda(cudaMemsetAsync(scratch.matrix, 1, d_max * d_max, stream), "filling the matrix of map_kernel");
    const auto tiles = static_cast<unsigned>((scratch.d_max + kTile - 1) / kTile);
    map_kernel<<<dim3(tiles, tiles), dim3(kTile, kTile), 0, stream>>>(scratch, task, rules);
    check_launch("map_kernel", stream);
}

void launch_paper_reduce(const PaperNmsScratch& scratch, std::int32_t k, StreamView stream) {
    reduce_kernel<<<static_cast<unsigned>(scratch.d_max), static_cast<unsigned>(scratch.d_max / k), 0, stream>>>(
        scratch, k);
    check_launch("reduce_kernel", stream);
}

void launch_paper_compact(const PaperNmsScratch& scratch, const NmsTask& task, const NmsRuleSet& rules,
                          std::uint32_t* d_hits, StreamView stream) {
    const auto d_max = static_cast<std::size_t>(scratch.d_max);
    check_cuda(cudaMemsetAsync(d_hits, 0, d_max * sizeof(*d_hits), stream), "clearing hits");
    check_cuda(cudaMemsetAsync(task.kept.count, 0, sizeof(*task.kept.count), stream), "clearing the count");
    const auto blocks = static_cast<unsigned>((d_max * 32 + kThreads - 1) / kThreads);
    count_hits_kernel<<<blocks, kThreads, 0, stream>>>(scratch, task, d_hits);
    check_launch("count_hits_kernel", stream);
    write_kernel<<<blocks, kThreads, 0, stream>>>(scratch, task, rules.min_hits, d_hits);
    check_launch("write_kernel", stream);
}

}  // namespace throng::gpu
