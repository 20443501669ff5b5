#include "gpu/nms/tiny_nms.h"

#include <cuda_runtime.h>

#include "gpu/nms/chained.h"
#include "gpu/nms/copy_optional_fields.cuh"
#include "gpu/nms/pair_columns.cuh"
#include "gpu/nms/pair_entry.cuh"
#include "gpu/nms/thread_cluster.cuh"

// As many blocks as the detections fill words of 32 bits. Each block has all of them in shared memory, a thread for
// each, and finds who suppresses the 32 of its own word: a lane has one of these, a warp goes along 32 others. The bits
// go to all blocks. After that, which is the only time that they wait for each other, each block does the rest alone
// and alike: a thread has the row of a detection in registers, knows at once whether anybody suppresses it, and decides
// with the others, in rounds. Each block writes what becomes of its own 32.
// Few instructions one after the other matter here, not how many there are in all: what another block knows already is
// computed again rather than waited for.
namespace throng::gpu {
namespace {

constexpr std::uint32_t kWords = 8;  // blocks, and warps of a block
constexpr std::uint32_t kMost = kWords * 32;

// What a launch is told, beside task and rules.
struct Shape {
    PairPlan plan;
    bool optional_fields;  // that are copied
};

struct Shared {
    float4 edges[kMost];  // as in PairColumns, these two
    float2 more[kMost];
    uint4 half_edges[kMost / 2];  // as in PairHalves, these two
    std::uint32_t half_score[kMost / 2];
    std::uint32_t matrix[kWords][kMost];  // [word][i] bit j: detection 32 word + j suppresses i
    std::uint32_t valid[kWords];          // bits by index
    std::uint32_t kept[2][kWords];        // of a round and of the next
    std::uint32_t open[2][kWords];        // neither kept nor suppressed by a kept one
    float kept_score[kMost + 4];          // in the order of indices
    std::uint32_t kept_index[kMost];
    std::uint32_t place[kMost];    // of a kept one in the output, by index
    std::uint32_t placed[kMost];   // index by place
    std::uint32_t hits[kMost];     // by place
    std::uint32_t stays[kWords];   // bits by place: has enough hits
    ThreadCluster::Arrivals rows;  // of the matrix
};

struct Words {
    std::uint32_t word[kWords];

