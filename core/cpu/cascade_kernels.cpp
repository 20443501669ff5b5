#include "core/cpu/cascade_kernels.h"

#include <cstddef>

#include "core/algo/cascade_levels.h"

#include "core/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/cascade_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace throng::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DU = hn::CappedTag<std::uint32_t, 16>;
using DI = hn::Rebind<std::int32_t, DU>;
using DF = hn::Rebind<float, DU>;
using DF2 = hn::Half<DF>;
using DD = hn::Rebind<double, DF2>;
using Ints = hn::Vec<DI>;
using Floats = hn::Vec<DF>;
using Doubles = hn::Vec<DD>;

// One double per window of a vector.
struct Sums {
    Doubles low, high;
};

HWY_INLINE Sums operator+(Sums a, Sums b) {
    return {hn::Add(a.low, b.low), hn::Add(a.high, b.high)};
}

HWY_INLINE Sums widened(Floats v) {
    return {hn::PromoteTo(DD(), hn::LowerHalf(DF2(), v)), hn::PromoteTo(DD(), hn::UpperHalf(DF2(), v))};
}

template <class D, class M>
HWY_INLINE std::uint32_t bits_of(D d, M mask) {
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, mask, bytes);
    return static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8;
}

HWY_INLINE std::uint32_t not_below(Sums sums, float threshold) {
    const auto t = hn::Set(DD(), static_cast<double>(threshold));
    return bits_of(DD(), hn::Ge(sums.low, t)) | bits_of(DD(), hn::Ge(sums.high, t)) << hn::Lanes(DD());
}

HWY_INLINE Ints corner_sums(const std::uint32_t* at, const std::int32_t* corner) {
    const DU d;
    const auto a = hn::LoadU(d, at + corner[0]);
    const auto b = hn::LoadU(d, at + corner[1]);
    const auto c = hn::LoadU(d, at + corner[2]);
    const auto e = hn::LoadU(d, at + corner[3]);
    return hn::BitCast(DI(), hn::Add(hn::Sub(hn::Sub(a, b), c), e));
}

// Computes window_norm of core/algo/cascade.h. Bit i of flat is set if window i is flat.
HWY_INLINE Floats window_norms(const CascadeProgram& program, const std::uint32_t* at, std::uint32_t& flat) {
    const DF df;
    const DF2 df2;
    const DD dd;
    const hn::Half<DI> di2;
    const Ints sum = corner_sums(at, program.norm_corner);
    const Ints squares = corner_sums(at + program.layout.plane(1), program.norm_corner);
    const auto area = hn::Set(dd, static_cast<double>(program.norm_area));
    const auto norm_half = [&](auto s, auto q) HWY_ATTR {
        const auto sd = hn::PromoteTo(dd, s);
        const auto n = hn::Sub(hn::Mul(area, hn::PromoteTo(dd, q)), hn::Mul(sd, sd));
        // A flat window gets an infinite norm, which the comparison below removes.
        return hn::DemoteTo(df2, hn::Div(hn::Set(dd, 1.0), hn::Sqrt(hn::Max(n, hn::Zero(dd)))));
    };
    const auto low = norm_half(hn::LowerHalf(di2, sum), hn::LowerHalf(di2, squares));
    const auto high = norm_half(hn::UpperHalf(di2, sum), hn::UpperHalf(di2, squares));
    const Floats norm = hn::Combine(df, high, low);
    flat = bits_of(df, hn::Ge(norm, hn::Set(df, program.flat_norm)));
    return norm;
}

HWY_INLINE hn::Mask<DF> goes_left(const HaarNode& node, const std::uint32_t* at, Floats norm) {
    const DF df;
    Floats value = hn::Add(hn::Mul(hn::Set(df, node.weight[0]), hn::ConvertTo(df, corner_sums(at, node.corner[0]))),
                           hn::Mul(hn::Set(df, node.weight[1]), hn::ConvertTo(df, corner_sums(at, node.corner[1]))));
    if (node.weight[2] != 0.0F) {
        value =
            hn::Add(value, hn::Mul(hn::Set(df, node.weight[2]), hn::ConvertTo(df, corner_sums(at, node.corner[2]))));
    }
    return hn::Lt(hn::Mul(value, norm), hn::Set(df, node.threshold));
}

