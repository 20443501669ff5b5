// The search for all that suppress the detections.
#pragma once

#include "gpu/nms/shared_address.cuh"
#include "gpu/nms/suppressors.cuh"

namespace throng::gpu {

// The stretches of records that a lane looks up, a few rows at a time: the lanes share out levels, and what there is of
// each. Few need more than one look, so what is not computed anew for each is kept small.
template <int kLanes>
class StretchSource {
    static constexpr std::uint32_t kLevels = 4;                                        // as many as most look at
    static constexpr std::uint32_t kShares = kLanes > kLevels ? kLanes / kLevels : 1;  // of a level

public:
    static constexpr std::uint32_t kRows = 2;  // as many as most have on a level

    __device__ __forceinline__ explicit StretchSource(std::uint32_t lane)
        : level_(static_cast<int>(lane % kLevels)), share_(lane / kLevels), unit_(share_) {}

    // All loads in a row. Stretches may be empty. Returns whether there may be more.
    [[nodiscard]] __device__ __forceinline__ bool next(const BoxGrid& g, const SearchPlan& plan,
                                                       const Surroundings& around, bool active,
                                                       Stretch (&stretches)[kRows]) {
        constexpr std::uint32_t kSegment = BoxGrid::kSegment;
        const int level = around.lowest + level_;
        NearCells near;
        if (active && level <= around.highest) near = around.on(level, g, plan);
        // A unit is a piece of some rows.
        const std::uint32_t pieces = near.pieces();
        const std::uint32_t rows = pieces <= 1 ? unit_ : unit_ / pieces;
        const std::uint32_t piece = near.column / kSegment + (unit_ - rows * pieces);
        const std::uint32_t from = max(near.column, piece * kSegment);
        const std::uint32_t last = min(near.column + near.across, (piece + 1) * kSegment) - 1;
#pragma unroll
        for (std::uint32_t k = 0; k < kRows; ++k) {
            stretches[k] = Stretch{};
            if (rows * kRows + k >= near.down) continue;
            const std::uint32_t row = ((near.row + rows * kRows + k) & (g.rows - 1)) * g.columns;
            stretches[k].first = g.cells[row + (from & (g.columns - 1))].first;
            stretches[k].last = g.cells[row + (last & (g.columns - 1))].last;
        }
        unit_ += kShares;
        if (unit_ >= (near.down + kRows - 1) / kRows * pieces) {
            unit_ = share_;
            level_ += kLevels;
        }
        return active && around.lowest + level_ <= around.highest;
    }

private:
    int level_;  // above the lowest
    std::uint32_t share_;
    std::uint32_t unit_;  // of the level
};

// One that suppresses a detection.
struct Suppressor {
    std::uint32_t record;
    float score;
};

// Finds all that suppress the detections of a warp, kLanes lanes for each. The lanes of a group share out the levels;
// the stretches that they find are put into shared memory, and gone along as if they were one.
template <PairPath path, int kLanes>
class SuppressorSearch {
    static constexpr std::uint32_t kRows = StretchSource<kLanes>::kRows;

public:
    static constexpr std::uint32_t kInWarp = 32 / kLanes;
    struct Board {  // of a warp
        Stretch stretches[kInWarp][kRows * kLanes + 1];
        Suppressor found[kInWarp][SuppressorLists::kRoom];  // in any order, some perhaps twice
    };

    __device__ __forceinline__ SuppressorSearch(const BoxGrid& grid, const SearchPlan& plan, const NmsRuleSet& rules,
                                                const QuickRule& quick, const DetectionSpan& raw,
                                                const SuppressorLists& lists, Board& board, TestCounter& counter)
        : g_(grid),
          plan_(plan),
          rules_(rules),
          quick_(quick),
          raw_(raw),
          lists_(lists),
          counter_(counter),
          stretches_(held_address(board.stretches[group_.number])),
          found_(held_address(board.found[group_.number])) {
        lane_ = 1U << (threadIdx.x & 31);
        before_ = group_.mask() & (lane_ - 1);
    }

