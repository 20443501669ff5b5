// Files of boxes: ground truth, detections, tracks, and what was hidden.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/algo/box.h"
#include "core/detect/detection.h"
#include "core/redact/redact.h"
#include "core/track/tracker.h"

namespace throng {

struct TruthFace {
    Box box{};
    float visible = 1;     // 0 to 1, if the file has it
    bool ignore = false;   // counts neither as found nor as missed
    std::int64_t id = -1;  // of the person, the same in all frames; -1 if the file has none
};

// Lines of `detect --detector face+person` have people and their faces; in all others, the boxes have no such name.
enum class BoxObject : std::uint8_t { unnamed, person, face };

struct ScoredBox {
    Box box{};
    double score = 0;
    int hits = 1;
    std::int64_t id = -1;                     // of the track; -1 for a detection
    TrackState state = TrackState::detected;  // of the track
    std::optional<double> confidence{};       // of a detection, if the file has it
    BoxObject object = BoxObject::unnamed;
};

// The boxes of one image. A still image may have no frame number.
template <typename Entry>
struct Labels {
    std::string source;  // the image or video file
    std::optional<std::int64_t> frame;
    std::vector<Entry> entries;
    int width = 0;  // pixels; 0 if the file has none
    int height = 0;
    double pts = 0;                  // seconds; 0 if the file has none
    std::int64_t source_number = 0;  // distinguishes sources of the same name; 0 if the file has none
    std::int64_t line = 0;           // of the file, from 1
    // Detections only: as many as entries, or none. NaN where the file has null, and of people.
    std::vector<DetectionSet::Landmarks> landmarks{};
    bool has_faces = false;  // detections and tracks: the line has people and their faces
    std::string object{};    // detections and tracks: the class that the detector finds; empty if the file has none
};

using TruthLabels = Labels<TruthFace>;
using DetectionLabels = Labels<ScoredBox>;

// What is hidden in one frame. The entries are the ellipses in which every pixel is replaced, by their bounding
// rectangles.
struct RegionLabels : Labels<Box> {
    bool whole = false;  // the whole frame
};

// Reads truth in either of two layouts, distinguished by the first character.
//   JSON lines, one image per line:
//     {"source":"crowd.mp4","frame":0,"width":1920,"height":1080,
//      "faces":[{"x":1.5,"y":2,"w":80,"h":80,"visible":0.9,"ignore":false,"id":7},…]}
//     visible, ignore and id are optional.
//   WIDER FACE's text (S. Yang et al., WIDER FACE, CVPR 2016):
//     a line with the image's name, one with the number of its faces, then one line per face:
//     x y w h blur expression illumination invalid occlusion pose
//     Columns after the fourth are optional; invalid = 1 marks a face as ignored. An image without a face has one line
//     of zeros or none; boxes without extent are left out.
// Throws Error(input) with file and line for anything else.
[[nodiscard]] std::vector<TruthLabels> read_truth(const std::filesystem::path& path);

// The boxes that are read from lines with people and their faces. Of lines without both, all are.
enum class LineObjects : std::uint8_t {
    one,  // such lines are errors
    people,
    faces,
    both,  // people first
};

// Calls `use` with each line that `--json` writes: source, frame, width, height, pts and kept (x, y, w, h, score and
// optionally hits, confidence and landmarks).
// Throws Error(input) with file and line.
void for_each_detection_line(const std::filesystem::path& path, const std::function<void(DetectionLabels&&)>& use,
                             LineObjects objects = LineObjects::one);
[[nodiscard]] std::vector<DetectionLabels> read_detection_lines(const std::filesystem::path& path,
                                                                LineObjects objects = LineObjects::one);

// Calls `use` with each line that `--track --json` writes: source, frame, pts and tracks (id, x, y, w, h, score,
// state). pts and state are optional.
// Throws Error(input) with file and line, also if an id occurs twice in a frame. People and faces have ids of their own.
void for_each_track_line(const std::filesystem::path& path, const std::function<void(DetectionLabels&&)>& use,
                         LineObjects objects = LineObjects::one);
[[nodiscard]] std::vector<DetectionLabels> read_track_lines(const std::filesystem::path& path,
                                                            LineObjects objects = LineObjects::one);

// Throws Error(input) unless the line has a later frame than the line before of the same source.
void check_order(const DetectionLabels& before, const DetectionLabels& line, const std::filesystem::path& path);

// Returns true if the first line of a file of JSON lines has tracks. Throws Error(input) if the file cannot be read.
[[nodiscard]] bool has_track_lines(const std::filesystem::path& path);

// Returns true if the first line of a file of JSON lines is one of region_line. Throws Error(input) if the file cannot
// be read.
[[nodiscard]] bool has_region_lines(const std::filesystem::path& path);

// Reads the lines of `anonymize --regions`: source, frame, width, height, whole and ellipses (x, y, w, h).
// Throws Error(input) with file and line.
[[nodiscard]] std::vector<RegionLabels> read_region_lines(const std::filesystem::path& path);

// Returns one line with a line feed, in the format of read_region_lines, of what `redact` hides in a frame. labels: all
// but the regions.
[[nodiscard]] std::string region_line(RegionLabels labels, const RedactRegions& regions, const RedactOptions& options);

// Returns the regions that redact draws with a margin of 0 exactly as those that region_line was made from.
[[nodiscard]] RedactRegions regions_of(const RegionLabels& labels);

// Returns one line of truth with a line feed, in the format of read_truth.
[[nodiscard]] std::string truth_line(const TruthLabels& labels, int width, int height);

}  // namespace throng