// Returns entry `index` < 8 of a table, with a different index per lane.
template <class D>
HWY_INLINE hn::Vec<D> table_of_8(D d, const std::uint32_t* table, hn::Vec<hn::RebindToSigned<D>> index) {
    const hn::CappedTag<std::uint32_t, kLbpWords> d8;
    if constexpr (hn::MaxLanes(d) == 2 * kLbpWords) {
        const auto half = hn::LoadU(d8, table);
        return hn::TableLookupLanes(hn::Combine(d, half, half), hn::IndicesFromVec(d, index));
    } else if constexpr (hn::MaxLanes(d) == kLbpWords) {
        return hn::TableLookupLanes(hn::LoadU(d, table), hn::IndicesFromVec(d, index));
    } else {
        return hn::GatherIndex(d, table, index);
    }
}

// Tests bit `code` of the subset, with a different code per lane.
HWY_INLINE hn::Mask<DF> in_subset(const std::uint32_t* subset, hn::Vec<DU> code) {
    const DU d;
    const auto words = table_of_8(d, subset, hn::BitCast(DI(), hn::ShiftRight<5>(code)));
    const auto bit = hn::Shr(words, hn::And(code, hn::Set(d, 31)));
    return hn::RebindMask(DF(), hn::TestBit(bit, hn::Set(d, 1)));
}

HWY_INLINE hn::Mask<DF> goes_left(const LbpNode& node, const std::uint32_t* at, Floats) {
    const DU du;
    const DI di;
    const auto corner = [&](int i) HWY_ATTR { return hn::LoadU(du, at + node.grid[i]); };
    const auto p0 = corner(0), p1 = corner(1), p2 = corner(2), p3 = corner(3);
    const auto p4 = corner(4), p5 = corner(5), p6 = corner(6), p7 = corner(7);
    const auto p8 = corner(8), p9 = corner(9), p10 = corner(10), p11 = corner(11);
    const auto p12 = corner(12), p13 = corner(13), p14 = corner(14), p15 = corner(15);
    const auto block = [&](auto a, auto b, auto c, auto d)
                           HWY_ATTR { return hn::BitCast(di, hn::Add(hn::Sub(hn::Sub(a, b), c), d)); };
    const auto center = block(p5, p6, p9, p10);
    auto code = hn::Zero(du);
    const auto add = [&](Ints neighbor, std::uint32_t weight) HWY_ATTR {
        code = hn::Or(code, hn::IfThenZeroElse(hn::RebindMask(du, hn::Lt(neighbor, center)), hn::Set(du, weight)));
    };
    add(block(p0, p1, p4, p5), 128);
    add(block(p1, p2, p5, p6), 64);
    add(block(p2, p3, p6, p7), 32);
    add(block(p6, p7, p10, p11), 16);
    add(block(p10, p11, p14, p15), 8);
    add(block(p9, p10, p13, p14), 4);
    add(block(p8, p9, p12, p13), 2);
    add(block(p4, p5, p8, p9), 1);
    return in_subset(node.subset, code);
}

