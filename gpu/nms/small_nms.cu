#include "gpu/nms/small_nms.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <type_traits>

#include "gpu/nms/chained.h"
#include "gpu/nms/small_finish.cuh"
#include "gpu/nms/small_larger.cuh"
#include "gpu/nms/small_lose.cuh"
#include "gpu/nms/small_match.cuh"

// No detection is sorted. Kernels that start early, each of which waits for all of the one before:
//   match:  who suppresses whom, as a matrix of bits. Who is suppressed by nobody is kept, by one-pass and by greedy.
//   lose:   greedy only. Who is suppressed by one of those is lost. Of the others, about a tenth, the suppressors are
//           listed; of one frame of more than 2048, all open ones are numbered, and rows of bits tell.
//   finish: a block for 32 detections: looks in their rows for the first kept one that suppresses each, and writes what
//           is kept of them. Before that, under greedy, every block decides all those that are open. What another block
//           knows already is computed again rather than waited for.
//   drop:   with a least number of hits only: what has fewer.
namespace throng::gpu {
namespace {

// Tiles of match. Up to so many detections, and frames, they are small: the more of them, the more blocks with little
// to do. Measured with 1 and 64 frames only, where large tiles are 4 % faster for the 64.
constexpr std::int32_t kFew = 2048;
constexpr std::int32_t kFewFrames = 4;
// Up to so many detections of one frame, tiles that let all blocks run at once.
constexpr std::int32_t kSome = 3072;
using MatchFew = SmallMatch<64, 128>;
using MatchSome = SmallMatch<96, 288>;
using MatchMany = SmallMatch<128, 256>;
static_assert(kSome <= SmallNmsScratch::kTiles * MatchSome::kTileSize);
static_assert(kFew <= SmallNmsScratch::kTiles * MatchFew::kTileSize);
static_assert(kSmallNmsLimit <= SmallNmsScratch::kTiles * MatchMany::kTileSize);
constexpr std::uint32_t kThreads = 1024;  // of lose and finish
constexpr std::uint32_t kDropThreads = 512;
// Groups that a block of finish looks at together, where it has several.
template <class Tasks>
constexpr std::uint32_t kAtOnce = std::is_same_v<Tasks, TaskOfFrame> ? 4 : 1;

// kBlocks: that a multiprocessor is to run at once. Where few do, each thread has more registers, but what does not run
// at once runs later.
template <class Match, unsigned kBlocks, class Tasks, class Larger>
__global__ void __launch_bounds__(Match::kWarps * 32, blocks_at_once(Match::kWarps * 32, kBlocks))
    match_kernel(const __grid_constant__ Tasks tasks, const __grid_constant__ NmsRuleSet rules,
                 const __grid_constant__ SmallShape shape, const __grid_constant__ Larger larger) {
    const SmallNmsTask& task = tasks.get();
    typename Larger::template First<Match::kWarps * 32> first;
    const auto load = [&] { first.load(task.task); };
    __shared__ typename Match::Shared memory;
    auto& s = hold_address(&memory);
    const bool taken = shape.plan.plain ? Match::template run<true>(s, task, rules, shape, load)
                                        : Match::template run<false>(s, task, rules, shape, load);
    if (!taken) first.run(larger, task.task);
}

template <std::uint32_t kEach, bool together, class Tasks, class Larger>
__global__ void __launch_bounds__(kThreads, 1)
    lose_kernel(const __grid_constant__ Tasks tasks, const __grid_constant__ SmallShape shape,
                const __grid_constant__ Larger larger) {
    const SmallNmsTask& task = tasks.get();
    if (!SmallLose<kThreads, kEach, together>::run(task, shape)) larger.second(task.task);
}

template <std::uint32_t kEach, bool greedy, bool rows_made, class Tasks, class Larger>
__global__ void __launch_bounds__(kThreads, 1)
    finish_kernel(const __grid_constant__ Tasks tasks, const __grid_constant__ NmsRuleSet rules,
                  const __grid_constant__ SmallShape shape, const __grid_constant__ Larger larger) {
    const SmallNmsTask& task = tasks.get();
    if (SmallFinish<kThreads, kEach, kAtOnce<Tasks>, greedy, rows_made>::run(task, rules, shape)) return;
    if constexpr (greedy) {
        larger.third(task.task);
    } else {
        larger.second(task.task);
    }
}

template <class Tasks>
__global__ void __launch_bounds__(kDropThreads)
    drop_kernel(const __grid_constant__ Tasks tasks, const __grid_constant__ NmsRuleSet rules,
                const __grid_constant__ SmallShape shape) {
    drop_few_hits<kDropThreads>(tasks.get(), rules, shape);
}

std::uint32_t room_for(std::int32_t capacity) {
    const auto whole = [n = static_cast<std::uint32_t>(std::max(capacity, 1))](std::uint32_t tile) {
        return (n + tile - 1) / tile * tile;
    };
    return std::max(whole(MatchSome::kTileSize), whole(MatchMany::kTileSize));
}

// Of the matrix. The later kernels know it when they are compiled, so that they need not compute addresses with it.
std::uint32_t stride_for(std::int32_t capacity) {
    return capacity <= kFew ? kFew : capacity <= kSome ? kSome : kSmallNmsLimit;
}

// Words of SmallNmsScratch::rows.
std::size_t row_words(std::int32_t capacity) {
    const std::size_t most = most_open(stride_for(capacity));
    return most / 32 * most;
}

template <class Tasks, class Larger>
struct Launch {
    const DeviceInfo& device;
    StreamView stream;
    const Tasks& tasks;
    unsigned frames = 1;
    const NmsRuleSet& rules;
    SmallShape shape;
    Larger larger;
    unsigned first_blocks = 0;  // that `larger` needs of match at least,
    unsigned later_blocks = 0;  // and of the kernels after it; 0: as the small frames need
    bool reduce_alone = false;

