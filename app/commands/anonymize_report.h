// The report of `throng anonymize`: what was hidden in which file, and which tracks a person should look at.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/commands/anonymize_tracks.h"
#include "core/detect/detector.h"
#include "core/frame/frame.h"

namespace throng {

struct ReportedTrack {
    TrackSummary summary;
    double first = 0;  // seconds
    double last = 0;
    bool kept = false;  // left visible, by --keep
    std::vector<TrackSample> samples;
    std::string thumbnail;  // JPEG after hiding, in Base64; only of doubtful tracks, and not of all if there are many
};

struct ReportedFile {
    std::string input;
    std::string output;  // empty: not written
    std::string input_sha256;
    std::string output_sha256;
    std::string error;       // why nothing was written
    std::string incomplete;  // why the output lacks a part of the input
    bool still = false;
    int width = 0;
    int height = 0;
    double fps = 0;
    std::int64_t frames = 0;
    std::int64_t whole_frames = 0;  // hidden whole
    std::int64_t open_frames = 0;   // outside --only: nothing was hidden
    std::int64_t detected = 0;      // regions hidden, by RegionReason
    std::int64_t filled = 0;
    std::int64_t extended = 0;
    std::vector<std::string> notes;  // what differs from the input by design
    std::string audio;               // "2 tracks dropped"
    std::vector<ReportedTrack> tracks;
};

struct ReportedModel {
    std::string name;
    std::string file;
    std::string sha256;
    std::string license;
    std::string training;
};

// Returns the model that the detector uses, with the license from the table of recommended models.
[[nodiscard]] ReportedModel describe_model(const DetectorParams& detector);

struct AnonymizeReport {
    nlohmann::ordered_json settings;  // that decide what is hidden; --keep requires the same
    nlohmann::ordered_json output;    // encoder, quality and audio
    std::string backend;
    ReportedModel model;
    bool interrupted = false;
    std::vector<ReportedFile> files;
};

[[nodiscard]] nlohmann::ordered_json report_json(const AnonymizeReport& report);
// Returns a page that needs no other file.
[[nodiscard]] std::string report_html(const AnonymizeReport& report);

// Returns the surroundings of the box as a JPEG in Base64. frame: after hiding.
[[nodiscard]] std::string make_thumbnail(const Frame& frame, const Box& box);

// Reads the track that "ID@REPORT.json" names. Throws Error(usage) for another form, and for a report of another
// version of this program or of other settings; Error(input) for a file that is no such report or has no such track.
[[nodiscard]] KeptTrack read_kept_track(const std::string& text, const nlohmann::ordered_json& settings);

}  // namespace throng