    __device__ explicit Words(const std::uint32_t* from) {
#pragma unroll
        for (std::uint32_t k = 0; k < kWords; k += 4) {
            const uint4 v = *reinterpret_cast<const uint4*>(from + k);
            word[k] = v.x;
            word[k + 1] = v.y;
            word[k + 2] = v.z;
            word[k + 3] = v.w;
        }
    }
};

// Greedy, for all threads: in rounds, a kept suppressor decides, an open one defers. Returns which of the two buffers
// has the kept bits.
__device__ __forceinline__ std::uint32_t decide(Shared& s, const std::uint32_t (&row)[kWords], bool open) {
    const std::uint32_t warp = threadIdx.x / 32;
    std::uint32_t now = 0;
#pragma unroll 1
    while (true) {
        bool keep = false;
        if (__any_sync(kWholeWarp, open)) {
            const Words kept(s.kept[now]);
            const Words others(s.open[now]);
            std::uint32_t by_kept = 0;
            std::uint32_t by_open = 0;
#pragma unroll
            for (std::uint32_t k = 0; k < kWords; ++k) {
                by_kept |= row[k] & kept.word[k];
                by_open |= row[k] & others.word[k];
            }
            keep = open && (by_kept | by_open) == 0;
            open = open && by_kept == 0 && by_open != 0;
        }
        const std::uint32_t kept = __ballot_sync(kWholeWarp, keep);
        const std::uint32_t left = __ballot_sync(kWholeWarp, open);
        if (threadIdx.x % 32 == 0) {
            s.kept[now ^ 1][warp] = s.kept[now][warp] | kept;
            s.open[now ^ 1][warp] = left;
        }
        now ^= 1;
        if (__syncthreads_or(open ? 1 : 0) == 0) return now;
    }
}

// Of the kept ones, those of the same score that precede i. Out of line: rare.
__device__ __noinline__ std::uint32_t ahead_at_its_score(const Shared& s, const Box* d_boxes, std::uint32_t i,
                                                         float score, std::uint32_t count) {
    std::uint32_t ahead = 0;
    for (std::uint32_t q = 0; q < count; ++q) {
        const std::uint32_t other = s.kept_index[q];
        if (s.kept_score[q] == score && other != i && precedes_at_equal_scores(d_boxes, score, other, i)) ++ahead;
    }
    return ahead;
}

// The number of kept ones that precede i, which is one of them.
__device__ __forceinline__ std::uint32_t place_of(const Shared& s, const Box* d_boxes, std::uint32_t i, float score,
                                                  std::uint32_t count) {
    std::uint32_t ahead = 0;
    std::uint32_t equal = 0;
#pragma unroll 2
    for (std::uint32_t q = 0; q < count; q += 4) {
        const float4 four = *reinterpret_cast<const float4*>(s.kept_score + q);
        const float other[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (other[k] > score) ++ahead;
            if (other[k] == score) ++equal;
        }
    }
    return equal > 1 ? ahead + ahead_at_its_score(s, d_boxes, i, score, count) : ahead;
}

__global__ void __launch_bounds__(kMost, 1)
    tiny_nms_kernel(const __grid_constant__ NmsTask task, const __grid_constant__ NmsRuleSet rules,
                    const __grid_constant__ Shape shape) {
    __shared__ Shared s;
    const ThreadCluster cluster = ThreadCluster::here();
    const std::uint32_t i = threadIdx.x;
    const std::uint32_t lane = i % 32;
    const std::uint32_t warp = i / 32;
    const DetectionSpan& raw = task.raw;
    const PairRules pairs{rules, raw, shape.plan};
    s.hits[i] = 0;
    if (i == 0) cluster.set_up(&s.rows);
    cluster.arrive();

    wait_for_previous();
    let_next_start();
    // Before their number is known.
    const bool there = i < static_cast<std::uint32_t>(raw.capacity);
    const float4 box = there ? reinterpret_cast<const float4*>(raw.boxes)[i] : float4{};
    const float score = there ? raw.scores[i] : 0.0F;
    const std::uint32_t n = stored_count(raw);
    const Entry entry = i < n ? make_entry(rules, box, score, i) : no_entry();
    const PairColumns columns{s.edges, s.more};
    const PairHalves halves{s.half_edges, s.half_score};
    columns.store(i, entry, shape.plan.plain);
    halves.store(i, entry.edges);
    halves.store_score(i, entry.score);
    const std::uint32_t valid = __ballot_sync(kWholeWarp, entry.valid());
    if (lane == 0) s.valid[warp] = valid;
    __syncthreads();
    if (i == 0) cluster.expect(&s.rows, sizeof(s.matrix));

    const std::uint32_t own = cluster.rank * 32 + lane;
    const Entry mine = columns.load(own, own);
    const std::uint32_t others = warp * 32;
    const std::uint32_t found = shape.plan.plain ? suppressors_of<true>(columns, halves, pairs, mine, others, others)
                                                 : suppressors_of<false>(columns, halves, pairs, mine, others, others);
    cluster.wait();  // all blocks are there
#pragma unroll
    for (std::uint32_t block = 0; block < kWords; ++block) cluster.send(block, &s.matrix[warp][own], found, &s.rows);
    cluster.wait_for(&s.rows);

    std::uint32_t row[kWords];
    std::uint32_t any = 0;
#pragma unroll
    for (std::uint32_t k = 0; k < kWords; ++k) {
        row[k] = s.matrix[k][i];
        any |= row[k];
    }
    const bool free = entry.valid() && any == 0;
    const std::uint32_t free_bits = __ballot_sync(kWholeWarp, free);
    if (lane == 0) {
        s.kept[0][warp] = free_bits;
        s.open[0][warp] = valid & ~free_bits;
    }
    __syncthreads();
    const std::uint32_t now = rules.rule == NmsRule::greedy ? decide(s, row, entry.valid() && !free) : 0;

    // The kept ones in the order of indices, then their places.
    const std::uint32_t* kept_bits = s.kept[now];
    const std::uint32_t bits = kept_bits[warp];
    const bool kept = (bits >> lane & 1U) != 0;
    const std::uint32_t each = lane < kWords ? __popc(kept_bits[lane]) : 0;
    const std::uint32_t count = warp_sum(each);
    const std::uint32_t number = warp_sum(lane < warp ? each : 0) + __popc(bits & ((1U << lane) - 1));
    if (kept) {
        s.kept_score[number] = score;
        s.kept_index[number] = i;
    }
    if (i < 4) s.kept_score[count + i] = -INFINITY;  // so that four can be looked at together
    __syncthreads();
    std::uint32_t place = 0;
    if (kept) {
        place = place_of(s, raw.boxes, i, score, count);
        s.place[i] = place;
        s.placed[place] = i;
    }
    __syncthreads();

    // Who is not kept belongs to the first kept one that suppresses it.
    std::uint32_t owner = kept ? place : kNone;
    if (!kept) {
        const Words words(kept_bits);
        std::uint32_t by = 0;  // words with such, a bit each
#pragma unroll
        for (std::uint32_t k = 0; k < kWords; ++k) by |= (row[k] & words.word[k]) != 0 ? 1U << k : 0;
#pragma unroll 1
        for (; by != 0; by &= by - 1) {
            const std::uint32_t k = __ffs(static_cast<int>(by)) - 1;
            for (std::uint32_t some = s.matrix[k][i] & kept_bits[k]; some != 0; some &= some - 1)
                owner = min(owner, s.place[k * 32 + __ffs(static_cast<int>(some)) - 1]);
        }
    }
    if (owner != kNone) atomicAdd(s.hits + owner, 1U);
    const bool writes = warp == cluster.rank;
    if (writes && i < n && task.owner != nullptr)
        task.owner[i] = owner != kNone ? static_cast<std::int32_t>(s.placed[owner]) : -1;
    __syncthreads();
    if (rules.min_hits > 1) {
        const bool enough = i < count && static_cast<std::int32_t>(s.hits[i]) >= rules.min_hits;
        const std::uint32_t votes = __ballot_sync(kWholeWarp, enough);
        if (lane == 0) s.stays[warp] = votes;
        __syncthreads();
    }
    if (!writes) return;
    const std::int32_t hits = kept ? static_cast<std::int32_t>(s.hits[place]) : 0;
    bool stays = kept;
    std::uint32_t stored = count;
    if (rules.min_hits > 1) {
        stays = hits >= rules.min_hits;
        std::uint32_t before = 0;
        stored = 0;
        for (std::uint32_t k = 0; k < kWords; ++k) {
            const std::uint32_t below = k < place / 32 ? kWholeWarp : k == place / 32 ? (1U << place % 32) - 1 : 0;
            before += __popc(s.stays[k] & below);
            stored += __popc(s.stays[k]);
        }
        place = before;
    }
    if (stays && place < static_cast<std::uint32_t>(task.kept.capacity)) {
        reinterpret_cast<float4*>(task.kept.boxes)[place] = box;
        task.kept.scores[place] = score;
        task.kept.hits[place] = hits;
        task.kept.source[place] = static_cast<std::int32_t>(i);
        if (shape.optional_fields) copy_optional_fields(task, place, i, 0, 1);
    }
    if (i != 0) return;
    std::uint32_t all = 0;
    for (const std::uint32_t word : s.valid) all += __popc(word);
    *task.kept.count = DetectionCount{stored, n - all};
}

}  // namespace

std::int32_t tiny_nms_limit(const DeviceInfo& device) {
    return device.has_clusters() && device.has_dependent_launch() ? static_cast<std::int32_t>(kMost) : 0;
}

void launch_tiny_nms(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) {
    const Shape shape{make_pair_plan(rules), has_optional_fields(task.kept)};
    cudaLaunchAttribute attributes[2]{};
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim = {kWords, 1, 1};
    attributes[1] = LaunchChain::early_start();
    launch_kernel("tiny_nms_kernel", tiny_nms_kernel, {dim3(kWords), kMost}, attributes, 2, stream, task, rules, shape);
}

}  // namespace throng::gpu