    // For whole warps. Lists those of record r, which is `mine`; the result is the same on all lanes of the group.
    [[nodiscard]] __device__ __forceinline__ SuppressorHead run(bool active, std::uint32_t r, const GridRecord& mine) {
        const QuickTest quick(quick_, plan_, mine.area);
        std::uint32_t count = 0;
        StretchSource<kLanes> source(group_.lane);
        bool more = true;
        for (bool first = true; more; first = false) {
            Stretch stretches[kRows];
            // Computed anew each time, for few need a second, and all would hold it in registers.
            GridRecord box = mine;
            compute_now(box.left);
            compute_now(box.top);
            const Surroundings around(g_, plan_, box, rules_.extent);
            more = source.next(g_, plan_, around, active && plan_.all == 0, stretches);
            if constexpr (path == PairPath::any) {
                if (first && active && group_.lane == 0 && plan_.all != 0) stretches[0] = {0, plan_.all};
            }
            more = __any_sync(kWholeWarp, more);
            put_down(stretches);
            __syncwarp();
            // A record is loaded while the one before it is tested.
            Walk walk{stretches_, group_.lane, 0};
            Candidate one = load_next(walk);
            while (__any_sync(kWholeWarp, one.at < kBehind)) {
                const Candidate other = load_next(walk);
                look_at(one, quick, r, mine, count);
                one = load_next(walk);
                look_at(other, quick, r, mine, count);
            }
            __syncwarp();
        }
        return put_away(r, count);
    }

private:
    // Brings the list of a group into device memory, and finds the first of it.
    [[nodiscard]] __device__ __forceinline__ SuppressorHead put_away(std::uint32_t r, std::uint32_t count) const {
        const auto index_of = [&](std::uint32_t record) { return g_.records[record].index; };
        std::uint32_t* const entries = lists_.entries + std::size_t{r} * SuppressorLists::kRoom;
        Choice mine;
        mine.score = -INFINITY;
#pragma unroll 1
        for (std::uint32_t at = group_.lane; at < min(count, SuppressorLists::kRoom); at += kLanes) {
            const Suppressor it = load_suppressor(found_ + at * static_cast<std::uint32_t>(sizeof(Suppressor)));
            entries[at] = it.record;
            if (it.score < mine.score) continue;
            if (it.score == mine.score &&
                !precedes_at_equal_scores(raw_.boxes, it.score, index_of(it.record), index_of(mine.record)))
                continue;
            mine.record = it.record;
            mine.score = it.score;
        }
        __syncwarp();
        float top = mine.score;
#pragma unroll
        for (int step = kLanes / 2; step > 0; step /= 2) top = fmaxf(top, __shfl_xor_sync(kWholeWarp, top, step));
        const bool holds = mine.record != kNone && mine.score == top;
        const std::uint32_t holders = __ballot_sync(kWholeWarp, holds) & group_.mask();
        const int lane = max(__ffs(static_cast<int>(holders)) - 1, 0);
        std::uint32_t first = __shfl_sync(kWholeWarp, mine.record, lane);
        if (__any_sync(kWholeWarp, (holders & (holders - 1)) != 0)) {  // rare
            if (mine.record != kNone) mine.index = index_of(mine.record);
            __syncwarp();
            first = first_of_group<kLanes>(raw_, mine).record;
        }
        if (count == 0) first = kNone;
        return {count > SuppressorLists::kRoom ? r : first, count};
    }

    static constexpr std::uint32_t kBehind = 1U << 31;  // no record has such a number

    __device__ __forceinline__ void put_down(const Stretch (&stretches)[kRows]) const {
        std::uint32_t end = stretches_;
#pragma unroll
        for (std::uint32_t k = 0; k < kRows; ++k) {
            const bool some = stretches[k].first < stretches[k].last;
            const std::uint32_t votes = __ballot_sync(kWholeWarp, some);
            if (some)
                store_pair(end + __popc(votes & before_) * sizeof(Stretch), stretches[k].first, stretches[k].last);
            end += __popc(votes & group_.mask()) * sizeof(Stretch);
            counter_.tests += some ? stretches[k].last - stretches[k].first : 0;
        }
        if (group_.lane == 0) store_pair(end, kBehind, kWholeWarp);
    }

    // Where a lane is among the stretches: it has every kLanes-th record.
    struct Walk {
        std::uint32_t next;  // stretch: its address
        std::uint32_t at;
        std::uint32_t last;
    };
    struct Candidate {
        std::uint32_t at;  // from kBehind on: none
        float4 edges;
        float score;  // below all others where there is none
        float area;
    };
    __device__ __forceinline__ Candidate load_next(Walk& walk) const {
        while (walk.at >= walk.last) {
            const Stretch s = load_stretch(walk.next);
            walk.next += sizeof(Stretch);
            walk.at = s.first + (walk.at - walk.last);
            walk.last = s.last;
        }
        Candidate c;
        c.at = walk.at;
        asm volatile(
            "{\n\t.reg .pred there;\n\tsetp.lt.u32 there, %7, %8;\n\t"
            "mov.f32 %4, 0fFF800000;\n\t"
            "@there ld.global.v4.f32 {%0, %1, %2, %3}, [%6];\n\t"
            "@there ld.global.v2.f32 {%4, %5}, [%6 + 16];\n\t}"
            : "=f"(c.edges.x), "=f"(c.edges.y), "=f"(c.edges.z), "=f"(c.edges.w), "=f"(c.score), "=f"(c.area)
            : "l"(g_.records + c.at), "r"(c.at), "n"(kBehind));
        walk.at += kLanes;
        return c;
    }

