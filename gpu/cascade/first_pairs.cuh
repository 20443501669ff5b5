// The first segment with one thread per pair of neighboring windows. A block keeps the sums of its windows in shared
// memory.
#pragma once

#include <cuda_runtime.h>

#include "gpu/cascade/block_windows.cuh"
#include "gpu/cascade/cascade_launch.h"
#include "gpu/cascade/pairs.cuh"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu::pairs {

// Limits the registers of a thread, so that this many blocks fit on a multiprocessor. Measured on an H200, medians in
// ms, drawn crowd of 60, before blocks added up the columns of their tile:
//   alt2, 1080p, 1.1, from 24 px      4: 0.628  5: 0.621
//   alt2, 2160p, 1.1, from 24 px      4: 1.772  5: 1.732
//   alt2, 1080p, 1.25, 50 to 200 px   4: 0.147  5: 0.157
//   LBP, 1080p, 1.1, from 24 px       4: 0.394  5: 0.390
constexpr int kMinBlocks = 5;

// Positions of a tile's pairs. A slot is the number of a pair: row by row, 32 in a row.
struct PairTile {
    WindowTile tile;
    WindowLevel level;
    std::int32_t pitch;  // of the atlas

    [[nodiscard]] __device__ bool beside() const { return level.level.step == 1; }
    [[nodiscard]] __device__ int row_step() const { return PairLayout::row_step(level.level.step); }
    // Return the column and the row of a window in its level.
    [[nodiscard]] __device__ int column(int slot, int window) const {
        return tile.column + (beside() ? 2 * (slot % 32) + window : slot % 32);
    }
    [[nodiscard]] __device__ int row(int slot, int window) const {
        return tile.row + (beside() ? slot / 32 : 2 * (slot / 32) + window);
    }
    // Return the extent of the level's part from the tile's corner, in pixels.
    [[nodiscard]] __device__ int width() const { return level.level.width - tile.column * level.level.step; }
    [[nodiscard]] __device__ int height() const { return level.level.height - tile.row * level.level.step; }
    // Returns entry (0, 0) of the tile in the atlas.
    [[nodiscard]] __device__ std::int64_t origin() const {
        return level.origin + static_cast<std::int64_t>(tile.row * level.level.step) * pitch +
               tile.column * level.level.step;
    }
    // Returns the pair's corner in shared memory: bytes from the tile's start.
    [[nodiscard]] __device__ std::uint32_t corner(int slot, int words) const {
        return static_cast<std::uint32_t>((slot / 32 * row_step() * words + slot % 32) * 4);
    }
    [[nodiscard]] __device__ std::uint32_t entry(int slot, int window) const {
        return static_cast<std::uint32_t>(origin() + static_cast<std::int64_t>(slot / 32 * row_step()) * pitch +
                                          2 * (slot % 32) + window * (beside() ? 1 : 2 * pitch));
    }
};

// In shared memory, with the words of the tile and the trees. An item of a list is a slot and, above it, a bit for each
// window that remains.
struct PairWindows {
    union {
        int2 squares[kTilePairs];  // of the inner pixels, before stage 0
        float2 norm[kTilePairs];
    };
    std::uint16_t list[2][kTilePairs];
    std::uint32_t count[3];  // in rotation: of the list read, of the list written, and cleared for the next stage
};

// A pair that a thread evaluates.
struct PairAt {
    const unsigned char* tile;
    std::uint32_t corner;  // bytes from the tile's start
    float2 norm;

    [[nodiscard]] __device__ std::uint32_t word(std::uint32_t byte) const {
        return *reinterpret_cast<const std::uint32_t*>(tile + byte);
    }
};

struct PairSums {
    std::int64_t first, second;
};

template <int kNodes>
struct HaarPairs {
    using Tree = PairHaarTree<kNodes>;
    static constexpr bool kNorms = true;

    // Returns the norms of the pair whose corner is at `bytes`. squares: of its windows' inner pixels.
    static __device__ float2 norms(const PairLayout& layout, const CascadeTables& cascade, const unsigned char* bytes,
                                   int2 squares) {
        const auto* words = reinterpret_cast<const std::uint32_t*>(bytes);
        const int w = cascade.geometry.window_width - 2;
        const int h = cascade.geometry.window_height - 2;
        const CascadeRect inner{1, 1, static_cast<std::int16_t>(w), static_cast<std::int16_t>(h)};
        const int2 sums = large_pair_sums(inner, false, [&](int x, int y) { return words[layout.word(x, y)]; });
        return {fast_window_norm(w * h, sums.x, squares.x), fast_window_norm(w * h, sums.y, squares.y)};
    }

