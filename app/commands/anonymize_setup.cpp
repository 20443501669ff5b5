#include "app/commands/anonymize_setup.h"

#include "app/commands/anonymize_settings.h"
#include "core/base/error.h"
#include "core/detect/detector_kinds.h"
#include "core/detect/nms_names.h"
#include "core/model/cnn_plan.h"
#include "core/model/model_finder.h"
#include "core/model/onnx_reader.h"

namespace throng {
namespace {

// Returns what a detector finds, as a value of --what.
std::string_view found_by(const DetectorKind& kind) {
    return kind.faces.empty() ? kind.finds : "both";
}

// Returns the threshold of written detections.
float usual_threshold(DetectorParams detector) {
    detector.score_threshold.reset();
    const std::string model = detector.model.empty() ? default_model(detector.kind) : detector.model;
    return cnn_score_threshold(detector, read_onnx(find_model(model, detector.kind)).head.family);
}

// Detections that the detector alone would not report are hidden, and doubtful.
void hide_uncertain(DetectorParams& detector, bool has_threshold, const HidingParams& hiding, PlanOptions& plan) {
    const float threshold = usual_threshold(detector);
    plan.low_score = threshold;
    if (!has_threshold) detector.score_threshold = threshold * hiding.threshold_fraction;
}

// Returns the kind of detector that --what and the other options ask for.
std::string kind_of(const AnonymizeArguments& arguments) {
    const ChosenSettings& chosen = arguments.detection.chosen;
    const std::string_view asked = arguments.detection.kinds.front();
    const bool is_auto = chosen.value_or("detector", asked) == kAutoDetector;
    if (is_auto && arguments.what == "people") return "person";
    if (is_auto && arguments.what == "both") return "face+person";
    return detector_of(chosen, asked);
}

// All detections are hidden. A cascade misses more faces than a network, so it must be asked for by name.
void choose_detector(const AnonymizeArguments& arguments, AnonymizeSetup& setup) {
    const ChosenSettings& chosen = arguments.detection.chosen;
    const std::string_view asked = arguments.detection.kinds.front();
    const std::string kind = kind_of(arguments);
    const bool is_best = arguments.what == "faces" && chosen.value_or("detector", asked) == kAutoDetector &&
                         chosen.value_or("model", "").empty();
    if (is_best && kind != "cnn") {
        throw Error(
            ErrorKind::unavailable, "no network is installed, and a cascade misses more faces",
            Setting{"detector", std::string(kAutoDetector)},
            {"%1, or accept that with %2", std::string(detector_kind("cnn").get_models), Setting{"detector", kind}});
    }
    if (const std::string found(found_by(detector_kind(kind))); found != arguments.what) {
        const std::string model = chosen.value_or("model", "");
        if (chosen.value_or("detector", asked) == kAutoDetector && arguments.what == "faces") {
            throw Error(ErrorKind::usage, {"finds %1, not %2", found.c_str(), "faces"}, model,
                        "name a model of faces, or none");
        }
        throw Error(ErrorKind::usage, {"finds %1, not %2", found.c_str(), arguments.what.c_str()},
                    Setting{"detector", kind}, "add --what " + found + ", or leave the detector out");
    }
    setup.settings = pipeline_settings(chosen.params(kind));
    setup.settings.min_confidence = 0;
    DetectorParams& detector = setup.settings.detector;
    setup.hiding = hiding_params(detector.kind);
    setup.hiding.plan.delay = PlanOptions::kWholeSequence;
    setup.what = arguments.what;
    if (detector_kind(kind).is_network()) {
        hide_uncertain(detector, chosen.contains("score_threshold"), setup.hiding, setup.hiding.plan);
    }
    if (setup.hiding.faces) {
        setup.settings.faces = face_params(setup.settings);
        if (!arguments.faces_model.empty()) setup.settings.faces->detector.model = arguments.faces_model;
        hide_uncertain(setup.settings.faces->detector, false, setup.hiding, setup.hiding.faces->plan);
    }
    check_settings(setup.settings);
}

void describe(const AnonymizeArguments& arguments, AnonymizeSetup& setup) {
    const DetectorParams& detector = setup.settings.detector;
    setup.report.model = describe_model(detector);
    nlohmann::ordered_json& settings = setup.report.settings;
    settings["what"] = arguments.what;
    settings["detector"] = detector.kind;
    settings["model_sha256"] = setup.report.model.sha256;
    if (setup.settings.faces) {
        setup.report.faces_model = describe_model(setup.settings.faces->detector);
        settings["faces_model_sha256"] = setup.report.faces_model->sha256;
    }
    const NmsParams& nms = setup.settings.nms;
    write_settings({detector, nms}, settings);
    settings["nms_rule"] = name_of(kNmsRuleNames, nms.rule);
    settings["nms_overlap"] = name_of(kOverlapNames, nms.overlap);
    settings["nms_theta"] = nms.theta;
    settings["nms_min_hits"] = nms.min_hits;
    settings["style"] = arguments.style;
    settings["margin"] = setup.hiding.redact.margin;
    settings["only"] = arguments.only;
    setup.report.output = {{"encoder", arguments.encoder}, {"quality", arguments.quality}, {"audio", arguments.audio}};
}

}  // namespace

const EncoderChoice& EncoderOnDemand::get() {
    const std::lock_guard lock(mutex_);
    if (!chosen_) choice_ = choose_encoder(requested_);
    chosen_ = true;
    return choice_;
}

AnonymizeSetup make_anonymize_setup(const AnonymizeArguments& arguments) {
    AnonymizeSetup setup;
    setup.only = parse_spans(arguments.only);
    choose_detector(arguments, setup);
    setup.hiding.redact.style = redact_style(arguments.style);
    if (arguments.margin) setup.hiding.redact.margin = *arguments.margin;
    setup.decoder = arguments.decoder;
    setup.quality = arguments.quality;
    setup.copy_audio = arguments.audio == "copy";
    describe(arguments, setup);
    setup.decided = read_decided_tracks(arguments.keep, arguments.hide, setup.report.settings);
    setup.decided_by = arguments.decided_by;
    setup.regions = arguments.regions;
    return setup;
}

}  // namespace throng
