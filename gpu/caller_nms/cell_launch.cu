#include "gpu/caller_nms/cell_launch.h"

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "gpu/caller_nms/quick_corners.cuh"
#include "gpu/nms/lane_group.cuh"
#include "gpu/runtime/array_layout.h"

// One cooperative launch, in steps that barriers of the grid separate:
//   1. clear the table;
//   2. count the boxes of each cell: one grid of cells per power of two of box sizes, and per class, in one hash table;
//   3. give each cell a range of records;
//   4. write the records;
//   5. list the suppressors of each record. If the IoU of two boxes is theta, the sizes and centers differ by no more
//      than a part of the size that depends on theta, so few cells are searched;
//   6. decide: a box is kept if all its suppressors are suppressed, and suppressed if one is kept. The blocks repeat
//      this for their undecided boxes, in any order; the first undecided one in order always can be decided;
//   7. the number of kept boxes that precede a kept one is its position in the results.
//
// In step 6 blocks exchange only the state of each record: a byte that is written once and read by volatile loads. No
// other data depends on it before the next barrier.
namespace throng::gpu {
namespace {

namespace cg = cooperative_groups;

constexpr unsigned kThreads = 1024;            // of the one block per multiprocessor
constexpr std::uint32_t kLanes = 8;            // that search for one record
constexpr std::uint32_t kRoom = 64;            // suppressors in a list; a longer one is searched again
constexpr std::size_t kPartBytes = 32 * 1024;  // of kept boxes in shared memory at a time
constexpr std::int32_t kMaxBoxes = 1 << 17;
static_assert(kLanes <= 8 &&
              kRoom + 1 < 256);      // a group has up to kLanes records, with a byte each for a list's length
constexpr double kLeastTheta = 0.2;  // below it, too many cells would be searched
constexpr int kLowestLevel = -100;   // of sizes 2^level
constexpr int kHighestLevel = 100;
constexpr std::uint32_t kLevelWords = 8;

enum State : std::uint8_t { open = 0, kept = 1, suppressed = 2 };

struct Totals {
    std::uint32_t levels[kLevelWords];  // one bit per level that occurs
    std::uint32_t wild;                 // some box is so small or large that its size does not limit its partners
    std::uint32_t allocated;            // records in cells
    std::uint32_t apart;                // boxes that overlap no other: their records are the last
    std::uint32_t kept;
};

// Arrays in the workspace.
struct Table {
    Totals* totals;
    uint2* ranges;  // [cells] of records: the first, and how many
    void* boxes;    // [n] corners by record, as the next arrays
    void* keys;
    std::uint32_t* indices;
    std::uint32_t* lists;  // [n][kRoom]
    std::uint8_t* states;
    void* kept;           // [n] in any order
    std::uint32_t cells;  // a power of two
};

// A kept box, as the order compares it.
template <typename Key>
struct __align__(2 * sizeof(Key)) KeptBox {
    std::uint32_t index;
    Key key;