// Returns the leaf value of each window. Nodes precede their children, so one pass over them follows all paths at once.
template <class Node>
HWY_INLINE Floats tree_values(const Node* nodes, int count, const float* leaves, const std::uint32_t* at, Floats norm) {
    const DF df;
    const auto leaf = [&](std::int32_t child) HWY_ATTR { return hn::Set(df, leaves[-child]); };
    if (count == 1) return hn::IfThenElse(goes_left(nodes[0], at, norm), leaf(nodes[0].left), leaf(nodes[0].right));
    if (count == 2) {
        const Floats below = hn::IfThenElse(goes_left(nodes[1], at, norm), leaf(nodes[1].left), leaf(nodes[1].right));
        const bool on_left = nodes[0].left > 0;
        const bool on_right = nodes[0].right > 0;
        return hn::IfThenElse(goes_left(nodes[0], at, norm), on_left ? below : leaf(nodes[0].left),
                              on_right ? below : leaf(nodes[0].right));
    }
    const DI di;
    Ints node = hn::Zero(di);  // index of the node reached; the root is never a child
    Floats value = hn::Zero(df);
    auto undecided = hn::Eq(node, node);
    for (int n = 0; n < count; ++n) {
        const auto here = hn::And(undecided, hn::Eq(node, hn::Set(di, n)));
        const auto left = goes_left(nodes[n], at, norm);
        const auto go = [&](hn::Mask<DI> these, std::int32_t child) HWY_ATTR {
            if (child > 0) {
                node = hn::IfThenElse(these, hn::Set(di, child), node);
            } else {
                value = hn::IfThenElse(hn::RebindMask(df, these), leaf(child), value);
                undecided = hn::AndNot(these, undecided);
            }
        };
        const auto left_int = hn::RebindMask(di, left);
        go(hn::And(here, left_int), nodes[n].left);
        go(hn::AndNot(left_int, here), nodes[n].right);
    }
    return value;
}

template <class Node>
HWY_INLINE Sums stage_sums(const CascadeProgram& program, const Node* nodes, const CascadeStage& stage,
                           const std::uint32_t* at, Floats norm) {
    Sums sum = {hn::Zero(DD()), hn::Zero(DD())};
    const CascadeTree* tree = program.trees.data() + stage.first_tree;
    for (const CascadeTree* end = tree + stage.tree_count; tree != end; ++tree) {
        const float* leaves = program.leaves.data() + tree->first_leaf;
        sum = sum + widened(tree_values(nodes + tree->first_node, tree->node_count, leaves, at, norm));
    }
    return sum;
}

HWY_INLINE void store(Sums sums, double* to) {
    hn::StoreU(sums.low, DD(), to);
    hn::StoreU(sums.high, DD(), to + hn::Lanes(DD()));
}

HWY_INLINE Sums load(const double* from) {
    return {hn::LoadU(DD(), from), hn::LoadU(DD(), from + hn::Lanes(DD()))};
}

HWY_INLINE int lanes() {
    return static_cast<int>(hn::Lanes(DU()));
}

// Costs in cycles on a Zen 4 core with 512-bit vectors. They decide when a group of neighbors is split up.
constexpr int kDenseNode = 22;    // a Haar node of a group: most loads cross a cache line
constexpr int kPackedNode = 12;   // a Haar node of a pack
constexpr int kPackWindow = 200;  // copying a window into a pack

// Windows that go through a cascade together: which are left, and their scores so far.
struct Group {
    Floats norm;
    Sums score;
    std::uint32_t alive;
};

// Evaluates one stage of a group.
template <class Node>
HWY_INLINE void pass_stage(const CascadeProgram& program, const Node* nodes, std::size_t index, const std::uint32_t* at,
                           Group& group) {
    const CascadeStage& stage = program.stages[index];
    const Sums sum = stage_sums(program, nodes, stage, at, group.norm);
    group.alive &= not_below(sum, stage.threshold);
    const std::size_t stages = program.stages.size();
    if (index < stages / 2) return;  // as in stage_margin of core/algo/cascade.h
    const auto t = hn::Set(DD(), static_cast<double>(stage.threshold));
    group.score = group.score + Sums{hn::Sub(sum.low, t), hn::Sub(sum.high, t)};
}

