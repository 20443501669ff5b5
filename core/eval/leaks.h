// Measures how well a plan hides faces: which faces of the ground truth leak, and how much more than faces is hidden.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/annotations/labels.h"
#include "core/redact/hiding.h"
#include "core/redact/redact.h"

namespace throng {

struct LeakOptions {
    double min_size = 20;      // pixels: faces with a smaller side below are not counted
    double min_visible = 0.5;  // visible share: faces below are not counted
    double covered = 0.95;     // share of the box that must be opaque; below it the face leaks
    // By which a box is grown before what is hidden outside of it counts as extra area; none: that of the redaction.
    std::optional<float> margin;
};

// Faces of one size. A face-frame is one face in one frame.
struct LeakBin {
    double from = 0, to = 0;  // pixels: geometric mean of width and height
    std::int64_t face_frames = 0;
    std::int64_t leaks = 0;
};

struct LeakResult {
    std::int64_t frames = 0;
    std::int64_t face_frames = 0;
    std::int64_t leaks = 0;
    std::int64_t whole_frames = 0;  // hidden entirely
    double extra_area = 0;  // sum over frames: share of the frame that is hidden outside the boxes grown by the margin
    std::vector<LeakBin> bins;  // by size, without gaps; each is 2^(1/2) times as wide as the previous one

    [[nodiscard]] std::optional<double> per_10000() const;  // leaks per 10,000 face-frames
    [[nodiscard]] double mean_extra_area() const;
    LeakResult& operator+=(const LeakResult& other);
};

// What a video hides of its faces: by the plan, and by the detections of each frame alone.
struct LeakEvaluation {
    LeakResult planned;
    LeakResult single;
};

struct LeakComparison {
    HidingParams hiding;
    // Detections with at least both are hidden without a plan; the others are candidates.
    double shown_score = 0;
    int shown_hits = 1;
    LeakOptions leaks;
};

// Hides the detections of each video as `detect --blur` does, and returns the sum. Faces and detections are paired by
// frame number; a frame without detections is a frame in which none was found. Several videos are paired by their file
// names. Throws Error(input) if a video lacks faces or detections, a frame number is missing or repeated, or the
// detections have no size of the frame.
[[nodiscard]] LeakEvaluation evaluate_leaks(const std::vector<TruthLabels>& truth,
                                            const std::vector<DetectionLabels>& detections,
                                            const LeakComparison& comparison);

// Returns what regions that were drawn (read_region_lines) hide of the faces. Videos are paired as by evaluate_leaks.
// Throws Error(input) as evaluate_leaks, and for a frame of the truth that has no regions.
[[nodiscard]] LeakResult evaluate_regions(const std::vector<TruthLabels>& truth,
                                          const std::vector<RegionLabels>& regions, const LeakOptions& options);

// Not thread-safe.
class LeakMeter {
public:
    explicit LeakMeter(const LeakOptions& options = {});

    // Adds one frame. Faces with `ignore` set are counted if they are visible enough. Counts a pixel as hidden if it is
    // opaque, and as extra area if it is changed at all.
    void add(int width, int height, const std::vector<TruthFace>& truth, const RedactRegions& regions,
             const RedactOptions& redact);

    [[nodiscard]] const LeakResult& result() const { return result_; }

private:
    LeakOptions options_;
    LeakResult result_;
    std::vector<std::uint8_t> mask_;
    std::vector<std::uint8_t> allowed_;
};

}  // namespace throng