    static constexpr bool kMayMeet = std::is_same_v<Tasks, OneTask> && std::is_same_v<Larger, LeaveLarger>;

    template <typename... Parameters, typename... Arguments>
    void run(const char* name, void (*kernel)(Parameters...), const LaunchSize& size, LaunchWay way,
             const Arguments&... arguments) const {
        if (size.shared > 0) {
            check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(size.shared)),
                       name);
        }
        LaunchChain(device, stream).launch(name, kernel, size, way, tasks, arguments...);
    }

    template <class Match, unsigned kBlocks>
    void match() const {
        const unsigned tiles = (shape.capacity + shape.tile - 1) / shape.tile;
        const unsigned blocks = std::max(tiles * (tiles + 1) / 2, first_blocks);
        run("match_kernel", &match_kernel<Match, kBlocks, Tasks, Larger>, {dim3(blocks, frames), Match::kWarps * 32},
            LaunchWay{}, rules, shape, larger);
    }
    void match() const {
        if constexpr (std::is_same_v<Larger, BinLarger>) {
            match<MatchMany, 3>();  // with fewer registers it loads what larger frames need later
        } else if (shape.tile == MatchFew::kTileSize) {
            match<MatchFew, 3>();
        } else if constexpr (std::is_same_v<Tasks, TaskOfFrame>) {
            match<MatchMany, 5>();
        } else if (shape.tile == MatchSome::kTileSize) {
            match<MatchSome, 4>();
        } else {
            match<MatchMany, 4>();
        }
    }

    // Of many frames each gets few blocks, which take several groups: much of what a block does is for all of them. So
    // few that all run at once, at_once of them on a multiprocessor.
    [[nodiscard]] dim3 blocks(unsigned at_once) const {
        const unsigned share = static_cast<unsigned>(device.multiprocessors) * at_once / frames;
        const unsigned groups = words_for(shape.capacity);
        return {later_blocks > 0 ? later_blocks : std::clamp(share, 1U, groups), frames};
    }

