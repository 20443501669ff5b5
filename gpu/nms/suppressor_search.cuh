// The search for all that suppress the detections.
#pragma once

#include "gpu/nms/shared_address.cuh"
#include "gpu/nms/suppressors.cuh"

namespace throng::gpu {

// The stretches of records that a lane looks up, a few rows at a time: the lanes share out levels, and what there is of
// each. Few need more than one look, so what is not computed again for each is kept small.
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
        // A unit is a piece of some rows; hardly any row has several.
        const std::uint32_t pieces = near.pieces();
        std::uint32_t rows = unit_;
        std::uint32_t from = near.column;
        std::uint32_t last = near.column + near.across - 1;
        if (pieces > 1) {
            rows = unit_ / pieces;
            const std::uint32_t begin = (near.column / kSegment + (unit_ - rows * pieces)) * kSegment;
            from = max(from, begin);
            last = min(last, begin + kSegment - 1);
        }
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

// Parameters of the kernel that are used with each candidate. A block has them in shared memory, and a thread loads
// them from there into registers: the compiler would load parameters again wherever they are used, and each candidate
// only after that.
struct alignas(16) SearchConstants {
    const GridRecord* records;
    std::uint32_t nobody;
    float extent;
    float low, high;

    __device__ __forceinline__ void store(const BoxGrid& grid, const NmsRuleSet& rules, const QuickRule& quick) {
        *this = {grid.records, grid.nobody, rules.extent, quick.low, quick.high};
    }
    [[nodiscard]] __device__ __forceinline__ SearchConstants load() const {
        SearchConstants c;
        asm volatile("ld.shared.b64 %0, [%1];" : "=l"(c.records) : "r"(shared_address(&records)) : "memory");
        asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];"
                     : "=r"(c.nobody), "=f"(c.extent)
                     : "r"(shared_address(&nobody))
                     : "memory");
        asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];"
                     : "=f"(c.low), "=f"(c.high)
                     : "r"(shared_address(&low))
                     : "memory");
        return c;
    }
};

// Finds all that suppress the detections of a warp, kLanes lanes for each. The lanes of a group share out the levels;
// the stretches that they find are put into shared memory, and gone along as if they were one. What a lane finds it
// lists by itself, in a column of shared memory, so that lanes need not meet while they search.
template <PairPath path, int kLanes>
class SuppressorSearch {
    static constexpr std::uint32_t kRows = StretchSource<kLanes>::kRows;
    // Twice its share: those of a list that is not cut hardly ever fill one.
    static constexpr std::uint32_t kColumn = 2 * SuppressorLists::kRoom / kLanes;

public:
    static constexpr std::uint32_t kInWarp = 32 / kLanes;
    struct Board {  // of a warp
        Stretch stretches[kInWarp][kRows * kLanes + 1];
        std::uint32_t found[kColumn][32];  // records in any order, some perhaps twice
    };

    __device__ __forceinline__ SuppressorSearch(const BoxGrid& grid, const SearchPlan& plan, const NmsRuleSet& rules,
                                                const QuickRule& quick, const DetectionSpan& raw,
                                                const SuppressorLists& lists, const SearchConstants& constants,
                                                Board& board, TestCounter& counter)
        : g_(grid),
          plan_(plan),
          rules_(rules),
          quick_(quick),
          raw_(raw),
          lists_(lists),
          constants_(constants),
          counter_(counter),
          stretches_(held_address(board.stretches[group_.number])),
          column_(held_address(&board.found[0][threadIdx.x & 31])) {}

    // So many might suppress a record that a column is full, and none of those in it does.
    [[nodiscard]] __device__ __forceinline__ static bool is_open(const SuppressorHead& head) {
        return head.first == kNone && head.count != 0;
    }
    // For whole warps. Lists those of record r, which is `mine`; the result is the same on all lanes of the group, and
    // may be open.
    [[nodiscard]] __device__ __forceinline__ SuppressorHead run(bool active, std::uint32_t r, const GridRecord& mine) {
        const SearchConstants constants = constants_.load();
        const QuickTest quick(quick_, constants.low, constants.high, plan_, mine.area);
        Found found{column_, kNone, -INFINITY, 0};
        StretchSource<kLanes> source(group_.lane);
        bool more = true;
        for (bool first = true; more; first = false) {
            Stretch stretches[kRows];
            // Computed again each time, for few need a second, and all would hold it in registers.
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
            // A record is loaded while the one before it is tested, and found before that.
            Walk walk{stretches_, group_.lane, 0};
            walk.go_on();
            Candidate one = load(constants, walk);
            walk.go_on();
            Candidate other = load(constants, walk);
            walk.go_on();
            while (one.at < constants.nobody) {
                look_at(one, quick, constants.extent, r, mine, found);
                one = load(constants, walk);
                walk.go_on();
                look_at(other, quick, constants.extent, r, mine, found);
                other = load(constants, walk);
                walk.go_on();
            }
            __syncwarp();
        }
        return put_away(r, found);
    }

private:
    static constexpr std::uint32_t kStep = 32 * sizeof(std::uint32_t);  // in a column, in bytes

