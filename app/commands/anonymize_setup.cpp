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

// Returns the threshold of written detections.
float usual_threshold(DetectorParams detector) {
    detector.score_threshold.reset();
    const std::string model = detector.model.empty() ? default_model(detector.kind) : detector.model;
    return cnn_score_threshold(detector, read_onnx(find_model(model, detector.kind)).head.family);
}

// All detections are hidden. A cascade misses more faces than a network, so it must be asked for by name.
void choose_detector(const AnonymizeArguments& arguments, AnonymizeSetup& setup) {
    const ChosenSettings& chosen = arguments.detection.chosen;
    const std::string_view asked = arguments.detection.kinds.front();
    const std::string kind = detector_of(chosen, asked);
    const bool is_best = chosen.value_or("detector", asked) == kAutoDetector && chosen.value_or("model", "").empty();
    if (is_best && kind != "cnn") {
        throw Error(
            ErrorKind::unavailable, "no network is installed, and a cascade misses more faces",
            Setting{"detector", std::string(kAutoDetector)},
            {"%1, or accept that with %2", std::string(detector_kind("cnn").get_models), Setting{"detector", kind}});
    }
    if (detector_kind(kind).finds != "faces") {
        throw Error(ErrorKind::usage, {"finds %1, not %2", std::string(detector_kind(kind).finds).c_str(), "faces"},
                    chosen.value_or("model", ""), "name a model of faces, or none");
    }
    setup.settings = pipeline_settings(chosen.params(kind));
    setup.settings.min_confidence = 0;
    DetectorParams& detector = setup.settings.detector;
    setup.hiding = hiding_params(detector.kind);
    setup.hiding.plan.delay = PlanOptions::kWholeSequence;
    if (detector.kind == "cnn") {
        // Detections that the detector alone would not report are hidden, and doubtful.
        const float threshold = usual_threshold(detector);
        setup.hiding.plan.low_score = threshold;
        if (!chosen.contains("score_threshold")) detector.score_threshold = threshold * setup.hiding.threshold_fraction;
    }
    check_settings(setup.settings);
}

void describe(const AnonymizeArguments& arguments, AnonymizeSetup& setup) {
    const DetectorParams& detector = setup.settings.detector;
    setup.report.model = describe_model(detector);
    nlohmann::ordered_json& settings = setup.report.settings;
    settings["detector"] = detector.kind;
    settings["model_sha256"] = setup.report.model.sha256;
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