    __device__ __forceinline__ bool precedes(const KeptBox& other) const {
        if constexpr (sizeof(Key) == 4) {
            return (std::uint64_t{key} << 32 | index) < (std::uint64_t{other.key} << 32 | other.index);
        }
        return key < other.key || (key == other.key && index < other.index);
    }
};

// Limits the sizes of two boxes that suppress each other, by theta.
template <typename Real>
struct SearchRule {
    Real ratio;    // of the smaller side to the larger one, at least
    Real inverse;  // 1 / ratio
};

__device__ __forceinline__ int level_of(float side) {
    const std::uint32_t bits = __float_as_uint(side);
    return static_cast<int>(bits >> 23) - 127 + ((bits & 0x7FFFFFU) != 0 ? 1 : 0);
}
__device__ __forceinline__ int level_of(double side) {
    return level_of(__double2float_ru(side));
}

// By its bits: exponents of normal numbers.
template <typename Real>
__device__ __forceinline__ Real power_of_two(int exponent) {
    return static_cast<Real>(__int_as_float((exponent + 127) << 23));
}

template <typename Real>
__device__ __forceinline__ long long cell_coordinate(Real v) {
    return static_cast<long long>(floor(v));
}

__device__ __forceinline__ std::uint32_t cell_of(const Table& table, int level, std::uint32_t x, std::uint32_t y,
                                                 std::uint32_t class_hash) {
    std::uint32_t hash = x * 0x9E3779B1U;
    hash = (hash ^ (hash >> 15) ^ y) * 0x85EBCA77U;
    hash = (hash ^ (hash >> 13) ^ (static_cast<std::uint32_t>(level) + class_hash)) * 0xC2B2AE3DU;
    return (hash ^ (hash >> 16)) & (table.cells - 1);
}

__device__ __forceinline__ std::uint32_t class_hash_of(const CallerNmsTask& task, std::uint32_t i) {
    if (task.class_ids == nullptr) return 0;
    const auto id = static_cast<std::uint64_t>(load_id(task, task.class_ids, i));
    return static_cast<std::uint32_t>(id ^ id >> 32) * 0x27D4EB2FU;
}

// A rectangle of cells on one level; coordinates modulo 2^32.
struct CellRect {
    std::uint32_t left = 0, top = 0, columns = 0, rows = 0;
};

// The cells with the centers of boxes of a level that may suppress or be suppressed by a box.
template <typename Real>
__device__ __forceinline__ CellRect cells_near(const SearchRule<Real>& rule, const Corners<Real>& box, int level) {
    const Real cell = power_of_two<Real>(level);
    const Real scale = power_of_two<Real>(-level);
    // How far the centers of two intervals are apart at most, of lengths `own` and up to `cell`.
    const auto reach = [&](Real own, Real center) {
        const Real longest = smaller(cell, own * rule.inverse);
        const Real equal = smaller(own, longest);
        Real most = (own + equal) / 2 - own * rule.ratio;
        if (longest > own) most = larger(most, (own + longest) / 2 - longest * rule.ratio);
        constexpr Real kRounding = sizeof(Real) == 8 ? Real(1e-14) : Real(2e-6);
        return larger(most, Real{0}) + kRounding * (fabs(center) + own + longest);
    };
    const Real x = (box.x1 + box.x2) / 2;
    const Real y = (box.y1 + box.y2) / 2;
    const Real reach_x = reach(box.x2 - box.x1, x);
    const Real reach_y = reach(box.y2 - box.y1, y);
    CellRect rect;
    const long long left = cell_coordinate((x - reach_x) * scale);
    const long long top = cell_coordinate((y - reach_y) * scale);
    rect.left = static_cast<std::uint32_t>(left);
    rect.top = static_cast<std::uint32_t>(top);
    rect.columns = static_cast<std::uint32_t>(cell_coordinate((x + reach_x) * scale) - left) + 1;
    rect.rows = static_cast<std::uint32_t>(cell_coordinate((y + reach_y) * scale) - top) + 1;
    return rect;
}

// Calls visit(record) for the records that may suppress or be suppressed by a box, each on one lane of the group, some
// twice. For whole warps; groups that are not active visit none. The lanes of a group divide the levels, then the cells
// of all levels, then the records of these cells.
template <typename Real, class Visit>
__device__ __forceinline__ void for_each_near(const Table& table, const SearchRule<Real>& rule,
                                              const Group<kLanes>& group, bool active, const Corners<Real>& box,
                                              std::uint32_t class_hash, const Visit& visit) {
    if (table.totals->wild != 0) {
        for (std::uint32_t r = group.lane; active && r < table.totals->allocated; r += kLanes) visit(r);
        __syncwarp();
        return;
    }
    const Real side = active ? larger(box.x2 - box.x1, box.y2 - box.y1) : Real{1};
    const int first_level = max(level_of(side * rule.ratio), kLowestLevel);
    const int last_level = active ? min(level_of(side * rule.inverse), kHighestLevel) : first_level - 1;
    for (int base = first_level; __any_sync(kWholeWarp, base <= last_level); base += kLanes) {
        const int level = base + static_cast<int>(group.lane);
        CellRect mine;
        if (level <= last_level) {
            const auto bit = static_cast<std::uint32_t>(level - kLowestLevel);
            if ((table.totals->levels[bit / 32] >> bit % 32 & 1U) != 0) mine = cells_near(rule, box, level);
        }
        const std::uint32_t cells_up_to = group.inclusive_sum(mine.columns * mine.rows);
        const std::uint32_t cells = group.from(cells_up_to, kLanes - 1);
        for (std::uint32_t start = 0; __any_sync(kWholeWarp, start < cells); start += kLanes) {
            const std::uint32_t index = start + group.lane;
            const int from = group.first_above(cells_up_to, index);
            CellRect rect;
            rect.left = group.from(mine.left, from);
            rect.top = group.from(mine.top, from);
            rect.columns = group.from(mine.columns, from);
            rect.rows = group.from(mine.rows, from);
            const std::uint32_t before = group.from(cells_up_to, from) - rect.columns * rect.rows;
            uint2 range{};
            if (index < cells) {
                const std::uint32_t t = index - before;
                const std::uint32_t row = t / rect.columns;
                range = table.ranges[cell_of(table, base + from, rect.left + (t - row * rect.columns), rect.top + row,
                                             class_hash)];
            }
            group.for_each_in(range.x, range.y, visit);
        }
    }
}

template <typename Element>
class CellLaunch {
public:
    using Real = typename RealOf<Element>::type;
    using Key = KeyOf<Element>;

