#include "gpu/cascade/cascade_detector.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/model/cascade_xml.h"
#include "core/model/model_finder.h"

namespace throng::gpu {
namespace {

constexpr std::size_t kSideStreams = 4;
// Number of weak classifiers after which the remaining windows are queued for the last segment.
// Measured on an H200, drawn crowd of 60, medians in ms by the first stage of the last segment (alt2 with four blocks per
// multiprocessor in the first one):
//   alt2, 1080p, 1.25, 50 to 200 px   6: 0.147  7: 0.147  8: 0.150  9: 0.152
//   alt2, 1080p, 1.1, from 24 px      6: 0.631  7: 0.628  8: 0.642  9: 0.648
//   alt2, 2160p, 1.1, from 24 px      6: 1.782  7: 1.772  8: 1.787  9: 1.820
//   LBP, 1080p, 1.1, from 24 px       6: 0.431  8: 0.396  9: 0.393  10: 0.390
// The number of weak classifiers gives stage 7 for alt2. For LBP it gives the last that pairs allow, 10.
constexpr int kFirstSegmentTrees = 100;
// With three segments: weak classifiers before the first and the second queue.
constexpr int kThreeSegments[] = {30, 200};

}  // namespace

void check_options(const CascadeOptions& options) {
    const auto require = [](bool holds, const char* problem, const char* field) {
        if (!holds) throw Error(ErrorKind::usage, problem, Setting{field});
    };
    require(options.segment_count >= 1 && options.segment_count <= 3, "must lie in [1, 3]", "segments");
    require(options.segments.size() < static_cast<std::size_t>(kMaxSegments), "has too many segments (at most 8)",
            "segments");
    require(std::is_sorted(options.segments.begin(), options.segments.end()) &&
                std::adjacent_find(options.segments.begin(), options.segments.end()) == options.segments.end() &&
                (options.segments.empty() || options.segments.front() >= 1),
            "must list stages from 1 in ascending order", "segments");
    require(options.stride >= 1 && options.stride <= 8, "must lie in [1, 8]", "stride");
    require(options.mask.min_share >= 0.0F && options.mask.min_share <= 1.0F, "must lie in [0, 1]", "mask_share");
}

CascadeDetector::CascadeDetector(StreamView stream, const DeviceInfo& device, const CascadeModel& model,
                                 const DetectorParams& params, const CascadeOptions& options)
    : stream_(stream),
      device_(device.index),
      params_(params),
      defaults_(options),
      options_(with_choices(options, params.switches)),
      cascade_(model, stream),
      intake_(stream, false) {
    check_params(params);
    choice_ = {model.kind, cascade_.nodes_per_tree(), options_.features, device.multiprocessors};
    choose_segments(options_);
}

CascadeDetector::~CascadeDetector() {
    warn_cuda(cudaStreamSynchronize(stream_), "waiting for the detector's last frame");
}

// Sets options_ and what depends on them, all or nothing.
void CascadeDetector::choose_segments(const CascadeOptions& options) {
    const std::vector<CascadeStage>& stages = cascade_.model().stages;
    const auto end = static_cast<int>(stages.size());
    std::vector<int> segments = {0};
    const auto stage_after = [&](int min_trees) {
        int s = 0;
        for (int trees = 0; s < end && trees < min_trees; ++s) trees += stages[static_cast<std::size_t>(s)].tree_count;
        return s;
    };
    std::vector<int> requested = options.segments;
    const bool pairs = options.tiles && options.features == Features::offsets && options.stride == 1;
    const int max_pairs = pairs ? FirstStages::max_stages(cascade_.model()) : 0;
    if (requested.empty() && options.segment_count == 2) {
        const int first = stage_after(kFirstSegmentTrees);
        requested = {max_pairs > 0 ? std::min(first, max_pairs) : first};
    }
    if (requested.empty() && options.segment_count == 3) {
        for (const int trees : kThreeSegments) requested.push_back(stage_after(trees));
    }
    for (const int s : requested) {
        if (s > segments.back() && s < end) segments.push_back(s);
    }
    // A window's visited state is known once stage 0 is complete everywhere, so windows are reported by a separate
    // launch. With one segment that launch has no stages left to evaluate.
    if (segments.size() == 1) segments.push_back(end);
    segments.push_back(end);
    std::optional<FirstStages> first_stages;
    if (segments[1] <= max_pairs) first_stages.emplace(cascade_.model(), segments[1], stream_);
    options_ = options;
    choice_.features = options.features;
    segments_ = std::move(segments);
    first_stages_ = std::move(first_stages);
    rows_only_ = first_stages_ && segments_.size() == 3 && has_tail(segments_[1]) && !cascade_.model().has_tilted;
}

bool CascadeDetector::has_tail(int first) const {
    return options_.tail && cascade_.tables().tail_entries > 0 && first < segments_.back();
}

bool CascadeDetector::reserve(std::uint32_t candidates) {
    if (candidates == 0) return false;
    if (candidates <= reserved_) return true;  // another frame in flight has asked for it
    // More than that, so that a slowly growing crowd does not allocate at every frame.
    reserved_ = std::int64_t{candidates} + candidates / 4;
    drop_plan();
    return true;
}

void CascadeDetector::configure(const DetectorParams& params) {
    check_change(params_, params);
    if (params.switches != params_.switches) set_options(with_choices(defaults_, params.switches));
    const bool same = params.min_size == params_.min_size && params.max_size == params_.max_size &&
                      params.scale_factor == params_.scale_factor;
    params_ = params;
    if (same) return;
    drop_plan();
    memory_.free_unused();  // other settings need other sizes for good
}

void CascadeDetector::set_options(const CascadeOptions& options) {
    check_options(options);
    drop_plan();
    choose_segments(options);
}

void CascadeDetector::drop_plan() {
    const KeptMemory::Use use(memory_);
    graphs_.clear();
    plan_.reset();
}

void CascadeDetector::prepare(ImageSize frame) {
    if (plan_ && plan_->frame().width == frame.width && plan_->frame().height == frame.height) return;
    drop_plan();  // first: both plans may not fit in memory
    const KeptMemory::Use use(memory_);
    const CascadeModel& model = cascade_.model();
    const WindowShape shape{model.window_width, model.window_height, model.kind == CascadeKind::haar, model.has_tilted};
    const int queues = segments_.size() > 3 ? 2 : 1;
    WindowPlan plan(frame, shape, params_, options_, first_stages_.has_value(), queues, reserved_, stream_);
    if (!plan.empty()) cascade_.set_pitch(plan.pyramid().view(), stream_);
    if (options_.scales == Scales::streams && side_streams_.empty()) {
        fork_.emplace(Event::Timing::off);
        for (std::size_t i = 0; i < kSideStreams; ++i) {
            side_streams_.emplace_back();
            side_done_.emplace_back(Event::Timing::off);
        }
    }
    plan_ = std::move(plan);  // last: the next frame prepares again if any of this fails
}

void CascadeDetector::enqueue_with(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder,
                                   const FollowingWork& next) {
    if (raw.memory() != MemoryKind::device) {
        throw Error(ErrorKind::internal, "the CUDA detector needs a detection buffer in device memory",
                    "CascadeDetector");
    }
    check_cuda(cudaSetDevice(device_), "cudaSetDevice");  // the current device is a property of the calling thread
    prepare({frame.width(), frame.height()});
    if (plan_->empty()) {
        check_cuda(cudaMemsetAsync(raw.span().count, 0, sizeof(DetectionCount), stream_), "clearing the detections");
        if (next.enqueue) next.enqueue(recorder);
        return;
    }
    const FrameIntake::Reading reading(intake_);
    const DeviceImage image = intake_.take(frame, options_.mask.skin, recorder);
    graphs_.run(stream_, options_.graph, image, raw.span(), 0, recorder, next,
                [&](StageRecorder& stages) { enqueue_frame(image, raw.span(), stages); });
}

void CascadeDetector::enqueue_frame(const DeviceImage& image, const DetectionSpan& raw, StageRecorder& recorder) {
    WindowTask task = plan_->task();
    task.raw = raw;
    task.rows_only = rows_only_;
    ClearWords clear = plan_->counters();
    clear.more = reinterpret_cast<std::uint32_t*>(raw.count);
    clear.more_count = sizeof(DetectionCount) / sizeof(std::uint32_t);
    if (options_.scales != Scales::together) {
        const ScopedStage stage(recorder, stage::kCascade);
        enqueue_groups_apart(image, task, clear);
        return;
    }
    const Pyramid& pyramid = plan_->pyramid();
    {
        const ScopedStage stage(recorder, stage::kPyramid);
        pyramid.enqueue_rows(image, options_.mask, pyramid.all(), clear, stream_);
    }
    if (const LevelRange columns = rows_only_ ? pyramid.mask_range() : pyramid.all(); columns.first < columns.last) {
        const ScopedStage stage(recorder, stage::kIntegral);
        pyramid.enqueue_columns(columns, stream_);
    }
    const ScopedStage stage(recorder, stage::kCascade);
    enqueue_group(0, task, stream_);
}

// Processes each level from its rows to its boxes, one after another or concurrently.
void CascadeDetector::enqueue_groups_apart(const DeviceImage& image, const WindowTask& task, const ClearWords& clear) {
    const Pyramid& pyramid = plan_->pyramid();
    const bool concurrent = options_.scales == Scales::streams;
    if (options_.mask.active()) {
        pyramid.enqueue_rows(image, options_.mask, pyramid.mask_range(), {}, stream_);
        pyramid.enqueue_columns(pyramid.mask_range(), stream_);
    }
    pyramid.enqueue_rows(image, options_.mask, plan_->group_levels(0), clear, stream_);
    if (concurrent) {
        fork_->record(stream_);
        for (const Stream& side : side_streams_) fork_->make_wait(side.view());
    }
    for (int g = 0; g < plan_->group_count(); ++g) {
        const LevelRange levels = plan_->group_levels(g);
        const StreamView stream = concurrent && g > 0
                                      ? side_streams_[static_cast<std::size_t>(g - 1) % side_streams_.size()].view()
                                      : stream_;
        if (g > 0) pyramid.enqueue_rows(image, options_.mask, levels, {}, stream);
        if (!rows_only_) pyramid.enqueue_columns(levels, stream);
        enqueue_group(g, task, stream);
    }
    if (!concurrent) return;
    for (std::size_t i = 0; i < side_streams_.size(); ++i) {
        side_done_[i].record(side_streams_[i].view());
        side_done_[i].make_wait(stream_);
    }
}

void CascadeDetector::enqueue_group(int g, const WindowTask& task, StreamView stream) const {
    const CascadeTables& tables = cascade_.tables();
    const WindowGroup& group = plan_->group(g);
    const auto last = static_cast<int>(segments_.size()) - 2;
    for (int n = 0; n <= last; ++n) {
        const auto at = static_cast<std::size_t>(n);
        const Segment segment{n,
                              segments_[at],
                              segments_[at + 1],
                              plan_->queue(g, (n + 1) % 2),
                              plan_->queue(g, n % 2),
                              static_cast<std::uint32_t>(plan_->queue_capacity(g))};
        if (n == 0 && first_stages_) {
            launch_window_pairs(first_stages_->tables(), choice_, tables, task, group, plan_->tiles(), segment,
                                plan_->max_step(), stream);
        } else if (n == 0) {
            if (task.requested != nullptr) {
                launch_coarse_windows(choice_, tables, task, group, plan_->tiles(), segment, stream);
            }
            launch_all_windows(choice_, tables, task, group, plan_->tiles(), segment, stream);
        } else if (n == last && has_tail(segment.first)) {
            launch_tail(choice_, tables, task, group, segment, stream);
        } else {
            launch_queued_windows(choice_, tables, task, group, segment, n == last, stream);
        }
    }
}

std::vector<std::int64_t> CascadeDetector::read_queued() const {
    if (!plan_ || plan_->empty()) return {};
    std::vector<GroupCounters> groups(static_cast<std::size_t>(plan_->group_count()));
    check_cuda(cudaMemcpyAsync(groups.data(), plan_->counters().words, groups.size() * sizeof(GroupCounters),
                               cudaMemcpyDeviceToHost, stream_),
               "reading the counts of windows");
    check_cuda(cudaStreamSynchronize(stream_), "reading the counts of windows");
    std::vector<std::int64_t> queued(segments_.size() - 2);
    for (const GroupCounters& group : groups) {
        for (std::size_t s = 0; s < queued.size(); ++s) queued[s] += group.queued[s];
    }
    return queued;
}

std::unique_ptr<Detector> make_cascade_detector(StreamView stream, const DeviceInfo& device,
                                                const DetectorParams& params, const CascadeOptions& options) {
    check_params(params);
    const CascadeModel model = read_cascade(find_model(params.model, params.kind));
    const bool haar = model.kind == CascadeKind::haar;
    if (haar != (params.kind == DetectorId::haar)) {
        throw Error(ErrorKind::usage, {"is a model of kind %1", haar ? "haar" : "lbp"}, model.name,
                    {"use %1", Setting{"detector", haar ? "haar" : "lbp"}});
    }
    return std::make_unique<CascadeDetector>(stream, device, model, params, options);
}

}  // namespace throng::gpu