// Computes the norms and stage 0 of every window of the row.
template <class Node>
void first_stage(const CascadeProgram& program, const Node* nodes, const std::uint32_t* sums, int columns,
                 CascadeScratch& scratch) {
    const CascadeStage& stage = program.stages[0];
    for (int i = 0; i < columns; i += lanes()) {
        const std::uint32_t inside = columns - i >= 32 ? ~0U : (1U << (columns - i)) - 1U;
        Floats norm = hn::Set(DF(), 1.0F);
        std::uint32_t flat = 0;
        if (program.kind == CascadeKind::haar) norm = window_norms(program, sums + i, flat);
        hn::StoreU(norm, DF(), scratch.norms.data() + i);
        const std::uint32_t all = static_cast<std::uint32_t>((std::uint64_t{1} << lanes()) - 1) & inside & ~flat;
        if (all == 0) continue;
        const std::uint32_t passed =
            not_below(stage_sums(program, nodes, stage, sums + i, norm), stage.threshold) & all;
        scratch.alive[static_cast<std::size_t>(i) / 64] |= static_cast<std::uint64_t>(passed) << (i % 64);
        scratch.fell[static_cast<std::size_t>(i) / 64] |= static_cast<std::uint64_t>(all & ~passed) << (i % 64);
    }
}

// Evaluates a group of neighbors from stage 1 on: to its end, or until so few are left that packing them is cheaper.
template <class Node>
void later_stages(const CascadePrograms& programs, const Node* nodes, const std::uint32_t* block, std::int32_t at,
                  int row, std::int32_t column, std::uint32_t alive, CascadeScratch& scratch,
                  std::vector<AcceptedWindow>& accepted) {
    const CascadeProgram& program = programs.dense;
    const std::size_t stages = program.stages.size();
    Group group{hn::LoadU(DF(), scratch.norms.data() + column), {hn::Zero(DD()), hn::Zero(DD())}, alive};
    // The score of a cascade of one stage is that of stage 0.
    std::size_t s = stages > 1 ? 1 : 0;
    for (; s < stages; ++s) {
        if (hwy::PopCount(group.alive) * kPackWindow <=
            static_cast<std::size_t>(program.nodes_in_stage[s]) * kDenseNode)
            break;
        pass_stage(program, nodes, s, block + at, group);
        if (group.alive == 0) return;
    }
    double score[16];
    store(group.score, score);
    for (std::uint32_t left = group.alive; left != 0; left &= left - 1) {
        const std::size_t lane = hwy::Num0BitsBelowLS1Bit_Nonzero32(left);
        const auto i = column + static_cast<std::int32_t>(lane);
        if (s == stages) {
            accepted.push_back({row, i, static_cast<float>(score[lane])});
        } else {
            scratch.waiting[s].push_back({at + static_cast<std::int32_t>(lane), row, i,
                                          scratch.norms[static_cast<std::size_t>(i)], score[lane]});
        }
    }
}

// Transposes four entries each of as many windows as there are lanes: one vector per entry, one lane per window.
template <class D>
HWY_INLINE void transpose_4(D d, const std::uint32_t* const* from, std::int32_t offset, std::uint32_t* to) {
    const hn::Full128<std::uint32_t> d4;
    const auto four = [&](std::size_t window) HWY_ATTR { return hn::LoadU(d4, from[window] + offset); };
    // Block b of vector j: window 4 b + j.
    const auto column = [&](std::size_t j) HWY_ATTR {
        if constexpr (hn::MaxLanes(d) == 16) {
            const hn::Half<D> d8;
            return hn::Combine(d, hn::Combine(d8, four(12 + j), four(8 + j)), hn::Combine(d8, four(4 + j), four(j)));
        } else if constexpr (hn::MaxLanes(d) == 8) {
            return hn::Combine(d, four(4 + j), four(j));
        } else {
            return four(j);
        }
    };
    const hn::RepartitionToWide<D> d64;
    const auto v0 = column(0), v1 = column(1), v2 = column(2), v3 = column(3);
    const auto a = hn::BitCast(d64, hn::InterleaveLower(d, v0, v1));
    const auto b = hn::BitCast(d64, hn::InterleaveUpper(d, v0, v1));
    const auto c = hn::BitCast(d64, hn::InterleaveLower(d, v2, v3));
    const auto e = hn::BitCast(d64, hn::InterleaveUpper(d, v2, v3));
    const std::size_t n = hn::Lanes(d);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, a, c)), d, to);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, a, c)), d, to + n);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, b, e)), d, to + 2 * n);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, b, e)), d, to + 3 * n);
}