    __device__ CellLaunch(const CallerNmsTask& task, const Table& table, const CornerRule<Real>& rule,
                          const SearchRule<Real>& search)
        : task_(task), table_(table), rule_(rule), search_(search) {}

    // Calls found(record) for the suppressors of record r. For whole warps.
    template <class Found>
    __device__ __forceinline__ void for_each_suppressor(std::uint32_t r, bool active, const Group<kLanes>& group,
                                                        const Found& found) const {
        QuickBox<Real> mine{};
        Key key = 0;
        std::uint32_t index = 0;
        std::uint32_t class_hash = 0;
        if (active) {
            mine = make_quick_box(box(r), rule_);
            key = keys()[r];
            index = table_.indices[r];
            class_hash = class_hash_of(task_, index);
        }
        for_each_near(table_, search_, group, active, mine.box, class_hash, [&](std::uint32_t other) {
            const Key other_key = keys()[other];
            const QuickBox<Real> theirs = make_quick_box(box(other), rule_);
            const std::uint32_t other_index = table_.indices[other];
            const QuickPair<Real> pair(mine, theirs);
            if (other_key > key || (other_key == key && other_index >= index) || !pair.may_suppress()) return;
            if (!pair.surely_suppresses() && !corners_suppress(theirs.box, mine.box, rule_.least)) return;
            if (same_class(task_, index, other_index)) found(other);
        });
    }

    __device__ __forceinline__ Corners<Real> box(std::uint32_t r) const { return load_corners<Real>(table_.boxes, r); }
    __device__ __forceinline__ Key* keys() const { return static_cast<Key*>(table_.keys); }
    __device__ __forceinline__ KeptBox<Key>* kept_boxes() const { return static_cast<KeptBox<Key>*>(table_.kept); }

