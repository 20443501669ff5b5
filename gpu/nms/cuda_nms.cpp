#include "gpu/nms/cuda_nms.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "core/base/error.h"
#include "core/detect/null_recorder.h"
#include "gpu/runtime/replay.h"

namespace throng::gpu {
namespace {

constexpr std::size_t kKnownLaunches = 64;  // settings and sizes change seldom

void require_columns(const DetectionSpan& raw, const NmsParams& params) {
    const auto lacks = [](const char* what, const char* pair) {
        throw Error(ErrorKind::input, {"the detections have no %1", what}, Setting{"pair", pair},
                    {"use detections that have it, or %1", Setting{"pair", "overlap"}});
    };
    if (raw.capacity == 0) return;
    if (params.pair == PairRule::adaptive && raw.density == nullptr) lacks("density", "adaptive");
    if (params.pair == PairRule::feature && raw.features == nullptr) lacks("features", "feature");
}

void check_rules(const NmsParams& params) {
    check_params(params);
    if (params.ties == Ties::index) {
        throw Error(ErrorKind::unavailable, "the order by index is not available on CUDA", Setting{"ties", "index"},
                    {"use %1", Setting{"backend", "cpu"}});
    }
}

template <class Launch>
void timed(StageRecorder& recorder, std::string_view name, const Launch& launch) {
    const ScopedStage stage(recorder, name);
    launch();
}

template <class Engine>
void run_stages(const Engine& engine, const NmsTask& task, const NmsRuleSet& rules, StageRecorder& recorder,
                StreamView stream) {
    timed(recorder, stage::kNmsOrder, [&] { engine.launch_order(task, rules, stream); });
    timed(recorder, stage::kNmsMap, [&] { engine.launch_map(task, rules, stream); });
    timed(recorder, stage::kNmsReduce, [&] { engine.launch_reduce(task, rules, stream); });
}

}  // namespace

CudaNms::CudaNms(const DeviceInfo& device, StreamView stream, FastEngine engine,
                 std::shared_ptr<const ExpectedCount> expected)
    : device_(device), stream_(stream), engine_(engine), expected_(std::move(expected)) {}

void CudaNms::prepare(std::int32_t raw_capacity, std::int32_t kept_capacity, const NmsParams& params,
                      ClearedWords* to_clear) {
    if (raw_capacity > raw_capacity_ || kept_capacity > kept_capacity_) {
        // Free the scratch for smaller buffers first, so that the new scratch fits.
        const std::int32_t raw = std::max(raw_capacity, raw_capacity_);
        const std::int32_t kept = std::max(kept_capacity, kept_capacity_);
        release();
        raw_capacity_ = raw;
        kept_capacity_ = kept;
    }
    try {
        allocate(params, to_clear);
    } catch (...) {
        release();  // memory may still suffice for smaller buffers
        throw;
    }
}

std::uint64_t CudaNms::prepare_launches(const DetectionBuffer& raw, const DetectionBuffer& kept,
                                        const NmsParams& params) {
    check_rules(params);
    prepare(raw.capacity(), kept.capacity(), params);
    const Launches launches{params, sized_for(raw.capacity()), uses_matrix(raw.capacity()), memory_};
    const auto known = std::find_if(launches_.rbegin(), launches_.rend(),
                                    [&](const auto& numbered) { return numbered.first == launches; });
    if (known != launches_.rend()) return known->second;
    // One detector may get the launches of several objects, at different times.
    static std::atomic<std::uint64_t> next_number{0};
    if (launches_.size() == kKnownLaunches) launches_.erase(launches_.begin());
    launches_.emplace_back(launches, next_number++);
    return launches_.back().second;
}

void CudaNms::release() noexcept {
    ++memory_;
    matrix_.reset();
    grid_.reset();
    soft_.reset();
    paper_.reset();
    merge_.reset();
    owner_ = {};
    raw_capacity_ = 0;
    kept_capacity_ = 0;
}

std::int32_t CudaNms::expected_count(std::int32_t capacity) const {
    const auto most = static_cast<std::uint32_t>(capacity);
    std::optional<std::uint32_t> recent = recent_->value();
    if (!recent && expected_ != nullptr) recent = expected_->value();
    return static_cast<std::int32_t>(std::min(recent.value_or(most), most));
}

// A little more than expected. Stays while that fits, and is one of few, so that graphs remain usable.
std::int32_t CudaNms::sized_for(std::int32_t capacity) {
    const std::int32_t expected = expected_count(capacity);
    const std::int32_t most = std::min(capacity, kMatrixLimit);
    const std::int32_t needed = std::min(expected + expected / 8 + 32, most);
    if (needed > size_ || needed < size_ / 2) {
        size_ = 32;
        while (size_ < needed) size_ += size_ / 4;
    }
    return std::min(size_, most);
}

bool CudaNms::uses_matrix(std::int32_t capacity) const {
    if (engine_ != FastEngine::choose) return engine_ == FastEngine::matrix && capacity <= kMatrixLimit;
    return expected_count(capacity) <= kMatrixBest;
}

void CudaNms::allocate(const NmsParams& params, ClearedWords* to_clear) {
    const std::int32_t n = std::max(raw_capacity_, 1);
    // The launches that use this memory are others from then on, also with the same size.
    const auto renew = [&](bool wanted) {
        if (wanted) ++memory_;
        return wanted;
    };
    const auto clear = [&](const ClearedWords& cleared) {
        if (to_clear != nullptr) {
            *to_clear = cleared;
        } else {
            detail::fill_device(cleared.words, 0, cleared.count * sizeof(*cleared.words), stream_);
        }
    };
    if (params.merge != Merge::none) {
        if (renew(owner_.size() == 0)) owner_ = DeviceBuffer<std::int32_t>(static_cast<std::size_t>(n));
        if (renew(!merge_)) merge_.emplace(n, kept_capacity_);
    }
    if (is_soft(params.rule)) {
        if (renew(!soft_)) clear(soft_.emplace(device_, n).cleared());
    } else if (params.kernels == NmsKernels::paper) {
        if (renew(!paper_ || paper_->scratch().k != params.paper_k)) {
            paper_.reset();
            paper_.emplace(n, params.paper_k);
        }
    } else {
        // Both engines where a later frame may need the other one: nothing is allocated then.
        const bool only_grid = engine_ == FastEngine::grid;
        const bool only_matrix = n <= (engine_ == FastEngine::matrix ? kMatrixLimit : kMatrixBest);
        if (renew(!only_grid && !matrix_)) matrix_.emplace(device_, std::min(n, kMatrixLimit));
        if (renew((only_grid || !only_matrix) && !grid_)) clear(grid_.emplace(device_, n).cleared());
    }
}

void CudaNms::run(const DetectionBuffer& raw, DetectionBuffer& kept, const NmsParams& params, StageRecorder& recorder,
                  unsigned long long* d_tests) {
    check_rules(params);
    pair_tests_.reset();
    if (raw.memory() != MemoryKind::device || kept.memory() != MemoryKind::device) {
        throw Error(ErrorKind::internal, "CUDA NMS needs detection buffers in device memory");
    }
    require_columns(raw.span(), params);
    prepare(raw.capacity(), kept.capacity(), params);
    NmsTask task{raw.span(), kept.span()};
    if (params.merge != Merge::none) task.owner = owner_.data();
    task.order = gate_.order;
    task.tests = d_tests;
    if (raw.capacity() == 0) {
        check_cuda(cudaMemsetAsync(task.kept.count, 0, sizeof(DetectionCount), stream_), "clearing the count");
        return;
    }
    const NmsRuleSet rules = make_rule_set(params, gate_);
    if (is_soft(params.rule)) {
        run_stages(*soft_, task, rules, recorder, stream_);
    } else if (params.kernels == NmsKernels::paper) {
        timed(recorder, stage::kNmsMap, [&] { paper_->launch_map(task, rules, stream_); });
        timed(recorder, stage::kNmsReduce, [&] { paper_->launch_reduce(stream_); });
        timed(recorder, stage_name::kNmsCompact, [&] { paper_->launch_compact(task, rules, stream_); });
    } else {
        run_fast(task, rules, recorder);
    }
    if (params.merge != Merge::none) {
        timed(recorder, stage_name::kNmsMerge, [&] { merge_->launch(task, params.merge, stream_); });
    }
}

void CudaNms::run_fast(NmsTask task, const NmsRuleSet& rules, StageRecorder& recorder) {
    if (uses_matrix(task.raw.capacity)) {
        // The buffer has room for more after a frame with very many. The device selects the engine by the count then.
        const bool either = task.raw.capacity > kMatrixLimit;
        NmsTask few = task;
        few.raw.capacity = std::min(task.raw.capacity, kMatrixLimit);
        if (either) few.most = kMatrixLimit;
        matrix_->expect(sized_for(task.raw.capacity));
        run_stages(*matrix_, few, rules, recorder, stream_);
        if (!either) return;
        task.fewest = kMatrixLimit + 1;
    }
    run_stages(*grid_, task, rules, recorder, stream_);
}

std::vector<double> CudaNms::replay(const DetectionBuffer& raw, DetectionBuffer& kept, const NmsParams& params,
                                    int repeats) {
    const std::uint64_t tests = count_pair_tests(raw, kept, params);
    NullRecorder no_recorder;
    std::vector<double> times = time_replays(stream_, repeats, [&] { enqueue(raw, kept, params, no_recorder); });
    pair_tests_ = tests;
    return times;
}

std::uint64_t CudaNms::count_pair_tests(const DetectionBuffer& raw, DetectionBuffer& kept, const NmsParams& params) {
    const DeviceBuffer<unsigned long long> total(1);
    fill_bytes(total, 0, stream_);
    NullRecorder no_recorder;
    run(raw, kept, params, no_recorder, total.data());
    unsigned long long counted = 0;
    DetectionCount in;
    DetectionCount out;
    copy_to_host(&counted, total.data(), sizeof(counted), stream_);
    copy_to_host(&in, raw.span().count, sizeof(in), stream_);
    copy_to_host(&out, kept.span().count, sizeof(out), stream_);
    const auto n = std::min<std::uint64_t>(in.total, static_cast<std::uint64_t>(raw.capacity()));
    const auto pairs = [](std::uint64_t each) { return each == 0 ? 0 : each * (each - 1) / 2; };
    if (is_soft(params.rule)) return counted;
    // The other engines need no counter: the paper's kernels test every pair of valid detections, the matrix engine
    // every pair.
    if (params.kernels == NmsKernels::paper) return pairs(n - out.invalid);
    return uses_matrix(raw.capacity()) && n <= kMatrixLimit ? pairs(n) : counted;
}

}  // namespace throng::gpu
