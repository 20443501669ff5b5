#include "app/lab/race.h"

#include <algorithm>
#include <tuple>

#include "app/lab/measure/image_bench.h"
#include "app/lab/measure/nms_baselines.h"
#include "app/lab/measure/nms_measurement.h"
#include "app/options/backend.h"
#include "core/algo/nms_reference.h"
#include "core/base/error.h"
#include "core/detect/detector_kinds.h"
#include "core/detect/nms_names.h"

namespace throng {
namespace {

using Show = std::function<void(const ui::RaceRow&)>;
using Indices = std::vector<std::uint32_t>;  // ascending, of raw detections

constexpr double kBudgetMs = 200;          // per bar
constexpr std::int32_t kMaxPaper = 16384;  // detections; the paper's byte matrix of more does not fit

// The race ends with the bars that it has.
bool is_stopped(const std::stop_token& stop) {
    return stop.stop_requested();
}

Message compare(const Indices& found, const Indices& expected) {
    if (found == expected) return {"same %1 boxes", found.size()};
    Indices common;
    std::set_intersection(found.begin(), found.end(), expected.begin(), expected.end(), std::back_inserter(common));
    return {"%1 boxes, %2 of %3 in common", found.size(), common.size(), expected.size()};
}

Indices kept_by_definition(const DetectionSet& raw, const NmsParams& params) {
    std::vector<Box> boxes;
    std::vector<float> scores;
    for (const Detection& each : raw.detections) {
        boxes.push_back(each.box);
        scores.push_back(each.score);
    }
    Indices kept = suppress_by_definition(
        boxes, scores, {params.rule == NmsRule::greedy, params.overlap, params.theta, params.pixels, params.ties});
    std::sort(kept.begin(), kept.end());
    return kept;
}

// Runs an engine of the backend. `kept` receives the indices of the kept detections.
double time_engine(Backend& backend, const DetectionSet& boxes, const NmsParams& params, Indices& kept) {
    const NmsMeasurement measured =
        measure_nms(backend, boxes, program_capacity(boxes.detections.size()), params, {.budget_ms = kBudgetMs});
    kept.clear();
    for (const Detection& each : measured.kept.detections) kept.push_back(static_cast<std::uint32_t>(each.source));
    std::sort(kept.begin(), kept.end());
    return measured.total().median();
}

}  // namespace

void race_suppression(const CommonOptions& common, const ui::RaceInput& input, const Show& show,
                      const std::stop_token& stop) {
    NmsParams params = input.settings.nms;
    params.min_hits = 1;
    params.merge = Merge::none;
    params.pair = PairRule::overlap;
    params.kernels = NmsKernels::fast;
    const bool hard = !is_soft(params.rule);
    const Message rule = std::string(name_of(kNmsRuleNames, params.rule)).c_str();
    const BackendChoice choice = make_backend(common, nullptr);
    Backend& backend = *choice.backend;
    const bool on_gpu = backend.kind() == BackendKind::cuda;
    const bool quadratic = input.raw.detections.size() <= kMaxBaselineInput;
    const Message too_many("quadratic: not run for more than %1 detections", kMaxBaselineInput);

    Indices expected;
    if (hard && quadratic) expected = kept_by_definition(input.raw, params);
    Indices kept;
    ui::RaceRow ours;
    ours.name = {"Throng, %1 (%2)", rule, on_gpu ? "GPU" : "CPU"};
    ours.reference = true;
    ours.ms = time_engine(backend, input.raw, params, kept);
    ours.note = hard && quadratic ? compare(kept, expected) : Message("%1 boxes", kept.size());
    show(ours);
    if (is_stopped(stop)) return;

    ui::RaceRow plain{{"Plain loop, %1 (CPU)", rule}, "", 0, "", false};
    ui::RaceRow opencv{"OpenCV NMSBoxes, greedy (CPU)", "", 0, "", false};
    plain.unavailable_reason = !quadratic ? too_many : Message(!hard ? "has no soft rules" : "");
    opencv.unavailable_reason =
        !quadratic ? too_many : Message(params.rule != NmsRule::greedy ? "has the greedy rule only" : "");
    for (const BaselineTime& baseline : time_baselines(input.raw, params, kBudgetMs)) {
        ui::RaceRow& row = baseline.name == "plain" ? plain : opencv;
        Indices found = baseline.kept;
        std::sort(found.begin(), found.end());
        row.ms = baseline.times.median();
        row.note = compare(found, expected);
    }
    if (opencv.ms > 0 && opencv.note != compare(expected, expected)) {
        opencv.note =
            joined(opencv.note, "orders equal scores differently, drops scores of 0 or less, always uses the IoU");
    }
    show(plain);
    show(opencv);
    if (is_stopped(stop)) return;

    ui::RaceRow paper{"The paper's kernels, one-pass (GPU)", "", 0, "", false};
    if (!on_gpu) {
        paper.unavailable_reason = joined("need a GPU", choice.why);
    } else if (program_capacity(input.raw.detections.size()) > kMaxPaper) {
        paper.unavailable_reason = {"not run for more than %1 detections: their matrix is too large", kMaxPaper};
    } else {
        params.rule = NmsRule::one_pass;
        params.kernels = NmsKernels::paper;
        try {
            paper.ms = time_engine(backend, input.raw, params, kept);
            paper.note = quadratic ? compare(kept, kept_by_definition(input.raw, params)) : Message();
            if (input.settings.nms.rule != NmsRule::one_pass)
                paper.note = {"%1 as one-pass, which keeps fewer", paper.note};
        } catch (const Error& error) {
            paper.unavailable_reason = error.message();
        }
    }
    show(paper);
}

namespace {

// Raw detections in an order that does not depend on the backend.
std::vector<std::tuple<float, float, float, float>> sorted_boxes(const DetectionSet& set) {
    std::vector<std::tuple<float, float, float, float>> boxes;
    for (const Detection& each : set.detections) boxes.emplace_back(each.box.x, each.box.y, each.box.w, each.box.h);
    std::sort(boxes.begin(), boxes.end());
    return boxes;
}

}  // namespace

void race_detector(const CommonOptions& common, const ui::RaceInput& input, const Show& show,
                   const std::stop_token& stop) {
    const std::shared_ptr<Backend> backend = make_backend(common, &input.settings.detector).backend;
    const bool on_gpu = backend->kind() == BackendKind::cuda;
    const Frame frame = on_gpu ? input.frame : input.frame.on_host();
    DetectorParams params = input.settings.detector;
    std::vector<std::tuple<float, float, float, float>> expected;
    const auto add = [&](const Message& name, bool reference) {
        ui::RaceRow row{name, "", 0, "", reference};
        try {
            DetectorRun run(backend, params);
            run.run(frame);  // allocates
            row.ms = samples_within(kBudgetMs, [&] { run.run(frame); }).median();
            const auto boxes = sorted_boxes(run.found());
            if (reference) expected = boxes;
            row.note = boxes == expected ? Message("same %1 raw detections", boxes.size())
                                         : Message("%1 raw detections instead of %2", boxes.size(), expected.size());
        } catch (const Error& error) {
            row.unavailable_reason = error.message();
        }
        show(row);
    };
    const std::string title(detector_kind(params.kind).title);
    add({"%1 as set (%2)", title.c_str(), on_gpu ? "GPU" : "CPU"}, true);
    if (is_stopped(stop)) return;

    const std::vector<DetectorSwitch> switches = backend->make_detector(params)->switches();
    const std::vector<std::string> toggle{"on", "off"};
    bool any = false;
    for (const DetectorSwitch& each : switches) {
        if (each.choices != toggle || each.chosen == "off") continue;
        params.switches[each.id] = "off";
        add({"%1 off: %2", any ? "also" : "switched", each.title.c_str()}, false);
        any = true;
        if (is_stopped(stop)) return;
    }
    if (!on_gpu) {
        params.threads = 1;
        add("on one thread", false);
    }
    if (!any) {
        show({"Optimizations off, one after the other", "", 0,
              on_gpu ? "this detector has none to switch off" : "only the detectors on a GPU have switches", false});
    }
}

}  // namespace throng