    // Adds the leaves of a tree in shared memory.
    static __device__ void add_tree(const Tree& shared, const PairAt& pair, PairSums& sums) {
        const Tree tree = copy_quads(shared);
        const auto edge_of = [&](int k) {
            return [&, k](int e) {
                // Few nodes have the last two edges.
                std::uint32_t corners = e < 4 ? tree.corner[k][e] : shared.more[k][e - 4];
                corners += pair.corner * 0x00010001U;  // added to two corners at once
                return pair.word(corners & 0xFFFFU) - pair.word(corners >> 16);
            };
        };
        PairTest below[kNodes];
        if (tree.apart == 0) {
#pragma unroll
            for (int k = 0; k < kNodes; ++k) {
                below[k] = edges_below(tree.weight[k], tree.threshold[k], pair.norm, edge_of(k));
            }
        } else {
#pragma unroll
            for (int k = 0; k < kNodes; ++k) {
                const std::int8_t* w = tree.weight[k];
                const float weight[] = {static_cast<float>(w[0]), static_cast<float>(w[2]), static_cast<float>(w[4])};
                const auto edge = edge_of(k);
                below[k] = pair_below(weight, tree.threshold[k], w[4] != 0, pair.norm,
                                      [&](int r) { return edge(2 * r) - edge(2 * r + 1); });
            }
        }
        if constexpr (kNodes == 1) {
            sums.first += below[0].first ? tree.leaf[0] : tree.leaf[1];
            sums.second += below[0].second ? tree.leaf[0] : tree.leaf[1];
        } else {
            // Evaluates both nodes: in almost every warp some lane needs the second one.
            const bool deepens = tree.deepens != 0;
            sums.first += below[0].first != deepens ? tree.leaf[0] : below[1].first ? tree.leaf[1] : tree.leaf[2];
            sums.second += below[0].second != deepens ? tree.leaf[0] : below[1].second ? tree.leaf[1] : tree.leaf[2];
        }
    }
};

struct LbpPairs {
    using Tree = PairLbpTree;
    static constexpr bool kNorms = false;

    static __device__ float2 norms(const PairLayout&, const CascadeTables&, const unsigned char*, int2) {
        return {1.0F, 1.0F};
    }

    static __device__ void add_tree(const Tree& tree, const PairAt& pair, PairSums& sums) {
        const PairLbpFeature feature = copy_quads(tree.feature);
        std::uint32_t column[4];
#pragma unroll
        for (int x = 0; x < 4; ++x) column[x] = pair.corner + feature.column[x];
        const std::uint32_t down = feature.down;
        const std::uint32_t codes =
            pair_lbp_codes([&](int x, int y) { return pair.word(column[x] + static_cast<std::uint32_t>(y) * down); });
        const auto leaf = [&](std::uint32_t code) {
            return (tree.subset[code / 32] >> code % 32 & 1U) != 0 ? feature.leaf[0] : feature.leaf[1];
        };
        sums.first += leaf(codes & 0xFFFFU);
        sums.second += leaf(codes >> 16);
    }
};

// Evaluates a stage, each pair with `lanes` neighboring lanes, a power of 2, that share its trees. Returns a bit for each
// window that passes. Called by whole warps.
template <typename F>
__device__ unsigned passing(const PairStage& stage, const typename F::Tree* trees, int lanes, const PairAt& pair) {
    PairSums sums{};
    for (int t = stage.first_tree + (static_cast<int>(threadIdx.x) & (lanes - 1)); t < stage.end_tree; t += lanes) {
        F::add_tree(trees[t], pair, sums);
    }
    __syncwarp();
    for (int step = lanes / 2; step > 0; step /= 2) {
        sums.first += __shfl_xor_sync(kWholeWarp, sums.first, step);
        sums.second += __shfl_xor_sync(kWholeWarp, sums.second, step);
    }
    return (sums.first >= stage.threshold ? 1U : 0U) | (sums.second >= stage.threshold ? 2U : 0U);
}

