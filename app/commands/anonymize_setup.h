// Checks and completes the options of `throng anonymize`: the setup that all files of a run share.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/anonymize_report.h"
#include "app/options/archive_command.h"
#include "app/options/command.h"
#include "app/options/detection_options.h"
#include "app/options/encoder_options.h"
#include "app/options/time_spans.h"
#include "core/pipeline/pipeline_settings.h"
#include "core/redact/hiding.h"
#include "core/redact/hiding_settings.h"
#include "core/video/source.h"

namespace throng {

enum class Hidden : std::uint8_t { faces, people, both };

// Values of --what.
inline constexpr std::pair<std::string_view, Hidden> kHiddenNames[] = {
    {"faces", Hidden::faces}, {"people", Hidden::people}, {"both", Hidden::both}};

struct AnonymizeArguments {
    std::vector<std::string> inputs;
    std::string report;  // without extension; empty: chosen from --out
    Hidden what = Hidden::faces;
    std::map<const HidingSetting*, std::string> hiding;  // texts; what is not in it is chosen by the detector
    std::string only;
    std::string regions;            // JSON lines of what is hidden in each frame; empty: none
    std::vector<std::string> keep;  // "ID@REPORT.json"
    std::vector<std::string> hide;  // likewise
    std::string faces_model;        // of --what both; empty: the default
    std::string review;             // report to review in the window; empty: none
    std::string decided_by = kDecidedByOption;
    std::string encoder = "auto";
    int quality = 20;
    bool copy_audio = false;
    DecoderKind decoder = DecoderKind::automatic;
    int streams = 0;  // files in progress at the same time; 0: chosen by the backend
    DetectionOptions detection{.kinds = {{},
                                         DetectorId::cnn,
                                         DetectorId::haar,
                                         DetectorId::lbp,
                                         DetectorId::hog,
                                         DetectorId::person,
                                         DetectorId::face_and_person}};
    ArchiveArguments archive;  // with --out, which may be a file
};

// Chooses the encoder when the first video needs it: the choice tries encoders in child processes. Thread-safe.
class EncoderOnDemand {
public:
    explicit EncoderOnDemand(std::string requested) : requested_(std::move(requested)) {}

    // Throws Error(unavailable) if the encoder does not work.
    const EncoderChoice& get();
    // Returns why the encoder was chosen; empty if no video needed one.
    [[nodiscard]] const std::string& why() const noexcept { return choice_.why; }

private:
    std::string requested_;
    std::mutex mutex_;
    bool chosen_ = false;
    EncoderChoice choice_;
};

struct AnonymizeSetup {
    AnonymizeArguments arguments;
    HidingParams hiding;
    PipelineSettings settings;
    std::vector<TimeSpan> only;
    std::vector<DecidedTrack> decided;
    ReportHeader report;
};

// Throws Error(usage) for contradictory options and for reports that do not fit, and
// Error(unavailable) without a model.
[[nodiscard]] AnonymizeSetup make_anonymize_setup(const AnonymizeArguments& arguments);

}  // namespace throng