    // kEach: words of a row that a warp takes.
    template <std::uint32_t kEach, bool together>
    void lose() const {
        run("lose_kernel", &lose_kernel<kEach, together, Tasks, Larger>, {blocks(2), kThreads},
            LaunchWay{.early = !reduce_alone, .together = together}, shape, larger);
    }
    template <std::uint32_t kEach, bool greedy, bool rows_made>
    void finish(bool early) const {
        using Finish = SmallFinish<kThreads, kEach, kAtOnce<Tasks>, greedy, rows_made>;
        run("finish_kernel", &finish_kernel<kEach, greedy, rows_made, Tasks, Larger>,
            {blocks(1), kThreads, sizeof(typename Finish::Shared)}, LaunchWay{.early = early}, rules, shape, larger);
    }

    template <std::uint32_t kEach>
    void reduce() const {
        if (rules.rule != NmsRule::greedy) {
            finish<kEach, false, false>(!reduce_alone);
        } else if (shape.together) {
            if constexpr (kMayMeet) {
                lose<kEach, true>();
                finish<kEach, true, true>(true);
            }
        } else {
            lose<kEach, false>();
            finish<kEach, true, false>(true);
        }
        if (rules.min_hits > 1)
            run("drop_kernel", &drop_kernel<Tasks>, {dim3(1, frames), kDropThreads}, LaunchWay{}, rules, shape);
    }

    void all(SmallNmsPart part) const {
        if (part != SmallNmsPart::reduce) match();
        if (part == SmallNmsPart::map) return;
        if (static_cast<std::int32_t>(shape.capacity) <= kFew) {
            reduce<kFew / kThreads>();
        } else if (static_cast<std::int32_t>(shape.capacity) <= kSome) {
            reduce<kSome / kThreads>();
        } else {
            reduce<kSmallNmsLimit / kThreads>();
        }
    }
};

SmallShape make_shape(std::int32_t capacity, std::uint32_t tile, const NmsRuleSet& rules, bool optional_fields,
                      bool together) {
    return {static_cast<std::uint32_t>(capacity),
            stride_for(capacity),
            tile,
            make_pair_plan(rules),
            optional_fields,
            together};
}

std::uint32_t tile_for(std::int32_t capacity, std::int32_t frames, bool one) {
    if (capacity <= kFew && frames <= kFewFrames) return MatchFew::kTileSize;
    return one && capacity <= kSome ? MatchSome::kTileSize : MatchMany::kTileSize;
}

template <class Tasks>
void launch(SmallNmsPart part, const DeviceInfo& device, const Tasks& tasks, std::int32_t frames, std::int32_t capacity,
            const NmsRuleSet& rules, bool optional_fields, StreamView stream) {
    constexpr bool kOne = std::is_same_v<Tasks, OneTask>;
    const std::uint32_t tile = tile_for(capacity, frames, kOne);
    // Of lose a multiprocessor runs one block at least. Not for fewer: 1027 took 7.1 instead of 6.8 us.
    const bool together =
        kOne && rules.rule == NmsRule::greedy && tile != MatchFew::kTileSize &&
        words_for(static_cast<std::uint32_t>(capacity)) <= static_cast<std::uint32_t>(device.multiprocessors);
    const SmallShape shape = make_shape(capacity, tile, rules, optional_fields, together);
    Launch<Tasks, LeaveLarger>{.device = device,
                               .stream = stream,
                               .tasks = tasks,
                               .frames = static_cast<unsigned>(frames),
                               .rules = rules,
                               .shape = shape,
                               .larger = {},
                               .reduce_alone = part == SmallNmsPart::reduce}
        .all(part);
}

// The fewest threads a block, a power of two from 256 on, with which `items` take no more blocks than there are
// multiprocessors; 1024 where none does.
std::uint32_t spread(std::uint32_t items, const DeviceInfo& device) {
    std::uint32_t threads = 256;
    while (threads < kThreads && items > threads * (static_cast<std::uint32_t>(device.multiprocessors) - 1))
        threads *= 2;
    return threads;
}

}  // namespace

