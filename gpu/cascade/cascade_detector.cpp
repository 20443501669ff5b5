#include "gpu/cascade/cascade_detector.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/model/cascade_xml.h"
#include "core/model/model_finder.h"

namespace throng::gpu {
namespace {

// Number of weak classifiers after which the remaining windows are queued for the last segment.
// Measured on an H200, drawn crowd of 60, medians in ms by the first stage of the last segment (alt2 with four blocks per
// multiprocessor in the first one):
//   alt2, 1080p, 1.25, 50 to 200 px   6: 0.147  7: 0.147  8: 0.150  9: 0.152
//   alt2, 1080p, 1.1, from 24 px      6: 0.631  7: 0.628  8: 0.642  9: 0.648
//   alt2, 2160p, 1.1, from 24 px      6: 1.782  7: 1.772  8: 1.787  9: 1.820
//   LBP, 1080p, 1.1, from 24 px       6: 0.431  8: 0.396  9: 0.393  10: 0.390
// The number of weak classifiers gives stage 7 for alt2. For LBP it gives the last that pairs allow, 10.
constexpr int kFirstSegmentTrees = 100;

}  // namespace

CascadeDetector::CascadeDetector(StreamView stream, const DeviceInfo& device, const CascadeModel& model,
                                 const DetectorParams& params)
    : PlannedDetector(stream, device, params), cascade_(model, stream), max_pairs_(FirstStages::max_stages(model)) {
    set_form(choose_form(true, true));
}

int CascadeDetector::stage_after(int trees) const {
    int stage = 0;
    for (const CascadeStage& each : cascade_.model().stages) {
        if (trees <= 0) break;
        trees -= each.tree_count;
        ++stage;
    }
    return stage;
}

CascadeForm CascadeDetector::choose_form(bool pairs, bool tail) const {
    CascadeForm form;
    form.split = stage_after(kFirstSegmentTrees);
    form.pairs = pairs && max_pairs_ > 0;
    if (form.pairs) form.split = std::min(form.split, max_pairs_);
    form.tail = tail && has_tail(cascade_.tables(), device_.shared_memory);
    return form;
}

void CascadeDetector::set_form(const CascadeForm& form) {
    drop_plan();
    std::optional<FirstStages> first_stages;
    if (form.pairs) first_stages.emplace(cascade_.model(), form.split, stream_);
    form_ = form;
    first_stages_ = std::move(first_stages);
}

bool CascadeDetector::needs_rows_only() const {
    const bool tail = form_.tail && form_.split < static_cast<int>(cascade_.model().stages.size());
    return form_.pairs && tail && !cascade_.model().has_tilted;
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
    const bool same = params.min_size == params_.min_size && params.max_size == params_.max_size &&
                      params.scale_factor == params_.scale_factor;
    params_ = params;
    if (!same) drop_plan_and_memory();
}

std::vector<CascadeLevel> CascadeDetector::levels_from(ImageSize frame, int min_size) const {
    const CascadeModel& model = cascade_.model();
    return cascade_levels(frame.width, frame.height, model.window_width, model.window_height, params_.scale_factor,
                          min_size, params_.max_size);
}

void CascadeDetector::emplace_plan(ImageSize frame, const std::vector<CascadeLevel>& levels) {
    const CascadeModel& model = cascade_.model();
    const PyramidPlanes planes{model.kind == CascadeKind::haar, model.has_tilted};
    WindowPlan plan(frame, planes, levels, form_.pairs, reserved_, stream_);
    if (!plan.empty()) cascade_.set_pitch(plan.pyramid().view(), stream_);
    plan_ = std::move(plan);  // last: the next frame prepares again if any of this fails
}

void CascadeDetector::make_plan(ImageSize frame) {
    emplace_plan(frame, levels_from(frame, params_.min_size));
}

void CascadeDetector::enqueue_pyramid(const DeviceImage& image, const DetectionSpan& raw, bool rows_only,
                                      StageRecorder& recorder) {
    const Pyramid& pyramid = plan_->pyramid();
    {
        const ScopedStage stage(recorder, stage::kPyramid);
        pyramid.enqueue_rows(image, pyramid.all(), plan_->clear(raw), stream_);
    }
    if (rows_only) return;
    const ScopedStage stage(recorder, stage::kIntegral);
    pyramid.enqueue_columns(pyramid.all(), stream_);
}

void CascadeDetector::enqueue_frame(const DeviceImage& image, const DetectionSpan& raw, StageRecorder& recorder) {
    const bool rows_only = needs_rows_only();
    enqueue_pyramid(image, raw, rows_only, recorder);
    const ScopedStage stage(recorder, stage::kCascade);
    const CascadeLaunch work{cascade_.tables(), plan_->task(raw, rows_only), plan_->tiles(plan_->pyramid().all()),
                             device_.multiprocessors, stream_};
    const WindowQueue queue = plan_->queue();
    if (first_stages_) {
        launch_window_pairs(work, first_stages_->tables(), form_.split, queue);
    } else {
        launch_all_windows(work, form_.split, queue);
    }
    // A window's visited state is known once stage 0 is complete everywhere, so windows are reported by a separate
    // launch, even if it has no stages left to evaluate.
    const bool tail = form_.tail && form_.split < work.cascade.geometry.stage_count;
    (tail ? launch_tail : launch_queued_windows)(work, queue, form_.split);
}

CascadeModel read_cascade_model(const DetectorParams& params) {
    check_params(params);
    CascadeModel model = read_cascade(find_model(params.model, params.kind));
    const bool haar = model.kind == CascadeKind::haar;
    if (haar != (params.kind == DetectorId::haar)) {
        throw Error(ErrorKind::usage, {"is a model of kind %1", haar ? "haar" : "lbp"}, model.name,
                    {"use %1", Setting{"detector", haar ? "haar" : "lbp"}});
    }
    return model;
}

}  // namespace throng::gpu
