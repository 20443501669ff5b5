// The faces of one file: what was found in each frame, the tracks, and which of them stay visible.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/pipeline/frame_result.h"
#include "core/redact/face_tracks.h"
#include "core/redact/plan.h"

namespace throng {

// A track at one time, for the report and for finding it again.
struct TrackSample {
    double pts = 0;  // seconds
    Box box{};
};

// A track of a report that a person decided about: `--keep` or `--hide` names it.
struct DecidedTrack {
    std::int64_t id = 0;       // in that report
    bool keep = false;         // leave it visible
    std::string option;        // "--keep 3@hidden.report.json", for messages
    std::string input_sha256;  // of the file that it belongs to
    std::vector<TrackSample> samples;
};

// Returns the intersection over union of two boxes.
[[nodiscard]] float overlap_of(const Box& a, const Box& b);

// Records the results of a file and tracks its faces, linked with what comes after them. Every detection is recorded:
// those that the tracker does not use are hidden in their frame alone.
class FaceRecorder final : public ResultSink {
public:
    struct RecordedFrame {
        double pts = 0;
        int width = 0;
        int height = 0;
        bool incomplete = false;  // the buffers were full: the frame cannot be judged
        std::vector<FaceBox> boxes;
    };

    explicit FaceRecorder(const TrackerParams& params) : faces_(params, true) {}

    void write(const FrameResult& result) override;
    void close() override {}
    // After the last result: decides all tracks.
    void finish();

    // May be called while results are written.
    [[nodiscard]] std::uint64_t num_frames() const noexcept { return num_frames_; }

    // After finish; otherwise these throw Error(internal), because faces would be missing.
    [[nodiscard]] std::vector<RecordedFrame>& frames();
    // Returns the positions of each track: the first, the last, and one per second.
    [[nodiscard]] const std::map<std::int64_t, std::vector<TrackSample>>& samples() const;
    // Returns the track that is where `decided` was at the same times, if there is exactly one.
    [[nodiscard]] std::optional<std::int64_t> find(const DecidedTrack& decided) const;

private:
    void record_boxes();
    void check_finished() const;

    FaceTracks faces_;
    std::vector<RecordedFrame> frames_;
    std::size_t num_decided_ = 0;  // frames whose boxes are recorded
    std::map<std::int64_t, std::vector<TrackSample>> samples_;
    std::atomic<std::uint64_t> num_frames_ = 0;
};

// What is hidden in a file: the plan of each recorded frame, and its tracks by id.
struct FilePlan {
    std::vector<FramePlan> frames;
    std::vector<TrackSummary> tracks;
};

// Empties the boxes of `frames`, which may be many. kept: tracks that stay visible; their summaries are those of
// hidden tracks.
[[nodiscard]] FilePlan make_file_plan(std::vector<FaceRecorder::RecordedFrame>& frames,
                                      const std::vector<std::int64_t>& kept, const PlanOptions& options);

// A span of time in seconds, both ends included.
struct TimeSpan {
    double first = 0;
    double last = 0;
    std::string text{};  // as given, for messages
};

// Parses "12.5-20,1:00-1:30,2:00:00-": seconds, minutes:seconds or hours:minutes:seconds; an empty end is the end of
// the video. Throws Error(usage).
[[nodiscard]] std::vector<TimeSpan> parse_spans(const std::string& text);

// Returns true if the span touches a frame that is shown from `pts` until `end`.
[[nodiscard]] bool in_span(const TimeSpan& span, double pts, double end);

}  // namespace throng