// Copies the sums below the windows. Values copied past the end of a run are overwritten by the next run.
void fill_pack(const CascadePrograms& programs, const std::uint32_t* const* from, std::uint32_t* pack) {
    const SumsLayout& source = programs.dense.layout;
    const SumsLayout& target = programs.packed.layout;
    const int width = programs.window_width + 1;
    const std::ptrdiff_t n = lanes();
    for (int plane = 0; plane <= (programs.tilted ? 2 : 0); plane += 2) {
        for (int y = 0; y <= programs.window_height; ++y) {
            for (int phase = 0; phase < source.step; ++phase) {
                const int run = (width - phase + source.step - 1) / source.step;
                const std::int32_t source_at = source.plane(plane) + source.at(phase, y);
                std::uint32_t* out = pack + target.plane(plane) + target.at(phase, y);
                for (int x = 0; x < run; x += 4) {
                    const int start = run >= 4 && x + 4 > run ? run - 4 : x;
                    transpose_4(DU(), from, source_at + start, out + start * n);
                }
            }
        }
    }
}

// Packs the last windows that wait for a stage and evaluates them, to the end or until few are left.
template <class Node>
void evaluate_pack(const CascadePrograms& programs, const Node* nodes, const std::uint32_t* block, std::size_t s,
                   CascadeScratch& scratch, std::vector<AcceptedWindow>& accepted) {
    const CascadeProgram& program = programs.packed;
    const std::size_t stages = program.stages.size();
    auto& queue = scratch.waiting[s];
    const std::size_t count = queue.size() < hn::Lanes(DU()) ? queue.size() : hn::Lanes(DU());
    WaitingWindow windows[16];
    const std::uint32_t* from[16];
    float norm[16];
    double score[16];
    for (std::size_t lane = 0; lane < hn::Lanes(DU()); ++lane) {
        const WaitingWindow& window = queue[queue.size() - count + (lane < count ? lane : 0)];
        windows[lane] = window;
        from[lane] = block + window.at;
        norm[lane] = window.norm;
        score[lane] = window.score;
    }
    queue.resize(queue.size() - count);
    fill_pack(programs, from, scratch.pack.data());

    Group group{hn::LoadU(DF(), norm), load(score), static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1)};
    const std::size_t first = s;
    for (; s < stages; ++s) {
        const auto cost = static_cast<std::size_t>(program.nodes_in_stage[s]) * kPackedNode;
        if (s > first && hwy::PopCount(group.alive) * kPackWindow * 3 / 2 < cost) break;
        pass_stage(program, nodes, s, scratch.pack.data(), group);
        if (group.alive == 0) return;
    }
    store(group.score, score);
    for (std::uint32_t left = group.alive; left != 0; left &= left - 1) {
        const std::size_t lane = hwy::Num0BitsBelowLS1Bit_Nonzero32(left);
        WaitingWindow& window = windows[lane];
        if (s == stages) {
            accepted.push_back({window.row, window.column, static_cast<float>(score[lane])});
        } else {
            window.score = score[lane];
            scratch.waiting[s].push_back(window);
        }
    }
}

template <class Node>
void evaluate(const CascadePrograms& programs, const Node* nodes, const Node* packed_nodes, const std::uint32_t* block,
              std::int32_t at, int row, int columns, CascadeScratch& scratch, std::vector<AcceptedWindow>& accepted) {
    first_stage(programs.dense, nodes, block + at, columns, scratch);
    const std::uint64_t lane_mask = (std::uint64_t{1} << lanes()) - 1;
    std::uint32_t skip = 0;
    for (std::size_t word = 0; word < scratch.fell.size(); ++word) {
        const std::uint64_t visited = visited_windows(scratch.fell[word], skip);
        const std::size_t inside = static_cast<std::size_t>(columns) - word * 64;
        const std::uint64_t all = inside >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << inside) - 1;
        scratch.visited += static_cast<std::int64_t>(hwy::PopCount(visited & all));
        const std::uint64_t alive = scratch.alive[word] & visited;
        for (int shift = 0; shift < 64 && (alive >> shift) != 0; shift += lanes()) {
            const auto group = static_cast<std::uint32_t>((alive >> shift) & lane_mask);
            if (group == 0) continue;
            const auto column = static_cast<std::int32_t>(word) * 64 + shift;
            later_stages(programs, nodes, block, at + column, row, column, group, scratch, accepted);
        }
    }
    for (std::size_t s = 0; s < scratch.waiting.size(); ++s) {
        while (scratch.waiting[s].size() >= hn::Lanes(DU())) {
            evaluate_pack(programs, packed_nodes, block, s, scratch, accepted);
        }
    }
}

