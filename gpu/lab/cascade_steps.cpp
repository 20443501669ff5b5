#include "gpu/lab/cascade_steps.h"

#include <algorithm>
#include <utility>

namespace throng::gpu {
namespace {

constexpr std::size_t kSideStreams = 4;
// With three segments: weak classifiers before the first and the second queue.
constexpr int kThreeSegments[] = {30, 200};

}  // namespace

CascadeSteps::CascadeSteps(StreamView stream, const DeviceInfo& device, const CascadeModel& model,
                           const DetectorParams& params, const CascadeOptions& options)
    : CascadeDetector(stream, device, model, params), defaults_(options) {
    set_options(with_choices(options, params.switches));
}

void CascadeSteps::configure(const DetectorParams& params) {
    const auto before = params_.switches;
    const bool same = params.switches == before;
    const CascadeOptions options = same ? options_ : with_choices(defaults_, params.switches);
    CascadeDetector::configure(params);
    if (same) return;
    try {
        set_options(options);
    } catch (...) {
        params_.switches = before;  // so that the same switches are tried again
        throw;
    }
    drop_plan_and_memory();  // the queues of the steps may be many times those of the product
}

void CascadeSteps::set_options(const CascadeOptions& options) {
    check_options(options);
    const auto end = static_cast<int>(cascade_.model().stages.size());
    const bool pairs = options.tiles && options.features == Features::offsets && options.stride == 1;
    CascadeForm form = choose_form(pairs, options.tail);
    std::vector<int> stages = options.segments;
    if (stages.empty() && options.segment_count == 2) stages = {form.split};
    if (stages.empty() && options.segment_count == 3) {
        for (const int trees : kThreeSegments) stages.push_back(stage_after(trees));
    }
    std::vector<int> segments = {0};
    for (const int s : stages) {
        if (s > segments.back() && s < end) segments.push_back(s);
    }
    if (segments.size() == 1) segments.push_back(end);  // the last segment only reports
    segments.push_back(end);
    form.split = segments[1];
    form.pairs = pairs && form.split <= max_pairs_;
    if (form == form_) {
        drop_plan();
    } else {
        set_form(form);
    }
    options_ = options;
    segments_ = std::move(segments);
    chroma_ = options.mask.skin;
    graph_ = options.graph;
}

bool CascadeSteps::is_product() const {
    return options_.scales == Scales::together && options_.features == Features::offsets &&
           options_.first_useful_scale && options_.stride == 1 && !options_.mask.active() && segments_.size() == 3;
}

void CascadeSteps::release() {
    groups_.clear();
    counters_ = {};
    queued_ = {};
    requested_ = {};
    unreported_ = {};
    mask_ = {};
    mask_sums_.reset();
}

void CascadeSteps::make_plan(ImageSize frame) {
    if (is_product()) return CascadeDetector::make_plan(frame);

    const std::vector<CascadeLevel> requested = levels_from(frame, params_.min_size);
    std::vector<CascadeLevel> levels;
    if (!options_.first_useful_scale && !requested.empty()) {
        for (const CascadeLevel& level : levels_from(frame, 1)) {
            if (level.scale < requested.front().scale) levels.push_back(level);
        }
    }
    const auto first_reported = static_cast<int>(levels.size());
    levels.insert(levels.end(), requested.begin(), requested.end());
    if (levels.empty()) return emplace_plan(frame, levels);

    const std::int64_t queues = segments_.size() > 3 ? 2 : 1;
    std::int64_t queued = 0;
    std::int64_t words = 0;  // as WindowTask::fell
    for (int i = 0; i < static_cast<int>(levels.size()); ++i) {
        if (groups_.empty() || options_.scales != Scales::together || i == first_reported) {
            groups_.push_back({{i, i}, i >= first_reported, queued, 0});
        }
        const CascadeLevel& level = levels[static_cast<std::size_t>(i)];
        const std::int64_t windows = std::int64_t{level.columns} * level.rows;
        groups_.back().levels.last = i + 1;
        groups_.back().windows += windows;
        queued += queues * windows;
        words += std::int64_t{(level.columns + 31) / 32} * level.rows;
    }
    counters_ = DeviceBuffer<QueueCounters>(groups_.size() * kMaxSegments);
    queued_ = DeviceBuffer<QueuedWindow>(static_cast<std::size_t>(queued));
    unreported_ = DeviceBuffer<DetectionCount>(1);
    fill_bytes(unreported_, 0, stream_);
    filter_ = {};
    if (options_.stride > 1) {
        requested_ = DeviceBuffer<std::uint32_t>(static_cast<std::size_t>(words));
        filter_.requested = requested_.data();
    }
    if (options_.mask.active()) {
        const ImageSize half{(frame.width + 1) / 2, (frame.height + 1) / 2};
        mask_ =
            DeviceBuffer<std::uint8_t>(static_cast<std::size_t>(half.width) * static_cast<std::size_t>(half.height));
        mask_sums_.emplace(half, std::vector<ImageSize>{half}, PyramidPlanes{}, stream_);
        const PyramidView view = mask_sums_->view();
        const Atlas& atlas = mask_sums_->atlas();
        filter_.mask = view.sums + atlas.origin(atlas.regions.front());
        filter_.mask_pitch = view.pitch;
        filter_.mask_width = half.width;
        filter_.mask_height = half.height;
        filter_.min_share = options_.mask.min_share;
    }
    if (options_.scales != Scales::sequential && side_streams_.empty()) {
        fork_.emplace(Event::Timing::off);
        for (std::size_t i = 0; i < kSideStreams; ++i) {
            side_streams_.emplace_back();
            side_done_.emplace_back(Event::Timing::off);
        }
    }
    emplace_plan(frame, levels);  // last: the next frame prepares again if any of this fails
}

void CascadeSteps::enqueue_frame(const DeviceImage& image, const DetectionSpan& raw, StageRecorder& recorder) {
    if (groups_.empty()) return CascadeDetector::enqueue_frame(image, raw, recorder);
    const WindowTask task = plan_->task(raw, needs_rows_only() && segments_.size() == 3);
    const bool together = options_.scales == Scales::together;
    if (together) enqueue_pyramid(image, raw, task.rows_only, recorder);
    const ScopedStage stage(recorder, stage::kCascade);
    fill_bytes(counters_, 0, stream_);
    fill_bytes(requested_, 0, stream_);
    if (mask_sums_) {
        launch_mask(image, options_.mask, mask_.data(), stream_);
        DeviceImage samples;
        samples.width = samples.luma_pitch = filter_.mask_width;
        samples.height = filter_.mask_height;
        samples.luma = mask_.data();
        mask_sums_->enqueue_rows(samples, mask_sums_->all(), {}, stream_);
        mask_sums_->enqueue_columns(mask_sums_->all(), stream_);
    }
    enqueue_groups(image, task);
}

// Processes each group from its rows to its boxes, or from the pyramid of all levels: one after another or concurrently.
void CascadeSteps::enqueue_groups(const DeviceImage& image, const WindowTask& task) const {
    const Pyramid& pyramid = plan_->pyramid();
    const bool together = options_.scales == Scales::together;
    const bool concurrent = options_.scales != Scales::sequential && groups_.size() > 1;
    if (!together) pyramid.enqueue_rows(image, groups_.front().levels, plan_->clear(task.raw), stream_);
    if (concurrent) {
        fork_->record(stream_);
        for (const Stream& side : side_streams_) fork_->make_wait(side.view());
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const LevelRange levels = groups_[g].levels;
        const StreamView stream = concurrent && g > 0 ? side_streams_[(g - 1) % kSideStreams].view() : stream_;
        if (!together && g > 0) pyramid.enqueue_rows(image, levels, {}, stream);
        if (!together && !task.rows_only) pyramid.enqueue_columns(levels, stream);
        enqueue_group(g, task, stream);
    }
    if (!concurrent) return;
    for (std::size_t i = 0; i < kSideStreams; ++i) {
        side_done_[i].record(side_streams_[i].view());
        side_done_[i].make_wait(stream_);
    }
}

WindowQueue CascadeSteps::queue(std::size_t g, int n) const {
    const Group& group = groups_[g];
    const std::int64_t turn = segments_.size() > 3 ? n % 2 : 0;
    return {queued_.data() + group.first_queued + turn * group.windows,
            counters_.data() + g * kMaxSegments + static_cast<std::size_t>(n),
            static_cast<std::uint32_t>(group.windows)};
}

void CascadeSteps::enqueue_group(std::size_t g, const WindowTask& task, StreamView stream) const {
    StepLaunch step{{cascade_.tables(), task, plan_->tiles(groups_[g].levels), device_.multiprocessors, stream},
                    options_.features,
                    filter_};
    if (!groups_[g].reported) {
        step.task.raw = {};
        step.task.raw.count = unreported_.data();
    }
    if (form_.pairs) {
        launch_filtered_pairs(step, first_stages_->tables(), segments_[1], queue(g, 0));
    } else {
        if (options_.stride > 1) {
            step.filter.requested = nullptr;
            launch_coarse_windows(step, segments_[1], options_.stride, requested_.data());
            step.filter = filter_;
        }
        launch_filtered_windows(step, segments_[1], queue(g, 0));
    }
    const auto last = static_cast<int>(segments_.size()) - 2;
    for (int n = 1; n <= last; ++n) {
        const int first = segments_[static_cast<std::size_t>(n)];
        const int end = segments_[static_cast<std::size_t>(n) + 1];
        if (n == last && form_.tail && first < end) {
            launch_tail(step, queue(g, n - 1), first);
        } else {
            launch_queue_segment(step, queue(g, n - 1), first, end, n == last ? WindowQueue{} : queue(g, n));
        }
    }
}

std::vector<std::int64_t> CascadeSteps::read_queued() const {
    if (!plan_ || plan_->empty()) return {};
    std::vector<QueueCounters> counters(std::max<std::size_t>(counters_.size(), 1));
    copy_to_host(counters.data(), groups_.empty() ? plan_->queue().counters : counters_.data(),
                 counters.size() * sizeof(QueueCounters), stream_);
    std::vector<std::int64_t> queued(segments_.size() - 2);
    for (std::size_t i = 0; i < counters.size(); ++i) {
        if (i % kMaxSegments < queued.size()) queued[i % kMaxSegments] += counters[i].queued;
    }
    return queued;
}

std::unique_ptr<Detector> make_cascade_detector(StreamView stream, const DeviceInfo& device,
                                                const DetectorParams& params) {
    return std::make_unique<CascadeSteps>(stream, device, read_cascade_model(params), params);
}

}  // namespace throng::gpu
