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

Hidden found_by(const DetectorKind& kind) {
    return kind.faces ? Hidden::both : kind.finds == "faces" ? Hidden::faces : Hidden::people;
}

// Returns the threshold of written detections.
float usual_threshold(DetectorParams detector) {
    detector.score_threshold.reset();
    return cnn_score_threshold(detector, read_onnx(find_model(detector.model, detector.kind)).head.family);
}

// Detections that the detector alone would not report are hidden, and uncertain.
void hide_uncertain(DetectorParams& detector, bool has_threshold, const HidingParams& hiding, PlanOptions& plan) {
    const float threshold = usual_threshold(detector);
    plan.low_score = threshold;
    if (!has_threshold) detector.score_threshold = threshold * hiding.threshold_fraction;
}

bool is_auto(const AnonymizeArguments& arguments) {
    return arguments.detection.chosen.value_or("detector", kAutoDetector) == kAutoDetector;
}

// Returns the kind of detector that --what and the other options ask for.
DetectorId kind_of(const AnonymizeArguments& arguments) {
    if (is_auto(arguments) && arguments.what == Hidden::people) return DetectorId::person;
    if (is_auto(arguments) && arguments.what == Hidden::both) return DetectorId::face_and_person;
    return detector_of(arguments.detection.chosen);
}

// All detections are hidden. A cascade misses more faces than a network, so it must be asked for by name.
void choose_detector(const AnonymizeArguments& arguments, AnonymizeSetup& setup) {
    const ChosenSettings& chosen = arguments.detection.chosen;
    const DetectorKind& kind = detector_kind(kind_of(arguments));
    const Setting named{"detector", std::string(kind.name)};
    const bool is_best = arguments.what == Hidden::faces && is_auto(arguments) && chosen.value_or("model", "").empty();
    if (is_best && kind.id() != DetectorId::cnn) {
        throw Error(ErrorKind::unavailable, "no network is installed, and a cascade misses more faces",
                    Setting{"detector", std::string(kAutoDetector)},
                    {"%1, or accept that with %2", std::string(detector_kind(DetectorId::cnn).get_models), named});
    }
    if (found_by(kind) != arguments.what) {
        const std::string found(name_of(kHiddenNames, found_by(kind)));
        const std::string model = chosen.value_or("model", "");
        if (is_auto(arguments) && arguments.what == Hidden::faces) {
            throw Error(ErrorKind::usage, {"finds %1, not %2", found.c_str(), "faces"}, model,
                        "name a model of faces, or none");
        }
        throw Error(ErrorKind::usage,
                    {"finds %1, not %2", found.c_str(), std::string(name_of(kHiddenNames, arguments.what)).c_str()},
                    named, {"add %1, or leave the detector out", Setting{"what", found}});
    }
    setup.settings = pipeline_settings(chosen.params(kind.id()));
    setup.settings.min_confidence = 0;
    DetectorParams& detector = setup.settings.detector;
    setup.hiding = hiding_params(detector.kind);
    setup.hiding.plan.delay = PlanOptions::kWholeSequence;
    if (kind.is_network()) {
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
    settings["what"] = name_of(kHiddenNames, arguments.what);
    settings["detector"] = detector_kind(detector.kind).name;
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
    settings["style"] = name_of(kRedactStyleNames, setup.hiding.redact.style);
    settings["margin"] = setup.hiding.redact.margin;
    settings["only"] = arguments.only;
    setup.report.output = {{"encoder", arguments.encoder},
                           {"quality", arguments.quality},
                           {"audio", name_of(kAudioNames, arguments.copy_audio)}};
}

}  // namespace

const EncoderChoice& EncoderOnDemand::get() {
    const std::lock_guard lock(mutex_);
    if (!chosen_) choice_ = choose_encoder(requested_);
    chosen_ = true;
    return choice_;
}

AnonymizeSetup make_anonymize_setup(const AnonymizeArguments& arguments) {
    AnonymizeSetup setup{arguments, {}, {}, {}, {}, {}};
    setup.only = parse_spans(arguments.only);
    choose_detector(arguments, setup);
    for (const auto& [setting, text] : arguments.hiding) setting->set(setup.hiding, text);
    describe(arguments, setup);
    setup.decided = read_decided_tracks(arguments.keep, arguments.hide, setup.report.settings);
    return setup;
}

}  // namespace throng