    __device__ __forceinline__ State load_state(std::uint32_t r) const {
        return static_cast<State>(*static_cast<const volatile std::uint8_t*>(table_.states + r));
    }
    // By one lane.
    __device__ __forceinline__ void decide(std::uint32_t r, State state) const {
        *static_cast<volatile std::uint8_t*>(table_.states + r) = state;
        const std::uint32_t index = table_.indices[r];
        if (task_.mask != nullptr) task_.mask[index] = state == kept ? 1 : 0;
        if (state != kept) return;
        const std::uint32_t k = atomicAdd(&table_.totals->kept, 1U);
        kept_boxes()[k] = {index, keys()[r]};
    }

private:
    const CallerNmsTask& task_;
    const Table& table_;
    const CornerRule<Real>& rule_;
    const SearchRule<Real>& search_;
};

template <typename Element>
__global__ void __launch_bounds__(kThreads)
    cell_launch_kernel(const __grid_constant__ CallerNmsTask task, const __grid_constant__ Table table,
                       const __grid_constant__ CornerRule<typename RealOf<Element>::type> rule,
                       const __grid_constant__ SearchRule<typename RealOf<Element>::type> search) {
    using Real = typename RealOf<Element>::type;
    using Key = KeyOf<Element>;
    __shared__ BlockSum<kThreads> block_sum;
    __shared__ std::uint32_t block_base;
    __shared__ std::uint32_t levels[kLevelWords];
    __shared__ std::uint32_t sizes[kThreads / kLanes];
    start_kernel();
    const cg::grid_group grid = cg::this_grid();
    const CellLaunch<Element> run(task, table, rule, search);
    Totals& totals = *table.totals;
    const auto n = static_cast<std::uint32_t>(task.size);
    const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;  // there are at least n threads
    const std::uint32_t threads = gridDim.x * kThreads;
    const Group<kLanes> group;
    const std::uint32_t lane = group.lane;

    for (std::uint32_t c = i; c < table.cells; c += threads) table.ranges[c] = {};
    if (i < sizeof(Totals) / sizeof(std::uint32_t)) reinterpret_cast<std::uint32_t*>(&totals)[i] = 0;
    if (threadIdx.x < kLevelWords) levels[threadIdx.x] = 0;
    Corners<Real> box{};
    if (i < n) box = load_caller_corners<Element>(task, i);
    grid.sync();

    const bool in_cell = i < n && may_overlap(box);
    std::uint32_t cell = 0;
    std::uint32_t slot = 0;
    if (in_cell) {
        const Real area = area_of(box);
        const int level = level_of(larger(box.x2 - box.x1, box.y2 - box.y1));
        if (area > Real(1e-30) && area < Real(1e30) && level >= kLowestLevel && level <= kHighestLevel) {
            const Real scale = power_of_two<Real>(-level);
            cell = cell_of(table, level, static_cast<std::uint32_t>(cell_coordinate((box.x1 + box.x2) / 2 * scale)),
                           static_cast<std::uint32_t>(cell_coordinate((box.y1 + box.y2) / 2 * scale)),
                           class_hash_of(task, i));
            const auto bit = static_cast<std::uint32_t>(level - kLowestLevel);
            if ((levels[bit / 32] >> bit % 32 & 1U) == 0) atomicOr(&levels[bit / 32], 1U << bit % 32);
        } else {
            totals.wild = 1;
        }
        slot = atomicAdd(&table.ranges[cell].y, 1U);
    } else if (i < n) {
        slot = atomicAdd(&totals.apart, 1U);
    }
    __syncthreads();
    if (threadIdx.x < kLevelWords && levels[threadIdx.x] != 0)
        atomicOr(&totals.levels[threadIdx.x], levels[threadIdx.x]);
    grid.sync();

    // The cells of a block get ranges side by side: one warp after the other would wait for the same address.
    for (std::uint32_t first = blockIdx.x * kThreads; first < table.cells; first += threads) {
        const std::uint32_t c = first + threadIdx.x;  // table.cells is a multiple of kThreads
        std::uint32_t records = 0;
        const std::uint32_t offset = block_sum.exclusive(table.ranges[c].y, records);
        if (threadIdx.x == 0) block_base = records > 0 ? atomicAdd(&totals.allocated, records) : 0;
        __syncthreads();
        table.ranges[c].x = block_base + offset;
    }
    grid.sync();

    if (i < n) {
        const std::uint32_t r = in_cell ? table.ranges[cell].x + slot : n - 1 - slot;
        static_cast<Corners<Real>*>(table.boxes)[r] = box;
        run.keys()[r] = descending_key(load_real(static_cast<const Element*>(task.scores), std::size_t{i}));
        table.indices[r] = i;
        if (!in_cell) run.decide(r, kept);
    }
    grid.sync();

    // A group of lanes per record from here on.
    const std::uint32_t in_cells = totals.allocated;
    const std::uint32_t first = i / kLanes;
    const std::uint32_t in_warp = group.number;
    const std::uint32_t groups = threads / kLanes;
    std::uint32_t& size = sizes[threadIdx.x / kLanes];
    std::uint64_t list_sizes = 0;  // a byte per record of this group; 0: it is decided
    std::uint32_t shift = 0;
    for (std::uint32_t r = first; r - in_warp < in_cells; r += groups, shift += 8) {  // by whole warps
        if (lane == 0) size = 0;
        __syncwarp();
        run.for_each_suppressor(r, r < in_cells, group, [&](std::uint32_t other) {
            const std::uint32_t k = atomicAdd(&size, 1U);
            if (k < kRoom) table.lists[std::size_t{r} * kRoom + k] = other;
        });
        __syncwarp();
        if (r < in_cells) list_sizes |= std::uint64_t{min(size, kRoom + 1)} << shift;
        if (lane == 0 && r < in_cells) {
            if (size == 0) {
                run.decide(r, kept);
            } else {
                table.states[r] = open;
            }
        }
        __syncwarp();
    }
    grid.sync();

    for (bool waiting = true; waiting;) {
        waiting = false;
        shift = 0;
        for (std::uint32_t r = first; r - in_warp < in_cells; r += groups, shift += 8) {
            const auto listed = static_cast<std::uint32_t>(list_sizes >> shift) & 0xFFU;
            const bool undecided = listed != 0;
            if (!__any_sync(kWholeWarp, undecided)) continue;
            bool has_kept = false;
            bool has_open = false;
            const auto look = [&](std::uint32_t other) {
                const State state = run.load_state(other);
                has_kept = has_kept || state == kept;
                has_open = has_open || state == open;
            };
            if (listed <= kRoom) {
                for (std::uint32_t k = lane; k < listed; k += kLanes) look(table.lists[std::size_t{r} * kRoom + k]);
            }
            __syncwarp();
            const bool truncated = listed > kRoom;
            if (__any_sync(kWholeWarp, truncated)) run.for_each_suppressor(r, truncated, group, look);
            constexpr std::uint32_t kGroupMask = (1U << kLanes) - 1;
            const std::uint32_t first_lane = in_warp * kLanes;
            const bool some_kept = (__ballot_sync(kWholeWarp, has_kept) >> first_lane & kGroupMask) != 0;
            const bool some_open = (__ballot_sync(kWholeWarp, has_open) >> first_lane & kGroupMask) != 0;
            if (undecided && (some_kept || !some_open)) {
                list_sizes &= ~(std::uint64_t{0xFF} << shift);
                if (lane == 0) run.decide(r, some_kept ? suppressed : kept);
            } else if (undecided) {
                waiting = true;
            }
            __syncwarp();
        }
        waiting = __any_sync(kWholeWarp, waiting);
    }
    grid.sync();

    const std::uint32_t total = totals.kept;
    if (i == 0) store_counts(task, total);
    if (task.indices == nullptr && task.kept_scores == nullptr) return;
    // A warp compares two kept boxes with all, which are in shared memory by parts.
    constexpr std::uint32_t kPart = kPartBytes / sizeof(KeptBox<Key>);
    __shared__ KeptBox<Key> part[kPart];
    const std::uint32_t warps = threads / 32;
    for (std::uint32_t base = i / 32; base - i / 32 < total; base += 2 * warps) {  // by whole blocks
        const std::uint32_t next = base + warps;
        const KeptBox<Key> mine = base < total ? run.kept_boxes()[base] : KeptBox<Key>{};
        const KeptBox<Key> others = next < total ? run.kept_boxes()[next] : KeptBox<Key>{};
        std::uint32_t before = 0;
        std::uint32_t before_next = 0;
        for (std::uint32_t start = 0; start < total; start += kPart) {
            const std::uint32_t count = min(total - start, kPart);
            __syncthreads();
            for (std::uint32_t t = threadIdx.x; t < count; t += kThreads) part[t] = run.kept_boxes()[start + t];
            __syncthreads();
#pragma unroll 4
            for (std::uint32_t t = threadIdx.x % 32; t < count; t += 32) {
                const KeptBox<Key> box = part[t];
                before += box.precedes(mine) ? 1U : 0U;
                before_next += box.precedes(others) ? 1U : 0U;
            }
            __syncwarp();
        }
        before = warp_sum(before);
        before_next = warp_sum(before_next);
        if (threadIdx.x % 32 == 0) {
            if (base < total) store_kept<Element>(task, before, mine.index);
            if (next < total) store_kept<Element>(task, before_next, others.index);
        }
    }
}

std::int32_t most_boxes(const DeviceInfo& device) {
    return std::min(kMaxBoxes, device.multiprocessors * static_cast<std::int32_t>(kThreads));
}

Table lay_out(ArrayLayout& layout, std::int32_t size, std::size_t real_bytes) {
    const auto n = static_cast<std::size_t>(size);
    Table table{};
    table.cells = std::max(std::bit_ceil(static_cast<std::uint32_t>(size)) * 2, 1024U);
    layout.take(table.totals, 1);
    layout.take(table.ranges, table.cells);
    table.boxes = layout.take<std::byte>(n * 4 * real_bytes);
    table.keys = layout.take<std::byte>(n * real_bytes);
    layout.take(table.indices, n);
    layout.take(table.lists, n * kRoom);
    layout.take(table.states, n);
    table.kept = layout.take<std::byte>(n * 2 * real_bytes);
    return table;
}

}  // namespace

std::size_t cell_launch_workspace(const DeviceInfo& device, std::int32_t size) {
    if (size > most_boxes(device)) return 0;
    ArrayLayout measure(nullptr);
    lay_out(measure, size, sizeof(double));
    return measure.size();
}

bool fits_cell_launch(const DeviceInfo& device, const CallerNmsTask& task) {
    return task.rules.torchvision && task.rules.theta >= kLeastTheta && task.rules.params.min_hits <= 1 &&
           task.hits == nullptr && task.image_ids == nullptr && task.size > 0 && task.size <= most_boxes(device);
}

bool launch_by_cells(const DeviceInfo& device, const CallerNmsTask& task, void* workspace, const LaunchChain& chain) {
    return with_element(task.type, [&]<class Element>(Element) {
        using Real = typename RealOf<Element>::type;
        ArrayLayout layout(workspace);
        const Table table = lay_out(layout, task.size, sizeof(Real));
        const auto ratio = static_cast<Real>(task.rules.theta * 0.999);  // what rounding may move, and more
        // Enough groups of lanes for one record each, if there are so many blocks.
        const auto wanted = (static_cast<unsigned>(task.size) * kLanes + kThreads - 1) / kThreads;
        const unsigned blocks = std::min(wanted, static_cast<unsigned>(device.multiprocessors));
        return chain.launch_resident("cell_launch_kernel", cell_launch_kernel<Element>,
                                     LaunchSize{dim3(blocks), kThreads}, task, table,
                                     make_corner_rule<Real>(task.rules.theta), SearchRule<Real>{ratio, 1 / ratio});
    });
}

}  // namespace throng::gpu