// Returns how many lanes per pair a short list leaves, as a power of 2: up to one per tree of the stage.
__device__ inline int lanes_per_pair(std::uint32_t count, const PairStage& stage) {
    int power = 0;
    while (power < 5 && count << power <= kBlockThreads / 2 && 2 << power <= stage.end_tree - stage.first_tree) ++power;
    return power;
}

// Spreads 32 bits to the even bits of a word.
__device__ inline std::uint64_t spread(std::uint32_t bits) {
    std::uint64_t x = bits;
    x = (x | x << 16) & 0x0000FFFF0000FFFFULL;
    x = (x | x << 8) & 0x00FF00FF00FF00FFULL;
    x = (x | x << 4) & 0x0F0F0F0F0F0F0F0FULL;
    x = (x | x << 2) & 0x3333333333333333ULL;
    return (x | x << 1) & 0x5555555555555555ULL;
}

// Evaluates stage 0 of the 32 pairs of a row with one warp: lists the remaining ones and stores the rejections for
// later kernels. slot: the lane's.
template <typename F, typename Filter>
__device__ void first_stage(const PairTables& tables, const CascadeTables& cascade, const WindowTask& task,
                            const PairTile& tile, const typename F::Tree* trees, const unsigned char* bytes, int slot,
                            PairWindows& windows, const Filter& filter) {
    const int lane = threadIdx.x % 32;
    const WindowLevel& level = tile.level;
    if (tile.row(slot, 0) >= level.level.rows) return;  // the whole warp

    const auto is_candidate = [&](int window) {
        const int column = tile.column(slot, window);
        const int row = tile.row(slot, window);
        return column < level.level.columns && row < level.level.rows && filter.admits(task, level, column, row);
    };
    const std::uint32_t corner = tile.corner(slot, tables.layout.pitch);
    float2 norm = F::norms(tables.layout, cascade, bytes + corner, windows.squares[slot]);
    if (!is_candidate(0)) norm.x = 0.0F;
    if (!is_candidate(1)) norm.y = 0.0F;
    const unsigned evaluated = (norm.x != 0.0F ? 1U : 0U) | (norm.y != 0.0F ? 2U : 0U);
    const PairAt pair{bytes, corner, norm};
    unsigned alive = 0;
    if (__any_sync(kWholeWarp, evaluated != 0)) {
        alive = evaluated & passing<F>(load_quads(tables.stages), trees, 1, pair);
    }
    const unsigned fell = evaluated & ~alive;
    const unsigned falls[2] = {__ballot_sync(kWholeWarp, (fell & 1) != 0), __ballot_sync(kWholeWarp, (fell & 2) != 0)};
    const int word = tile.tile.column / 32;
    const bool first_is_first = tile.tile.column == 0;
    bool skipped[2];
    if (tile.beside()) {
        const std::uint64_t row = spread(falls[0]) | spread(falls[1]) << 1;
        for (int w = 0; w < 2; ++w) skipped[w] = is_skipped(row, 2 * lane + w, first_is_first);
        if (lane < 2 && word + lane < level.words) {
            task.fell[level.first_word + tile.row(slot, 0) * level.words + word + lane] =
                static_cast<std::uint32_t>(row >> (32 * lane));
        }
    } else {
        for (int w = 0; w < 2; ++w) skipped[w] = is_skipped(falls[w], lane, first_is_first);
        if (lane < 2 && tile.row(slot, lane) < level.level.rows) {
            task.fell[level.first_word + tile.row(slot, lane) * level.words + word] = falls[lane];
        }
    }
    alive &= (skipped[0] ? 0U : 1U) | (skipped[1] ? 0U : 2U);
    if (alive != 0) windows.norm[slot] = norm;
    append(windows.list[0], &windows.count[0], alive != 0, slot | static_cast<int>(alive) * kTilePairs);
}

