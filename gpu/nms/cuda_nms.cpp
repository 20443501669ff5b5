#include "gpu/nms/cuda_nms.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/detect/null_recorder.h"
#include "gpu/runtime/replay.h"

namespace throng::gpu {
namespace {

void require_columns(const DetectionSpan& raw, const NmsParams& params) {
    const auto lacks = [](const char* what, const char* rule) {
        throw Error(ErrorKind::input, std::string("the detections have no ") + what, rule,
                    "use detections that have it, or --pair overlap");
    };
    if (raw.capacity == 0) return;
    if (params.pair == PairRule::adaptive && raw.density == nullptr) lacks("density", "--pair adaptive");
    if (params.pair == PairRule::feature && raw.features == nullptr) lacks("features", "--pair feature");
}

void check_rules(const NmsParams& params) {
    check_params(params);
    if (params.ties == Ties::index) {
        throw Error(ErrorKind::unavailable, "the order by index is not available on CUDA", "--ties index",
                    "use --backend cpu");
    }
    if (params.kernels == NmsKernels::paper && params.rule != NmsRule::one_pass) {
        throw Error(ErrorKind::usage, "the paper's kernels support only the rule one-pass", "--kernels paper",
                    "use --rule one-pass or --kernels fast");
    }
}

#ifdef TH_NMS_SEPARATE
constexpr bool kSeparate = true;
#else
constexpr bool kSeparate = false;
#endif

// Calls launch(part) for the parts of the small engine, each in its stage. With TH_NMS_SEPARATE, map and reduce are
// separate launches, so that they can be timed separately.
template <typename LaunchPart>
void launch_parts(StageRecorder& recorder, const LaunchPart& launch) {
    const auto in_stage = [&](std::string_view name, SmallNmsPart part) {
        const ScopedStage stage(recorder, name);
        launch(part);
    };
    if (!kSeparate) {
        in_stage(stage_name::kNmsFused, SmallNmsPart::all);
    } else {
        in_stage(stage::kNmsMap, SmallNmsPart::map);
        in_stage(stage::kNmsReduce, SmallNmsPart::reduce);
    }
}

}  // namespace

CudaNms::CudaNms(const DeviceInfo& device, StreamView stream, FastEngine engine)
    : device_(device), stream_(stream), engine_(engine) {}

void CudaNms::prepare(std::int32_t raw_capacity, std::int32_t kept_capacity, const NmsParams& params) {
    if (raw_capacity > raw_capacity_ || kept_capacity > kept_capacity_) {
        // Free the scratch for smaller buffers first, so that the new scratch fits.
        const std::int32_t raw = std::max(raw_capacity, raw_capacity_);
        const std::int32_t kept = std::max(kept_capacity, kept_capacity_);
        release();
        raw_capacity_ = raw;
        kept_capacity_ = kept;
    }
    try {
        allocate(params);
    } catch (...) {
        release();  // memory may still suffice for smaller buffers
        throw;
    }
}

void CudaNms::release() noexcept {
    small_ = {};
    large_.reset();
    soft_.reset();
    paper_.reset();
    merge_.reset();
    owner_ = {};
    raw_capacity_ = 0;
    kept_capacity_ = 0;
}

// Returns true if the tiny engine handles buffers of that capacity.
bool CudaNms::is_tiny(std::int32_t capacity) const {
    // The tiny engine has no parts that could be timed separately.
    return !kSeparate && engine_ == FastEngine::choose && capacity <= tiny_nms_limit(device_);
}

// Returns true if frames in buffers of that capacity may need the large engine.
bool CudaNms::may_be_large(std::int32_t capacity) const {
    return engine_ == FastEngine::large || (engine_ == FastEngine::choose && capacity > small_nms_limit(device_));
}

void CudaNms::allocate(const NmsParams& params) {
    const std::int32_t n = std::max(raw_capacity_, 1);
    const auto count = static_cast<std::size_t>(n);
    if (params.merge != Merge::none) {
        if (owner_.size() == 0) owner_ = DeviceBuffer<std::int32_t>(count);
        if (!merge_) merge_.emplace(n, kept_capacity_);
    }
    if (is_soft(params.rule)) {
        if (!soft_) soft_.emplace(device_, n, stream_);
    } else if (params.kernels == NmsKernels::paper) {
        const std::int32_t d_max = paper_d_max(n, params.paper_k);
        if (!paper_ || paper_->k != params.paper_k) {
            paper_.reset();
            const auto side = static_cast<std::size_t>(d_max);
            paper_ = Paper{params.paper_k, d_max, DeviceBuffer<std::uint8_t>(side * side),
                           DeviceBuffer<std::uint8_t>(side), DeviceBuffer<std::uint32_t>(side)};
        }
    } else {
        if (is_tiny(n)) return;  // needs no scratch
        if (engine_ != FastEngine::large && small_.size() == 0) {
            small_capacity_ = std::min(n, small_nms_limit(device_));
            small_ = DeviceBuffer<std::byte>(small_nms_bytes(small_capacity_));
            fill_bytes(small_, 0, stream_);  // required by SmallNmsScratch
        }
        if (may_be_large(n) && !large_) large_.emplace(device_, n, stream_);
    }
}

NmsTask CudaNms::make_task(const DetectionBuffer& raw, const DetectionBuffer& kept, const NmsParams& params) const {
    return {raw.span(), kept.span(), params.merge != Merge::none ? owner_.data() : nullptr};
}

void CudaNms::enqueue(const DetectionBuffer& raw, DetectionBuffer& kept, const NmsParams& params,
                      StageRecorder& recorder) {
    check_rules(params);
    pair_tests_.reset();
    if (raw.memory() != MemoryKind::device || kept.memory() != MemoryKind::device) {
        throw Error(ErrorKind::internal, "CUDA NMS needs detection buffers in device memory");
    }
    require_columns(raw.span(), params);
    prepare(raw.capacity(), kept.capacity(), params);
    const NmsTask task = make_task(raw, kept, params);
    if (raw.capacity() == 0) {
        check_cuda(cudaMemsetAsync(task.kept.count, 0, sizeof(DetectionCount), stream_), "clearing the count");
        return;
    }
    if (is_soft(params.rule)) {
        run_soft(task, params, recorder);
        return;
    }
    const NmsRuleSet rules = make_rule_set(params);
    if (params.kernels == NmsKernels::paper) {
        run_paper(task, params, rules, recorder);
    } else {
        run_fast(task, rules, recorder);
    }
    if (params.merge != Merge::none) {
        const ScopedStage merging(recorder, stage_name::kNmsMerge);
        merge_->launch(task, params.merge, stream_);
    }
}

void CudaNms::run_fast(const NmsTask& task, const NmsRuleSet& rules, StageRecorder& recorder) {
    if (is_tiny(task.raw.capacity)) {
        const ScopedStage stage(recorder, stage_name::kNmsFused);
        launch_tiny_nms(task, rules, stream_);
        return;
    }
    const bool may_be_small = engine_ != FastEngine::large;
    const bool large = may_be_large(task.raw.capacity);
    const bool shared_launches = may_be_small && large && !kSeparate;
    const std::uint32_t min_detections = may_be_small ? static_cast<std::uint32_t>(small_capacity_) + 1 : 0;
    if (may_be_small) {
        const SmallNmsTask small{task, lay_out_small_nms(small_.data(), small_capacity_)};
        if (shared_launches) {
            const ScopedStage stage(recorder, stage_name::kNmsSmallOrOrder);
            launch_small_nms_or_binning(device_, small, small_capacity_, rules, large_->binning(rules, min_detections),
                                        stream_);
        } else {
            launch_parts(recorder, [&](SmallNmsPart part) {
                launch_small_nms(part, device_, small, small_capacity_, rules, stream_);
            });
        }
    }
    if (!large) return;
    if (!shared_launches) {
        const ScopedStage order(recorder, stage::kNmsOrder);
        large_->launch_order(task, rules, min_detections, stream_);
    }
    {
        const ScopedStage map(recorder, stage::kNmsMap);
        large_->launch_map(task, rules, min_detections, d_tests_, stream_);
    }
    const ScopedStage reduce(recorder, stage::kNmsReduce);
    large_->launch_reduce(task, rules, min_detections, d_tests_, stream_);
}

void CudaNms::run_paper(const NmsTask& task, const NmsParams& params, const NmsRuleSet& rules,
                        StageRecorder& recorder) {
    const PaperNmsScratch scratch = paper_->scratch();
    {
        const ScopedStage map(recorder, stage::kNmsMap);
        launch_paper_map(scratch, task, rules, stream_);
    }
    {
        const ScopedStage reduce(recorder, stage::kNmsReduce);
        launch_paper_reduce(scratch, params.paper_k, stream_);
    }
    const ScopedStage compact(recorder, stage_name::kNmsCompact);
    launch_paper_compact(scratch, task, rules, paper_->hits.data(), stream_);
}

void CudaNms::run_soft(const NmsTask& task, const NmsParams& params, StageRecorder& recorder) {
    {
        const ScopedStage map(recorder, stage::kNmsMap);
        soft_->launch_map(task, params, d_tests_, stream_);
    }
    const ScopedStage reduce(recorder, stage::kNmsReduce);
    soft_->launch_reduce(task, params, d_tests_, stream_);
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
    d_tests_ = total.data();
    try {
        enqueue(raw, kept, params, no_recorder);
    } catch (...) {
        d_tests_ = nullptr;
        throw;
    }
    d_tests_ = nullptr;
    unsigned long long counted = 0;
    DetectionCount in;
    DetectionCount out;
    copy_to_host(&counted, total.data(), sizeof(counted), stream_);
    copy_to_host(&in, raw.span().count, sizeof(in), stream_);
    copy_to_host(&out, kept.span().count, sizeof(out), stream_);
    const auto n = std::min<std::uint64_t>(in.total, static_cast<std::uint64_t>(raw.capacity()));
    const auto pairs = [](std::uint64_t each) { return each == 0 ? 0 : each * (each - 1) / 2; };
    if (is_soft(params.rule)) return counted;
    // The other engines need no counter. The paper's kernels test every pair of valid detections. The small engines
    // test every pair once in the first step, and the later tests are negligible.
    if (params.kernels == NmsKernels::paper) return pairs(n - out.invalid);
    const bool small =
        is_tiny(raw.capacity()) || (engine_ != FastEngine::large && n <= static_cast<std::uint64_t>(small_capacity_));
    return small ? pairs(n) : counted;
}

std::size_t CudaNms::scratch_bytes() const {
    std::size_t bytes = owner_.bytes();
    bytes += small_.bytes();
    if (large_) bytes += large_->bytes();
    if (soft_) bytes += soft_->bytes();
    if (paper_) bytes += paper_->matrix.bytes() + paper_->vector.bytes() + paper_->hits.bytes();
    if (merge_) bytes += merge_->bytes();
    return bytes;
}

CudaNmsBatch::CudaNmsBatch(const DeviceInfo& device, StreamView stream,
                           const std::vector<std::pair<const DetectionBuffer*, DetectionBuffer*>>& frames)
    : device_(device), stream_(stream), frames_(frames), one_by_one_(device, stream) {
    std::int32_t capacity = 1;
    for (const auto& [raw, kept] : frames_) {
        if (raw->memory() != MemoryKind::device || kept->memory() != MemoryKind::device) {
            throw Error(ErrorKind::internal, "CUDA NMS needs detection buffers in device memory");
        }
        capacity = std::max(capacity, raw->capacity());
        has_density_ = has_density_ && raw->span().density != nullptr;
        has_features_ = has_features_ && raw->span().features != nullptr;
    }
    fits_ = !frames_.empty() && capacity <= small_nms_limit(device_);
    if (!fits_) return;
    capacity_ = capacity;
    const std::size_t each = small_nms_bytes(capacity);
    memory_ = DeviceBuffer<std::byte>(each * frames_.size());
    fill_bytes(memory_, 0, stream_);  // as in allocate()
    tasks_ = DeviceBuffer<SmallNmsTask>(frames_.size());
    std::vector<SmallNmsTask> tasks;
    for (std::size_t f = 0; f < frames_.size(); ++f) {
        tasks.push_back({NmsTask{frames_[f].first->span(), frames_[f].second->span(), nullptr},
                         lay_out_small_nms(memory_.data() + f * each, capacity)});
    }
    check_cuda(cudaMemcpyAsync(tasks_.data(), tasks.data(), tasks_.bytes(), cudaMemcpyHostToDevice, stream_),
               "copying the tasks of a batch");
    check_cuda(cudaStreamSynchronize(stream_), "copying the tasks of a batch");
}

void CudaNmsBatch::enqueue(const NmsParams& params, StageRecorder& recorder) {
    check_rules(params);
    const bool columns =
        (params.pair != PairRule::adaptive || has_density_) && (params.pair != PairRule::feature || has_features_);
    if (fits_ && columns && !is_soft(params.rule) && params.merge == Merge::none &&
        params.kernels == NmsKernels::fast) {
        launch_parts(recorder, [&](SmallNmsPart part) {
            launch_small_nms_batch(part, device_, tasks_.data(), static_cast<std::int32_t>(frames_.size()), capacity_,
                                   make_rule_set(params), stream_);
        });
        return;
    }
    for (const auto& [raw, kept] : frames_) one_by_one_.enqueue(*raw, *kept, params, recorder);
}

}  // namespace throng::gpu
