// Decides what is in the frames of a source with the help of what comes after them: tracker, linking of tracks, and plan
// of what is hidden. Nothing else owns one of them. Pixels are not needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/redact/plan.h"
#include "core/track/track_linker.h"
#include "core/track/tracker.h"

namespace throng {

// How long a frame waits: not at all with neither links nor a plan, otherwise up to a minute and for PlanOptions::delay.
struct LookaheadParams {
    std::optional<TrackerParams> tracker{};  // none: the frames come with their tracks
    bool linked = false;                     // tracks are linked with what comes after them (TrackLinker)
    std::optional<PlanOptions> plan{};       // plan what is hidden
    std::vector<LookaheadParams> faces{};    // of LookaheadInput::faces: one, or none to ignore them
};

// kept: with a plan, hidden in any case. candidates: with a plan, hidden where a track continues, or with
// TrackerParams::confident_hits; the first num_unconfident of them in any case. A cut ends all tracks.
struct LookaheadInput : TrackerInput {
    std::vector<Track> tracks;    // without LookaheadParams::tracker: as Tracker::update returned them
    std::vector<FaceBox> others;  // with a plan: hidden in this frame only; they belong to no track
    bool damaged = false;         // with a plan: the frame, or the list of detections, is incomplete
    std::size_t num_unconfident = 0;
    std::vector<LookaheadInput> faces;  // of a detector of people and their faces: one, of the faces; otherwise none
};

// Added to the ids of faces in the plan of people and faces, where each track has one id.
inline constexpr std::int64_t kFaceIds = std::int64_t{1} << 40U;

// Serves one source. Holds no more than the frames that wait, and of tracks what their undecided frames need: with
// PlanOptions::kWholeSequence, each detection. Not thread-safe. Deterministic.
class Lookahead {
public:
    // Throws Error(usage) as check_params does.
    explicit Lookahead(const LookaheadParams& params);

    // Changes the parameters of the tracker from the next frame on; the tracks go on. Throws Error(usage).
    void set_tracker(const TrackerParams& params);

    // Adds the next frame. With a plan, another size or source decides all frames before.
    void push(LookaheadInput input);
    // Decides most of the frames so far: see TrackLinker.
    void end_section();
    // Decides all frames so far with what is known. Tracks continue, but linked ones do not.
    void finish();

    struct Decision {
        std::vector<Track> tracks;       // without a plan
        std::vector<Track> face_tracks;  // of LookaheadInput::faces, joined with those of the people (join_faces)
        FramePlan plan;                  // with one; also hides the faces of LookaheadInput::faces
    };
    // Returns the decision about the next frame in order, or nothing if it is not decided yet.
    [[nodiscard]] std::optional<Decision> pop();

    // Return the tracks of the plan, and the detections of one. Require LookaheadParams::plan. See RedactPlanner.
    [[nodiscard]] std::vector<TrackSummary> planned_tracks() const;
    [[nodiscard]] const std::deque<RedactPlanner::Seen>& detections(std::int64_t track) const;

    // Returns the number of frames and detections that are kept.
    [[nodiscard]] std::size_t num_kept() const;

private:
    struct Waiting {
        std::vector<FaceBox> boxes;  // without a track
        bool damaged = false;
        bool begins_scene = false;
        int width = 0, height = 0;
    };
    [[nodiscard]] std::vector<Track> find_tracks(const LookaheadInput& input, std::vector<FaceBox>& single);
    void decide(TrackLinker::Decided decided);
    [[nodiscard]] std::optional<Decision> pop_own();

    LookaheadParams params_;
    std::optional<Tracker> tracker_;
    TrackLinker linker_;
    std::optional<RedactPlanner> planner_;
    std::string source_;  // of the last frame
    int width_ = 0, height_ = 0;
    std::deque<Waiting> unlinked_;  // frames that are not in the plan yet
    std::deque<std::vector<Track>> decided_;
    std::int64_t first_id_ = 0;  // added to the ids of tracks in the plan
    std::unique_ptr<Lookahead> faces_;
    std::optional<Decision> own_, decided_faces_;  // of the next frame; the other one is not decided yet
};

// The same for frames that wait themselves. Frame: what is kept of each.
template <class Frame>
class FrameLookahead : public Lookahead {
public:
    using Lookahead::Lookahead;

    // `input` must not refer to a part of `frame` that moves with it.
    void push(LookaheadInput input, Frame frame) {
        frames_.push_back(std::move(frame));
        Lookahead::push(std::move(input));
    }

    [[nodiscard]] std::optional<std::pair<Frame, Decision>> pop() {
        std::optional<Decision> decision = Lookahead::pop();
        if (!decision) return std::nullopt;
        std::pair<Frame, Decision> next{std::move(frames_.front()), *std::move(decision)};
        frames_.pop_front();
        return next;
    }

private:
    std::deque<Frame> frames_;
};

}  // namespace throng