// Copies the sums of the tile's windows to shared memory, in pairs.
__device__ inline void load_tile(const PairLayout& layout, const WindowTask& task, const PairTile& tile,
                                 std::uint32_t* words) {
    const int height = tile.height();
    const int rows = min(layout.rows(tile.level.level.step), height + 1);
    const int columns = min(layout.columns, tile.width() + 1);
    const std::int64_t pitch = task.pyramid.pitch;
    for (int x = threadIdx.x; x < columns; x += kBlockThreads) {
        const std::uint32_t* first = task.pyramid.sums + tile.origin() + x;
        const std::uint32_t* second = tile.beside() ? first + (x < tile.width() ? 1 : 0) : first;
        const int down = tile.beside() ? 0 : 2;
        const auto load_plane = [&](std::int64_t plane, int to) {
            load_column(
                rows, task.rows_only,
                [&](int y) {
                    return pack_pair(__ldg(first + plane + y * pitch),
                                     __ldg(second + plane + min(y + down, height) * pitch));
                },
                [&](int y, std::uint32_t word) { words[to + layout.word(x, y)] = word; });
        };
        load_plane(0, 0);
        if (layout.tilted != 0) load_plane(task.pyramid.tilted, layout.tilted);
    }
}

// Copies the sums of squares of the windows' inner pixels, of one window per word. Word (0, 0) is entry (1, 1) of the
// tile.
__device__ inline void load_squares(const PairLayout& layout, const WindowTask& task, const PairTile& tile,
                                    std::uint32_t* words) {
    const int rows = min(layout.rows(tile.level.level.step), tile.height());
    const int columns = min(layout.columns, tile.width());
    const std::int64_t pitch = task.pyramid.pitch;
    for (int x = threadIdx.x; x < columns; x += kBlockThreads) {
        const std::uint32_t* from = task.pyramid.sums + task.pyramid.squares + tile.origin() + pitch + 1 + x;
        load_column(
            rows, task.rows_only, [&](int y) { return __ldg(from + y * pitch); },
            [&](int y, std::uint32_t word) { words[layout.word(x, y)] = word; });
    }
}

// Returns the sums of squares of a pair from the words of load_squares.
__device__ inline int2 inner_squares(const PairLayout& layout, const CascadeTables& cascade, const PairTile& tile,
                                     int slot, const std::uint32_t* words) {
    const int w = cascade.geometry.window_width - 2;
    const int h = cascade.geometry.window_height - 2;
    const auto sum_at = [&](int x, int y) {
        return corner_sum(words[layout.word(x, y)], words[layout.word(x + w, y)], words[layout.word(x, y + h)],
                          words[layout.word(x + w, y + h)]);
    };
    const int x = 2 * (slot % 32);
    const int y = slot / 32 * tile.row_step();
    return {sum_at(x, y), tile.beside() ? sum_at(x + 1, y) : sum_at(x, y + 2)};
}

// Passes the remaining windows to the next segment; neighbors stay adjacent.
__device__ inline void push_pairs(const WindowTask& task, const WindowQueue& next, const PairTile& tile,
                                  const PairWindows& windows, const std::uint16_t* list, std::uint32_t count) {
    std::uint32_t* const queued = &next.counters->queued;
    const int lane = threadIdx.x % 32;
    const unsigned below = (1U << lane) - 1;
    for (std::uint32_t base = threadIdx.x / 32 * 32; base < count; base += kBlockThreads) {
        const int item = base + lane < count ? list[base + lane] : 0;
        const int slot = item % kTilePairs;
        const bool alive[2] = {(item & kTilePairs) != 0, (item & 2 * kTilePairs) != 0};
        const unsigned first = __ballot_sync(kWholeWarp, alive[0]);
        const unsigned second = __ballot_sync(kWholeWarp, alive[1]);
        std::uint32_t to = 0;
        if (lane == 0) to = atomicAdd(queued, static_cast<std::uint32_t>(__popc(first) + __popc(second)));
        to = __shfl_sync(kWholeWarp, to, 0) + __popc(first & below) + __popc(second & below);
        const float2 norm = windows.norm[slot];
        if (alive[0]) enqueue_window(task, next, to++, {tile.entry(slot, 0), norm.x, 0.0});
        if (alive[1]) enqueue_window(task, next, to, {tile.entry(slot, 1), norm.y, 0.0});
    }
}

