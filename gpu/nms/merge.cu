#include <cuda_runtime.h>

#include "gpu/nms/merge.h"
#include "gpu/nms/pair_test.cuh"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

constexpr int kThreads = 256;

struct Work {
    std::uint32_t* cursor;       // members laid out so far
    std::uint32_t* position_of;  // [raw] 1 + position among the kept, 0 for none
    std::uint32_t* ends;         // [kept] of its members; their number is that of its hits
    std::uint32_t* members;      // [raw] by kept detection, in any order
    std::uint32_t* sorted;       // [raw] by kept detection, in order
};

// ends are the beginnings until the members are laid out.
__global__ void __launch_bounds__(kThreads) allocate_members_kernel(Work w, NmsTask task) {
    const std::uint32_t p = blockIdx.x * kThreads + threadIdx.x;
    if (p >= stored_count(task.kept)) return;
    w.position_of[task.kept.source[p]] = p + 1;
    w.ends[p] = atomicAdd(w.cursor, static_cast<std::uint32_t>(task.kept.hits[p]));
}

__global__ void __launch_bounds__(kThreads) fill_members_kernel(Work w, NmsTask task) {
    const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= stored_count(task.raw) || task.owner[i] < 0) return;
    const std::uint32_t position = w.position_of[task.owner[i]];
    if (position == 0) return;  // dropped for want of hits, or of room
    w.members[atomicAdd(&w.ends[position - 1], 1U)] = i;
}

// A warp a member: its rank among the members of the same kept detection.
__global__ void __launch_bounds__(kThreads) sort_members_kernel(Work w, NmsTask task) {
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t at = (blockIdx.x * kThreads + threadIdx.x) / 32;
    if (at >= *w.cursor) return;
    const std::uint32_t mine = w.members[at];
    const std::uint32_t p = w.position_of[task.owner[mine]] - 1;
    const std::uint32_t size = task.kept.hits[p];
    const std::uint32_t start = w.ends[p] - size;
    const Box box = load_box(task.raw.boxes, mine);
    const float score = task.raw.scores[mine];
    std::uint32_t before = 0;
    for (std::uint32_t k = lane; k < size; k += 32) {
        const std::uint32_t other = w.members[start + k];
        if (throng::precedes(load_box(task.raw.boxes, other), task.raw.scores[other], other, box, score, mine))
            ++before;
    }
    before = warp_sum(before);
    if (lane == 0) w.sorted[start + before] = mine;
}

__global__ void __launch_bounds__(kThreads) sum_members_kernel(Work w, NmsTask task, Merge kind) {
    const std::uint32_t p = blockIdx.x * kThreads + threadIdx.x;
    if (p >= stored_count(task.kept)) return;
    const std::uint32_t size = task.kept.hits[p];
    if (size <= 1) return;  // a lone detection keeps its box to the last bit
    const std::uint32_t* members = w.sorted + (w.ends[p] - size);
    const bool weighs =
        kind == Merge::weighted && scores_can_weigh(task.raw.scores[members[0]], task.raw.scores[members[size - 1]]);
    BoxSum sum;
    for (std::uint32_t k = 0; k < size; ++k) {
        add_member(sum, load_box(task.raw.boxes, members[k]),
                   weighs ? static_cast<double>(task.raw.scores[members[k]]) : 1.0);
    }
    store_box(task.kept.boxes, p, mean_box(sum));
}

}  // namespace

MergeBoxes::MergeBoxes(std::int32_t raw_capacity, std::int32_t kept_capacity)
    : raw_capacity_(static_cast<std::size_t>(raw_capacity)),
      kept_capacity_(static_cast<std::size_t>(kept_capacity)),
      cleared_(1 + raw_capacity_),
      lists_(kept_capacity_ + 2 * raw_capacity_) {}

void MergeBoxes::launch(const NmsTask& task, Merge kind, StreamView stream) const {
    std::uint32_t* const members = lists_.data() + kept_capacity_;
    const Work w{cleared_.data(), cleared_.data() + 1, lists_.data(), members, members + raw_capacity_};
    if (raw_capacity_ == 0 || kept_capacity_ == 0) return;
    fill_bytes(cleared_, 0, stream);
    const auto raw = static_cast<std::int64_t>(raw_capacity_);
    const auto kept = static_cast<std::int64_t>(kept_capacity_);
    const LaunchChain chain(stream, false);
    chain.launch("allocate_members_kernel", allocate_members_kernel, launch_size(kept, kThreads), w, task);
    chain.launch("fill_members_kernel", fill_members_kernel, launch_size(raw, kThreads), w, task);
    chain.launch("sort_members_kernel", sort_members_kernel, launch_size(raw * 32, kThreads), w, task);
    chain.launch("sum_members_kernel", sum_members_kernel, launch_size(kept, kThreads), w, task, kind);
}

}  // namespace throng::gpu