std::int32_t small_nms_limit(const DeviceInfo& device) {
    using Finish = SmallFinish<kThreads, kSmallNmsLimit / kThreads, kAtOnce<TaskOfFrame>, true, false>;
    return sizeof(Finish::Shared) + sizeof(SmallNmsTask) <= device.shared_memory ? kSmallNmsLimit : kFew;
}

SmallNmsScratch lay_out_small_nms(std::byte* d_memory, std::int32_t capacity) {
    const std::size_t room = room_for(capacity);
    const std::size_t words = room / 32;
    SmallNmsScratch s;
    s.matrix = reinterpret_cast<std::uint32_t*>(d_memory);
    s.gone = s.matrix + words * stride_for(capacity);
    s.edges = s.gone + stride_for(capacity) / 32 * SmallNmsScratch::kTiles;
    s.open = s.edges + words * SmallNmsScratch::kSegment;
    s.rows = s.open + words * SmallNmsScratch::kLine;
    s.who = s.rows + row_words(capacity);
    s.hits = reinterpret_cast<std::int32_t*>(s.who + most_open(stride_for(capacity)));
    s.source = s.hits + room;
    s.invalid = reinterpret_cast<std::uint32_t*>(s.source + room);
    return s;
}

std::size_t small_nms_bytes(std::int32_t capacity) {
    const std::size_t room = room_for(capacity);
    const std::size_t words = room / 32;
    const std::size_t each = stride_for(capacity) + SmallNmsScratch::kSegment + SmallNmsScratch::kLine + 1;
    const std::size_t gone = stride_for(capacity) / 32 * SmallNmsScratch::kTiles;
    const std::size_t numbered = row_words(capacity) + most_open(stride_for(capacity));
    const std::size_t bytes =
        (words * each + gone + numbered) * sizeof(std::uint32_t) + room * 2 * sizeof(std::int32_t);
    return (bytes + 255) / 256 * 256;
}

void launch_small_nms(SmallNmsPart part, const DeviceInfo& device, const SmallNmsTask& task, std::int32_t capacity,
                      const NmsRuleSet& rules, StreamView stream) {
    launch(part, device, OneTask{task}, 1, capacity, rules, has_optional_fields(task.task.kept), stream);
}

void launch_small_nms_or_binning(const DeviceInfo& device, const SmallNmsTask& task, std::int32_t capacity,
                                 const NmsRuleSet& rules, const GridBuild& build, StreamView stream) {
    const auto n = static_cast<std::uint32_t>(task.task.raw.capacity);
    const auto blocks_for = [](std::uint32_t items, std::uint32_t each) { return (items + each - 1) / each; };
    const std::uint32_t fours = build.grid.cells_in_all() / 4;
    BinLarger larger{build, spread(fours, device), 0, spread(n, device)};
    larger.allot_blocks = fours / larger.allot_threads;
    const OneTask one{task};
    const bool greedy = rules.rule == NmsRule::greedy;
    const SmallShape shape =
        make_shape(capacity, MatchMany::kTileSize, rules, has_optional_fields(task.task.kept), false);
    const unsigned fill_blocks = greedy ? blocks_for(n, larger.fill_threads) : 0;
    Launch<OneTask, BinLarger>{.device = device,
                               .stream = stream,
                               .tasks = one,
                               .rules = rules,
                               .shape = shape,
                               .larger = larger,
                               .first_blocks = blocks_for(n, MatchMany::kWarps * 32),
                               .later_blocks = std::max(larger.allot_blocks + 1, fill_blocks)}
        .all(SmallNmsPart::all);
    if (!greedy) launch_grid_fill(build, task.task, LaunchChain(device, stream));
}

void launch_small_nms_batch(SmallNmsPart part, const DeviceInfo& device, const SmallNmsTask* d_tasks,
                            std::int32_t frames, std::int32_t capacity, const NmsRuleSet& rules, StreamView stream) {
    launch(part, device, TaskOfFrame{d_tasks}, frames, capacity, rules, true, stream);
}

}  // namespace throng::gpu