// stages: of the segment.
template <typename F, typename Filter>
__global__ void __launch_bounds__(kBlockThreads, kMinBlocks)
    window_pairs_kernel(const __grid_constant__ PairTables tables, const __grid_constant__ CascadeTables cascade,
                        const __grid_constant__ WindowTask task, const WindowTile* tiles, int stages, WindowQueue next,
                        int tile_quads, const __grid_constant__ Filter filter) {
    extern __shared__ int4 shared[];  // the tile, then the trees
    __shared__ PairWindows windows;
    const WindowTile own = tiles[blockIdx.x];
    const PairTile tile{own, task.levels[own.level], task.pyramid.pitch};
    const auto* bytes = reinterpret_cast<const unsigned char*>(shared);
    const auto* trees = reinterpret_cast<const typename F::Tree*>(shared + tile_quads);
    if (threadIdx.x < 3) windows.count[threadIdx.x] = 0;
    for (int i = threadIdx.x; i < tables.tree_quads; i += kBlockThreads) {
        shared[tile_quads + i] = __ldg(static_cast<const int4*>(tables.trees) + i);
    }
    auto* words = reinterpret_cast<std::uint32_t*>(shared);
    const int first_slot = static_cast<int>(threadIdx.x);  // a thread evaluates stage 0 of every kBlockThreads-th pair
    if constexpr (F::kNorms) {
        load_squares(tables.layout, task, tile, words);
        __syncthreads();
        for (int slot = first_slot; slot < kTilePairs; slot += kBlockThreads) {
            windows.squares[slot] = inner_squares(tables.layout, cascade, tile, slot, words);
        }
        __syncthreads();
    }
    load_tile(tables.layout, task, tile, words);
    __syncthreads();
    for (int slot = first_slot; slot < kTilePairs; slot += kBlockThreads) {
        first_stage<F>(tables, cascade, task, tile, trees, bytes, slot, windows, filter);
    }
    __syncthreads();
    int turn = 0;
    for (int s = 1; s < stages; ++s, ++turn) {
        const std::uint32_t count = windows.count[turn % 3];
        if (count == 0) return;
        if (threadIdx.x == 0) windows.count[(turn + 2) % 3] = 0;
        const std::uint16_t* list = windows.list[turn % 2];
        const PairStage stage = load_quads(tables.stages + s);
        const int power = lanes_per_pair(count, stage);
        const int lanes = 1 << power;
        for (std::uint32_t base = threadIdx.x / 32 * 32 >> power; base < count; base += kBlockThreads >> power) {
            const std::uint32_t i = base + (threadIdx.x % 32 >> power);
            const int item = list[min(i, count - 1)];
            const int slot = item % kTilePairs;
            const PairAt pair{bytes, tile.corner(slot, tables.layout.pitch), windows.norm[slot]};
            unsigned alive = item / kTilePairs & passing<F>(stage, trees, lanes, pair);
            if (i >= count || (threadIdx.x & (lanes - 1)) != 0) alive = 0;  // one lane lists the pair
            append(windows.list[(turn + 1) % 2], &windows.count[(turn + 1) % 3], alive != 0,
                   slot | static_cast<int>(alive) * kTilePairs);
        }
        __syncthreads();
    }
    push_pairs(task, next, tile, windows, windows.list[turn % 2], windows.count[turn % 3]);
}

// Launches the kernel for the kind of the model. See launch_window_pairs.
template <typename Filter>
void launch(const CascadeLaunch& work, const PairTables& tables, int stages, const WindowQueue& next,
            const Filter& filter) {
    const WindowTiles& tiles = work.tiles;
    if (tiles.count == 0) return;
    const int tile_quads = (static_cast<int>(tables.layout.bytes(tiles.max_step)) + 15) / 16;
    const std::size_t bytes = static_cast<std::size_t>(tile_quads + tables.tree_quads) * 16;
    const auto use = [&](auto features) {
        LaunchChain(work.stream, false)
            .launch("window_pairs_kernel", window_pairs_kernel<decltype(features), Filter>,
                    LaunchSize{static_cast<unsigned>(tiles.count), kBlockThreads, bytes}, tables, work.cascade,
                    work.task, tiles.first, stages, next, tile_quads, filter);
    };
    if (work.cascade.geometry.kind == CascadeKind::lbp) return use(LbpPairs{});
    work.cascade.nodes_per_tree == 1 ? use(HaarPairs<1>{}) : use(HaarPairs<2>{});
}

}  // namespace throng::gpu::pairs