    // All lanes meet here, to share out places in the list.
    __device__ __forceinline__ void look_at(const Candidate& c, const QuickTest& quick, std::uint32_t r,
                                            const GridRecord& mine, std::uint32_t& count) {
        Votes votes;
        if constexpr (path == PairPath::plain) {
            const float width = (fminf(mine.right, c.edges.z) - fmaxf(mine.left, c.edges.x)) + rules_.extent;
            const float height = (fminf(mine.bottom, c.edges.w) - fmaxf(mine.top, c.edges.y)) + rules_.extent;
            votes = vote(quick.compare(fmaxf(width, 0.0F) * height, c.area), c.score, mine.score, c.at, r);
        } else {
            votes = {0, __ballot_sync(kWholeWarp, c.score >= mine.score && c.at != r)};
        }
        if (votes.unsure != 0) {
            const bool suppresses =
                (votes.unsure & lane_) != 0 && suppresses_exactly(rules_, raw_, g_.records, r, c.at);
            votes.sure |= __ballot_sync(kWholeWarp, suppresses);
        }
        const std::uint32_t slot = count + __popc(votes.sure & before_);
        if ((votes.sure & lane_) != 0 && slot < SuppressorLists::kRoom)
            store_pair(found_ + slot * sizeof(Suppressor), c.at, __float_as_uint(c.score));
        count += __popc(votes.sure & group_.mask());
    }

    // Of all lanes: whose candidate surely suppresses its record, and whose has to be tested exactly.
    struct Votes {
        std::uint32_t sure;
        std::uint32_t unsure;
    };
    // In instructions told here, because the compiler makes numbers of the predicates and predicates of these.
    __device__ __forceinline__ static Votes vote(const QuickTest::Comparison& of, float its_score, float score,
                                                 std::uint32_t it, std::uint32_t r) {
        Votes votes;
        asm volatile(
            "{\n\t.reg .pred near, sure;\n\t"
            "setp.ge.f32 near, %5, %6;\n\t"
            "setp.ne.and.u32 near, %7, %8, near;\n\t"
            "setp.geu.and.f32 near, %2, %3, near;\n\t"
            "setp.gt.and.f32 sure, %2, %4, near;\n\t"
            "setp.gt.and.f32 sure, %5, %6, sure;\n\t"
            "xor.pred near, near, sure;\n\t"
            "vote.sync.ballot.b32 %0, sure, 0xFFFFFFFF;\n\t"
            "vote.sync.ballot.b32 %1, near, 0xFFFFFFFF;\n\t}"
            : "=r"(votes.sure), "=r"(votes.unsure)
            : "f"(of.share), "f"(of.low), "f"(of.high), "f"(its_score), "f"(score), "r"(it), "r"(r));
        return votes;
    }

    // Shared memory by its own addresses.
    __device__ __forceinline__ static Stretch load_stretch(std::uint32_t address) {
        Stretch s;
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(s.first), "=r"(s.last) : "r"(address) : "memory");
        return s;
    }
    __device__ __forceinline__ static Suppressor load_suppressor(std::uint32_t address) {
        Suppressor s;
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(s.record), "=f"(s.score) : "r"(address) : "memory");
        return s;
    }
    __device__ __forceinline__ static void store_pair(std::uint32_t address, std::uint32_t a, std::uint32_t b) {
        asm volatile("st.shared.v2.u32 [%0], {%1, %2};" : : "r"(address), "r"(a), "r"(b) : "memory");
    }

    const BoxGrid& g_;
    const SearchPlan& plan_;
    const NmsRuleSet& rules_;
    const QuickRule& quick_;
    const DetectionSpan& raw_;
    const SuppressorLists& lists_;
    TestCounter& counter_;
    Group<kLanes> group_;
    std::uint32_t stretches_;  // of the group: their address,
    std::uint32_t found_;      // and that of those that were found
    std::uint32_t before_;     // the group's lanes before this one,
    std::uint32_t lane_;       // and this one
};

}  // namespace throng::gpu