template <class Node>
void finish(const CascadePrograms& programs, const Node* packed_nodes, const std::uint32_t* block,
            CascadeScratch& scratch, std::vector<AcceptedWindow>& accepted) {
    // Windows only move to later stages.
    for (std::size_t s = 0; s < scratch.waiting.size(); ++s) {
        while (!scratch.waiting[s].empty()) evaluate_pack(programs, packed_nodes, block, s, scratch, accepted);
    }
}

void evaluate_row(const CascadePrograms& programs, const std::uint32_t* block, std::int32_t at, int row, int columns,
                  CascadeScratch& scratch, std::vector<AcceptedWindow>& accepted) {
    const CascadeProgram& dense = programs.dense;
    const CascadeProgram& packed = programs.packed;
    if (dense.kind == CascadeKind::haar) {
        evaluate(programs, dense.haar.data(), packed.haar.data(), block, at, row, columns, scratch, accepted);
    } else {
        evaluate(programs, dense.lbp.data(), packed.lbp.data(), block, at, row, columns, scratch, accepted);
    }
}

void finish_rows(const CascadePrograms& programs, const std::uint32_t* block, CascadeScratch& scratch,
                 std::vector<AcceptedWindow>& accepted) {
    if (programs.packed.kind == CascadeKind::haar) {
        finish(programs, programs.packed.haar.data(), block, scratch, accepted);
    } else {
        finish(programs, programs.packed.lbp.data(), block, scratch, accepted);
    }
}

int simd_lanes() {
    return lanes();
}

const char* target_name() {
    return hwy::TargetName(HWY_TARGET);
}

}  // namespace throng::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace throng {

HWY_EXPORT(evaluate_row);
HWY_EXPORT(finish_rows);
HWY_EXPORT(simd_lanes);
HWY_EXPORT(target_name);

void evaluate_row(const CascadePrograms& programs, const std::uint32_t* block, std::int32_t first, int row, int columns,
                  CascadeScratch& scratch, std::vector<AcceptedWindow>& accepted) {
    const std::size_t words = (static_cast<std::size_t>(columns) + 63) / 64;
    if (scratch.norms.size() < words * 64) scratch.norms.resize(words * 64);
    scratch.fell.assign(words, 0);
    scratch.alive.assign(words, 0);
    const SumsLayout& pack = programs.packed.layout;
    // Up to three entries per window may be written past a row's end.
    const std::size_t entries =
        static_cast<std::size_t>(pack.plane(programs.tilted ? 3 : 1)) + 4 * static_cast<std::size_t>(pack.lanes);
    if (scratch.pack.size() < entries) scratch.pack.resize(entries);
    scratch.waiting.resize(programs.packed.stages.size());
    HWY_DYNAMIC_DISPATCH(evaluate_row)(programs, block, first, row, columns, scratch, accepted);
}

void finish_rows(const CascadePrograms& programs, const std::uint32_t* block, CascadeScratch& scratch,
                 std::vector<AcceptedWindow>& accepted) {
    HWY_DYNAMIC_DISPATCH(finish_rows)(programs, block, scratch, accepted);
}

int simd_lanes() {
    return HWY_DYNAMIC_DISPATCH(simd_lanes)();
}

const char* simd_name() {
    return HWY_DYNAMIC_DISPATCH(target_name)();
}

}  // namespace throng
#endif
