#include "core/cpu/cascade_kernels.h"

#include <cstddef>

#include "core/algo/cascade_levels.h"

#include "core/cpu/simd_targets.h"

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

// As many doubles as there are windows in a block.
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

// window_norm of core/algo/cascade.h; bit i of flat is set where window i is flat.
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
        // A flat window gets an infinite norm, which the comparison below takes out.
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

// Entry `index` < 8 of a table, a different index a lane.
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

// Bit `code` of the subset, a different code a lane.
HWY_INLINE hn::Mask<DF> in_subset(const std::uint32_t* subset, hn::Vec<DU> code) {
    const DU d;
    const auto words = table_of_8(d, subset, hn::BitCast(DI(), hn::ShiftRight<5>(code)));
    const auto bit = hn::Shr(words, hn::And(code, hn::Set(d, 31)));
    return hn::RebindMask(DF(), hn::Ne(hn::And(bit, hn::Set(d, 1)), hn::Zero(d)));
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
    const auto centre = block(p5, p6, p9, p10);
    auto code = hn::Zero(du);
    const auto add = [&](Ints neighbour, std::uint32_t weight) HWY_ATTR {
        code = hn::Or(code, hn::IfThenZeroElse(hn::RebindMask(du, hn::Lt(neighbour, centre)), hn::Set(du, weight)));
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

// The leaf each window ends in. Nodes come before their children, so one pass over them follows all paths at once.
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
    Ints place = hn::Zero(di);  // node reached, or minus the leaf; the root is never a child
    Floats value = hn::Zero(df);
    auto open = hn::Eq(place, place);
    for (int n = 0; n < count; ++n) {
        const auto here = hn::And(open, hn::Eq(place, hn::Set(di, n)));
        const auto left = goes_left(nodes[n], at, norm);
        const auto go = [&](hn::Mask<DI> these, std::int32_t child) HWY_ATTR {
            if (child > 0) {
                place = hn::IfThenElse(these, hn::Set(di, child), place);
            } else {
                value = hn::IfThenElse(hn::RebindMask(df, these), leaf(child), value);
                open = hn::AndNot(these, open);
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

HWY_INLINE Sums margins(Sums sums, float threshold) {
    const auto t = hn::Set(DD(), static_cast<double>(threshold));
    return {hn::Sub(sums.low, t), hn::Sub(sums.high, t)};
}

HWY_INLINE void store(Sums sums, double* to) {
    hn::StoreU(sums.low, DD(), to);
    hn::StoreU(sums.high, DD(), to + hn::Lanes(DD()));
}

HWY_INLINE Sums load(const double* from) {
    return {hn::LoadU(DD(), from), hn::LoadU(DD(), from + hn::Lanes(DD()))};
}

// Norms and stage 0 of every window of the row.
template <class Node>
void first_stage(const CascadeProgram& program, const Node* nodes, const std::uint32_t* sums, int columns,
                 CascadeScratch& scratch) {
    const int lanes = static_cast<int>(hn::Lanes(DU()));
    const CascadeStage& stage = program.stages[0];
    for (int i = 0; i < columns; i += lanes) {
        const std::uint32_t inside = columns - i >= 32 ? ~0U : (1U << (columns - i)) - 1U;
        Floats norm = hn::Set(DF(), 1.0F);
        std::uint32_t flat = 0;
        if (program.kind == CascadeKind::haar) norm = window_norms(program, sums + i, flat);
        hn::StoreU(norm, DF(), scratch.norms.data() + i);
        const std::uint32_t all = static_cast<std::uint32_t>((std::uint64_t{1} << lanes) - 1) & inside & ~flat;
        std::uint32_t passed = 0;
        if (all != 0) {
            const Sums sum = stage_sums(program, nodes, stage, sums + i, norm);
            store(margins(sum, stage.threshold), scratch.margins.data() + i);
            passed = not_below(sum, stage.threshold) & all;
        }
        scratch.alive[static_cast<std::size_t>(i) / 64] |= static_cast<std::uint64_t>(passed) << (i % 64);
        scratch.fell[static_cast<std::size_t>(i) / 64] |= static_cast<std::uint64_t>(all & ~passed) << (i % 64);
    }
}

// Stages 1 and on of a block of which the windows in `alive` are left. Returns those that all stages accept.
template <class Node>
std::uint32_t later_stages(const CascadeProgram& program, const Node* nodes, const std::uint32_t* at,
                           const float* norms, double* margin, std::uint32_t alive) {
    const Floats norm = hn::LoadU(DF(), norms);
    Sums score = load(margin);
    for (std::size_t s = 1; s < program.stages.size(); ++s) {
        const CascadeStage& stage = program.stages[s];
        const Sums sum = stage_sums(program, nodes, stage, at, norm);
        alive &= not_below(sum, stage.threshold);
        if (alive == 0) return 0;
        score = score + margins(sum, stage.threshold);
    }
    store(score, margin);
    return alive;
}

template <class Node>
void evaluate(const CascadeProgram& program, const Node* nodes, const std::uint32_t* sums, int row, int columns,
              CascadeScratch& scratch, std::vector<AcceptedWindow>& accepted) {
    first_stage(program, nodes, sums, columns, scratch);
    const int lanes = static_cast<int>(hn::Lanes(DU()));
    const std::uint64_t lane_mask = (std::uint64_t{1} << lanes) - 1;
    std::uint32_t skip = 0;
    for (std::size_t word = 0; word < scratch.fell.size(); ++word) {
        const std::uint64_t visited = visited_windows(scratch.fell[word], skip);
        const std::size_t inside = static_cast<std::size_t>(columns) - word * 64;
        const std::uint64_t all = inside >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << inside) - 1;
        scratch.visited += static_cast<std::int64_t>(hwy::PopCount(visited & all));
        const std::uint64_t alive = scratch.alive[word] & visited;
        for (int shift = 0; shift < 64 && (alive >> shift) != 0; shift += lanes) {
            const auto block = static_cast<std::uint32_t>((alive >> shift) & lane_mask);
            if (block == 0) continue;
            const std::size_t first = word * 64 + static_cast<std::size_t>(shift);
            std::uint32_t left = later_stages(program, nodes, sums + first, scratch.norms.data() + first,
                                              scratch.margins.data() + first, block);
            for (; left != 0; left &= left - 1) {
                const std::size_t i = first + hwy::Num0BitsBelowLS1Bit_Nonzero32(left);
                accepted.push_back({row, static_cast<std::int32_t>(i), static_cast<float>(scratch.margins[i])});
            }
        }
    }
}

void evaluate_row(const CascadeProgram& program, const std::uint32_t* sums, int row, int columns,
                  CascadeScratch& scratch, std::vector<AcceptedWindow>& accepted) {
    if (program.kind == CascadeKind::haar) {
        evaluate(program, program.haar.data(), sums, row, columns, scratch, accepted);
    } else {
        evaluate(program, program.lbp.data(), sums, row, columns, scratch, accepted);
    }
}

const char* target_name() {
    return hwy::TargetName(HWY_TARGET);
}

}  // namespace throng::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace throng {

HWY_EXPORT(evaluate_row);
HWY_EXPORT(target_name);

void evaluate_row(const CascadeProgram& program, const std::uint32_t* sums, int row, int columns,
                  CascadeScratch& scratch, std::vector<AcceptedWindow>& accepted) {
    const auto windows = static_cast<std::size_t>(columns);
    const std::size_t words = (windows + 63) / 64;
    if (scratch.norms.size() < words * 64) {
        scratch.norms.resize(words * 64);
        scratch.margins.resize(words * 64);
    }
    scratch.fell.assign(words, 0);
    scratch.alive.assign(words, 0);
    HWY_DYNAMIC_DISPATCH(evaluate_row)(program, sums, row, columns, scratch, accepted);
}

const char* simd_name() {
    return HWY_DYNAMIC_DISPATCH(target_name)();
}

}  // namespace throng
#endif