    // What a lane has found.
    struct Found {
        std::uint32_t next;   // place in its column: an address. The last place is for all that find no other
        std::uint32_t first;  // with the highest score of those that are sure; kNone: there is none
        float score;          // of that
        std::uint32_t doubt;  // not 0: some are not sure, or others have the highest score, too
    };

    __device__ __forceinline__ static std::uint32_t last_of(std::uint32_t column) {
        return column + (kColumn - 1) * kStep;
    }
    // Of a lane's list.
    __device__ __forceinline__ void add(Found& found, std::uint32_t record) const {
        store_word(found.next, record);
        found.next = min(found.next + kStep, last_of(column_));
    }

    // Brings the list of a group into device memory, and finds the first of it.
    [[nodiscard]] __device__ __forceinline__ SuppressorHead put_away(std::uint32_t r, Found found) const {
        if (__any_sync(kWholeWarp, found.doubt != 0)) {
            if (found.doubt != 0) found = decide(rules_, raw_, g_.records, r, column_, found.next);
            __syncwarp();
        }
        constexpr std::uint32_t kRoom = SuppressorLists::kRoom;
        const std::uint32_t its = found.next == last_of(column_) ? kRoom + 1 : (found.next - column_) / kStep;
        const std::uint32_t up_to = group_.sum_up_to(its);
        const std::uint32_t count = group_.from(up_to, kLanes - 1);
        if (count <= kRoom) {
            std::uint32_t* to = lists_.entries + std::size_t{r} * kRoom + (up_to - its);
#pragma unroll 1
            for (std::uint32_t at = column_; at != found.next; at += kStep) *to++ = load_word(at);
        }
        __syncwarp();
        const int lane = first_lane(g_, raw_, group_, Choice{found.first, found.score});
        const std::uint32_t first = __shfl_sync(kWholeWarp, found.first, max(lane, 0));
        if (lane < 0) return {kNone, count};
        return {count > kRoom ? r : first, count};
    }

    // Of a column up to `next` those that suppress record r, tested exactly. Out of line: rare.
    [[nodiscard]] __device__ __noinline__ static Found decide(const NmsRuleSet& rules, const DetectionSpan& raw,
                                                              const GridRecord* records, std::uint32_t r,
                                                              std::uint32_t column, std::uint32_t next) {
        Found found{column, kNone, -INFINITY, 0};
#pragma unroll 1
        for (std::uint32_t at = column; at != next; at += kStep) {
            const std::uint32_t it = load_word(at);
            if (!throng::gpu::suppresses_exactly(rules, raw, records, r, it)) continue;
            store_word(found.next, it);
            found.next += kStep;
            const float score = records[it].score;
            if (score < found.score || it == found.first) continue;
            if (score == found.score &&
                !precedes_at_equal_scores(raw.boxes, score, records[it].index, records[found.first].index))
                continue;
            found.first = it;
            found.score = score;
        }
        if (next == last_of(column)) found.next = next;  // still cut
        return found;
    }

    __device__ __forceinline__ void put_down(const Stretch (&stretches)[kRows]) const {
        const std::uint32_t its_group = group_.mask();
        std::uint32_t before;
        asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
        before &= its_group;
        std::uint32_t end = stretches_;
#pragma unroll
        for (std::uint32_t k = 0; k < kRows; ++k) {
            const bool some = stretches[k].first < stretches[k].last;
            const std::uint32_t votes = __ballot_sync(kWholeWarp, some);
            if (some) store_pair(end + __popc(votes & before) * sizeof(Stretch), stretches[k].first, stretches[k].last);
            end += __popc(votes & its_group) * sizeof(Stretch);
            counter_.tests += some ? stretches[k].last - stretches[k].first : 0;
        }
        if (group_.lane == 0) store_pair(end, g_.nobody, kWholeWarp);
    }

    // Where a lane is among the stretches: it has every kLanes-th record.
    struct Walk {
        std::uint32_t next;  // stretch: its address
        std::uint32_t at;
        std::uint32_t last;

