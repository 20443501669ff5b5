#include "app/lab/experiments/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/options/backend.h"
#include "app/options/interrupt.h"
#include "core/base/error.h"
#include "core/clocks/clock_sweep.h"
#include "core/cpu/cpu_backend.h"
#include "core/detect/null_recorder.h"
#include "core/synth/crowd.h"

namespace throng {
namespace {

// The measured images of the paper's series of 148.
constexpr int kUncovered[] = {0, 1, 2, 4, 7, 14, 28, 42, 56, 70, 84, 98, 112, 126, 140, 147};
constexpr int kCrowdFaces = 147;

}  // namespace

ExperimentBench::ExperimentBench(const CommonOptions& common, ExperimentOptions options,
                                 std::function<void(const std::string&)> show_step)
    : common_(common), options_(std::move(options)), show_step_(std::move(show_step)) {
    const DetectorParams detector = detector_params();
    BackendChoice choice = make_backend(common_, &detector);
    backend_ = choice.backend;
    why_ = choice.why.text();
    cpu_ = backend_->kind() == BackendKind::cpu ? backend_ : make_cpu_backend();
    clocks_ = std::make_unique<ClockController>(options_.clocks);
}

const std::vector<ResolvedProfile>& ExperimentBench::clock_steps() {
    if (clock_steps_) return *clock_steps_;
    clock_steps_.emplace();
    if (!options_.change_clocks) {
        why_no_clocks_ = Message("disabled by %1", Setting{"no_clocks"}).text();
        return *clock_steps_;
    }
    const std::vector<ResolvedProfile> all = clocks_->profiles();
    const std::vector<std::string> ids = ClockSweep::ids_of(all);
    if (ids.empty()) {
        why_no_clocks_ =
            all.empty() || all.front().reason.empty() ? "this board has no clock steps" : all.front().reason.text();
        return *clock_steps_;
    }
    const ApplyResult tried = clocks_->apply(ids.back());
    if (!tried.ok()) {
        why_no_clocks_ = fmt::format("the clock cannot be changed: {}: {}", tried.where, tried.reason.text());
        if (!tried.advice.empty()) why_no_clocks_ += fmt::format(" ({})", tried.advice.text());
        return *clock_steps_;
    }
    clocks_->restore();
    for (const std::string& id : ids) {
        clock_steps_->push_back(
            *std::find_if(all.begin(), all.end(), [&](const ResolvedProfile& p) { return p.profile.id == id; }));
    }
    return *clock_steps_;
}

void ExperimentBench::step(const std::string& what) {
    if (InterruptGuard::requested()) throw Error(ErrorKind::interrupted, "interrupted before the end");
    show_step_(what);
}

NmsMeasurement ExperimentBench::time_nms(Backend& backend, const DetectionSet& boxes, const NmsParams& params,
                                         std::int32_t dmax) {
    const auto capacity = std::max({dmax, static_cast<std::int32_t>(boxes.detections.size()), 1});
    return measure_nms(backend, boxes, capacity, params, {.budget_ms = options_.budget_ms});
}

DetectionSet ExperimentBench::suppress(Backend& backend, const DetectionSet& boxes, const NmsParams& params) {
    const auto capacity = std::max(static_cast<std::int32_t>(boxes.detections.size()), 1);
    DetectionBuffer raw = backend.make_buffer(capacity, optional_fields_of(boxes));
    DetectionBuffer kept = backend.make_buffer(capacity);
    backend.upload(boxes, raw);
    NullRecorder recorder;
    backend.make_nms()->enqueue(raw, kept, params, recorder);
    DetectionSet result;
    backend.download(kept, result);
    return result;
}

DetectionSet ExperimentBench::detect(const Frame& frame) {
    if (!detector_) detector_.emplace(backend_, detector_params());
    detector_->run(frame);
    return detector_->found();
}

DetectorParams ExperimentBench::detector_params() const {
    DetectorParams params;
    params.kind = DetectorId::haar;
    params.model = "haarcascade_frontalface_alt2";
    return params;
}

const std::vector<CoveredImage>& ExperimentBench::covered_series() {
    if (!covered_.empty()) return covered_;
    std::vector<CoveredImage> series;
    for (const int uncovered : kUncovered) {
        step(fmt::format("the crowd with {} of {} faces uncovered", uncovered, kCrowdFaces));
        CrowdOptions crowd;
        crowd.faces = kCrowdFaces;
        crowd.width = 4646;
        crowd.height = 1800;
        crowd.uncover = uncovered;
        series.push_back({uncovered, detect(Crowd(crowd).frame(0))});
    }
    covered_ = std::move(series);
    return covered_;
}

NmsParams nms_rule(NmsRule rule, float theta) {
    NmsParams params;
    params.rule = rule;
    params.theta = theta;
    return params;
}

NmsParams paper_kernels(std::int32_t k) {
    NmsParams params = nms_rule(NmsRule::one_pass);
    params.kernels = NmsKernels::paper;
    params.paper_k = k;
    return params;
}

std::int32_t dmax_for(std::size_t n) {
    return static_cast<std::int32_t>((std::max<std::size_t>(n, 1) + 1023) / 1024 * 1024);
}

}  // namespace throng
