// The report of `throng anonymize`: what was hidden in which file, and which tracks a person should look at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/message.h"
#include "core/detect/detector.h"
#include "core/frame/frame.h"
#include "core/redact/video_plan.h"

namespace throng {

struct ReportedTrack {
    TrackSummary summary;
    std::string object;  // "person" or "face" where both are hidden; otherwise empty
    double first = 0;    // seconds
    double last = 0;
    bool kept = false;       // left visible
    std::string decided_by;  // who left it visible or confirmed that it is hidden; empty: nobody
    std::vector<TrackSample> samples;
    // JPEG after hiding, in Base64; only of uncertain tracks that are hidden, and not of all if there are many.
    std::string thumbnail;
};

inline constexpr std::size_t kMaxThumbnails = 200;  // per file

// Counts what was hidden in a video, or in some of its frames.
struct HiddenCounts {
    std::int64_t frames = 0;
    std::int64_t whole_frames = 0;  // hidden entirely
    std::int64_t open_frames = 0;   // outside --only: nothing was hidden
    std::int64_t detected = 0;      // regions hidden, by RegionReason
    std::int64_t filled = 0;
    std::int64_t extended = 0;
    std::int64_t composed_frames = 0;  // had transparent pixels
};

struct ReportedFile : HiddenCounts {
    std::string input;
    std::string output;       // empty: not written
    std::string folder;       // where the names begin if they are relative: absolute
    bool in_archive = false;  // `output` is below the folder of --out, whose manifest describes it
    std::string input_sha256;
    std::string output_sha256;
    std::string error;       // why nothing was written
    std::string incomplete;  // why the output lacks a part of the input, or of what was asked for
    bool still = false;
    int width = 0;
    int height = 0;
    double fps = 0;
    std::vector<std::string> notes;  // what differs from the input by design
    std::string audio;               // "2 tracks dropped"
    std::string encoder;             // of a video; otherwise empty
    std::vector<ReportedTrack> tracks;
};

struct ReportedModel {
    std::string name;
    std::string file;
    std::string path;  // absolute
    std::string sha256;
    std::string license;
    std::string training;
};

// Returns the model that the detector uses, with the license from the table of recommended models.
[[nodiscard]] ReportedModel describe_model(const DetectorParams& detector);

// Holds what all files of a report share.
struct ReportHeader {
    nlohmann::ordered_json settings;  // that decide what is hidden; --keep and --hide require the same
    nlohmann::ordered_json output;    // encoder, quality and audio, as requested
    std::string backend;
    ReportedModel model;
    std::optional<ReportedModel> faces_model;  // that finds the faces, where the other one finds people
    bool interrupted = false;
};

[[nodiscard]] nlohmann::ordered_json header_json(const ReportHeader& header);
[[nodiscard]] nlohmann::ordered_json file_json(const ReportedFile& file);
// Returns the report of one file as JSON. header, file: from the functions above.
[[nodiscard]] std::string report_text(nlohmann::ordered_json header, const nlohmann::ordered_json& file);

// Throws Error(usage) if a report cannot have this name: BASE of --report is a folder.
void check_report_base(const std::string& base);

// Writes a report as BASE.json and as BASE.html, a page that needs no other file. Holds one file in memory at a time.
// Throws Error(input) if a file cannot be written; both get their names in commit.
class ReportWriter {
public:
    // header: as header_json returns it; keys may be missing.
    ReportWriter(const std::string& base, const nlohmann::ordered_json& header);
    // Numbers the tracks of all files from 1. Throws a JSON exception if `file` is not as file_json returns it.
    void add(nlohmann::ordered_json file);
    void commit();

private:
    AtomicFile json_;
    AtomicFile html_;
    std::int64_t last_track_ = 0;
    bool is_first_ = true;
};

// Returns "1 face", "2 faces".
[[nodiscard]] std::string text_of_count(std::int64_t count, const char* one, const char* many);

// Returns the surroundings of the box as a JPEG in Base64. frame: after hiding.
[[nodiscard]] std::string make_thumbnail(const Frame& frame, const Box& box);

// Values of ReportedTrack::decided_by.
inline constexpr const char* kDecidedByOption = "option";
inline constexpr const char* kDecidedByReview = "review";

// Reads a report. Throws Error(input) for a file that is no report, Error(usage) for one of another version of this
// program.
[[nodiscard]] nlohmann::ordered_json read_report(const std::string& path);

// Throws Error(usage) unless the report was made with these settings.
void check_report_settings(const nlohmann::ordered_json& report, const nlohmann::ordered_json& settings,
                           const std::string& path);

// A track of a report that a person decided about: `--keep` or `--hide` names it.
struct DecidedTrack {
    std::int64_t id = 0;       // in that report
    bool keep = false;         // leave it visible
    Message option;            // "--keep 3@hidden.report.json"
    std::string input_sha256;  // of the file that it belongs to
    std::string object;        // ReportedTrack::object
    std::vector<TrackSample> samples;
};

// The files of a report, of which users name the base.
inline constexpr const char* kReportFileExtensions[] = {".json", ".html"};

// Returns ReportedTrack::object of a person or a face. both: people and faces are hidden.
[[nodiscard]] inline std::string reported_object(bool both, bool is_face) {
    return !both ? "" : is_face ? "face" : "person";
}

// Returns the positions of a track of a report. Throws a JSON exception if the report is damaged.
[[nodiscard]] std::vector<TrackSample> samples_of(const nlohmann::ordered_json& track);

// Reads the tracks that "ID@REPORT.json" names, `keep` first. Throws Error(usage) for another form, for a track in both
// lists, and for a report of another version of this program or of other settings; Error(input) for a file that is no
// such report or has no such track.
[[nodiscard]] std::vector<DecidedTrack> read_decided_tracks(const std::vector<std::string>& keep,
                                                            const std::vector<std::string>& hide,
                                                            const nlohmann::ordered_json& settings);

}  // namespace throng
