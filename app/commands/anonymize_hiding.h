// Hides the faces in each frame of a video, by a plan over all its frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "app/commands/anonymize_report.h"
#include "app/commands/anonymize_setup.h"
#include "core/base/error.h"
#include "core/frame/frame_pool.h"
#include "core/video/media_file_source.h"

namespace throng {

struct PlannedFrame {
    struct Thumbnail {
        std::size_t track = 0;  // index in HidingPlan::tracks
        Box box{};
    };
    double pts = 0;    // seconds
    double until = 0;  // the time of the next frame
    RedactRegions regions;
    int detected = 0;  // regions, by RegionReason
    int filled = 0;
    int extended = 0;
    std::vector<Thumbnail> thumbnails{};
};

// Contains what is hidden in a file whose faces are found.
class HidingPlan {
public:
    // Finishes `video`, whose frames must all be there, and which must outlive the plan. input, input_sha256: of the file,
    // to find the tracks that a person decided about.
    HidingPlan(VideoPlan& video, const std::string& input, const std::string& input_sha256,
               const AnonymizeSetup& setup);

    // Returns the next frame in order, or nothing after the last one.
    [[nodiscard]] std::optional<PlannedFrame> next();

    std::vector<ReportedTrack> tracks;  // thumbnails are not there yet

private:
    VideoPlan& video_;
    std::set<std::int64_t> kept_;                                 // tracks that stay visible
    std::multimap<std::int64_t, PlannedFrame::Thumbnail> shown_;  // by frame
};

struct HiddenFrames : HiddenCounts {
    std::map<std::size_t, std::string> thumbnails;  // ReportedTrack::thumbnail, by index of the track
    std::set<std::size_t> used_spans;               // indices in AnonymizeSetup::only: a frame is in the span
    std::optional<Frame> last;                      // as decoded
};

// Hides the frames that the reader returns and that are before `end` seconds, and writes them in order. next_planned:
// returns the plan of one frame after the other, in order. A frame that is damaged or not in the plan is hidden entirely.
// on_frames: called with the number of frames so far. on_regions: called
// with each frame as decoded, in order, and what is hidden in it; optional. Throws Error(interrupted) after a stop
// request, and what the reader and the functions throw.
[[nodiscard]] HiddenFrames hide_frames(MediaFileSource& reader, double end,
                                       const std::function<std::optional<PlannedFrame>()>& next_planned,
                                       const AnonymizeSetup& setup, FramePool& pool,
                                       const std::function<void(const ExactFrame&)>& write,
                                       const std::function<void(std::int64_t)>& on_frames, const std::stop_token& stop,
                                       const std::function<void(const Frame&, const RedactRegions&)>& on_regions = {});

// Sets what the report has from the format of the input.
void describe_video(const VideoFormat& format, const AnonymizeSetup& setup, ReportedFile& reported);
// Returns true if the audio of the input is copied.
[[nodiscard]] bool copies_audio(const VideoFormat& format, const AnonymizeSetup& setup);

// No frame of the video is in a span of --only. Of kind usage.
class NoFrameInSpans : public Error {
public:
    using Error::Error;
};

// Returns the text about spans of --only in which no frame is; empty if there is none. used: HiddenFrames::used_spans
// of the whole video. Throws NoFrameInSpans if no frame is in any span: the output would be the input.
[[nodiscard]] std::string unused_spans_text(const std::set<std::size_t>& used, const std::string& input,
                                            const AnonymizeSetup& setup);

// Returns the text about MediaFileSource::corrected_times; empty if there is nothing to report.
[[nodiscard]] std::string corrected_times_text(const MediaFileSource& reader);

}  // namespace throng