        // To a record, if there is one: to the stretch that `at` has come to.
        __device__ __forceinline__ void go_on() {
            while (at >= last) {
                const Stretch s = load_stretch(next);
                next += sizeof(Stretch);
                at = s.first + (at - last);
                last = s.last;
            }
        }
    };
    struct Candidate {
        std::uint32_t at;
        float4 edges;
        float score;
        float area;
    };
    // The one at hand; the walk goes on behind it.
    __device__ __forceinline__ static Candidate load(const SearchConstants& constants, Walk& walk) {
        Candidate c;
        c.at = walk.at;
        asm volatile(
            "ld.global.v4.f32 {%0, %1, %2, %3}, [%6];\n\t"
            "ld.global.v2.f32 {%4, %5}, [%6 + 16];"
            : "=f"(c.edges.x), "=f"(c.edges.y), "=f"(c.edges.z), "=f"(c.edges.w), "=f"(c.score), "=f"(c.area)
            : "l"(constants.records + c.at));
        walk.at += kLanes;
        return c;
    }

    __device__ __forceinline__ void look_at(const Candidate& c, const QuickTest& quick, float extent, std::uint32_t r,
                                            const GridRecord& mine, Found& found) const {
        if constexpr (path == PairPath::plain) {
            const float width = (fminf(mine.right, c.edges.z) - fmaxf(mine.left, c.edges.x)) + extent;
            const float height = (fminf(mine.bottom, c.edges.w) - fmaxf(mine.top, c.edges.y)) + extent;
            add_near(fmaxf(width, 0.0F) * height, quick.limits(c.area), c.score, mine.score, c.at, r, found);
        } else {
            if (!(c.score >= mine.score) || c.at == r ||
                !throng::gpu::suppresses_exactly(rules_, raw_, g_.records, r, c.at))
                return;
            add(found, c.at);
            if (c.score == found.score) found.doubt = 1;
            if (c.score > found.score) {
                found.first = c.at;
                found.score = c.score;
            }
        }
    }

    // Adds record `it` if it may suppress record r. In instructions told here, without a branch.
    __device__ __forceinline__ void add_near(float intersection, const QuickTest::Limits& of, float its_score,
                                             float score, std::uint32_t it, std::uint32_t r, Found& found) const {
        asm volatile(
            "{\n\t.reg .pred near, sure, unsure, first, tie;\n\t"
            "setp.ge.f32 near, %7, %8;\n\t"
            "setp.ne.and.u32 near, %9, %10, near;\n\t"
            "setp.geu.and.f32 near, %4, %5, near;\n\t"
            "setp.gt.and.f32 sure, %4, %6, near;\n\t"
            "setp.gt.and.f32 sure, %7, %8, sure;\n\t"
            "xor.pred unsure, near, sure;\n\t"
            "setp.gt.and.f32 first, %7, %2, sure;\n\t"
            "setp.eq.and.f32 tie, %7, %2, sure;\n\t"
            "@near st.shared.u32 [%0], %9;\n\t"
            "@near add.u32 %0, %0, %12;\n\t"
            "min.u32 %0, %0, %11;\n\t"
            "@first mov.b32 %1, %9;\n\t"
            "@first mov.f32 %2, %7;\n\t"
            "or.pred tie, tie, unsure;\n\t"
            "@tie mov.b32 %3, 1;\n\t}"
            : "+r"(found.next), "+r"(found.first), "+f"(found.score), "+r"(found.doubt)
            : "f"(intersection), "f"(of.low), "f"(of.high), "f"(its_score), "f"(score), "r"(it), "r"(r),
              "r"(last_of(column_)), "n"(kStep)
            : "memory");
    }

    // Shared memory by its own addresses.
    __device__ __forceinline__ static Stretch load_stretch(std::uint32_t address) {
        Stretch s;
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(s.first), "=r"(s.last) : "r"(address) : "memory");
        return s;
    }
    __device__ __forceinline__ static void store_pair(std::uint32_t address, std::uint32_t a, std::uint32_t b) {
        asm volatile("st.shared.v2.u32 [%0], {%1, %2};" : : "r"(address), "r"(a), "r"(b) : "memory");
    }
    __device__ __forceinline__ static std::uint32_t load_word(std::uint32_t address) {
        std::uint32_t word;
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
        return word;
    }
    __device__ __forceinline__ static void store_word(std::uint32_t address, std::uint32_t word) {
        asm volatile("st.shared.u32 [%0], %1;" : : "r"(address), "r"(word) : "memory");
    }

    const BoxGrid& g_;
    const SearchPlan& plan_;
    const NmsRuleSet& rules_;
    const QuickRule& quick_;
    const DetectionSpan& raw_;
    const SuppressorLists& lists_;
    const SearchConstants& constants_;
    TestCounter& counter_;
    Group<kLanes> group_;
    std::uint32_t stretches_;  // of the group: their address
    std::uint32_t column_;     // of the lane: its address
};

}  // namespace throng::gpu
