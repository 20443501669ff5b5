#include "app/commands/anonymize_hiding.h"

#include <future>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/stage_thread.h"

namespace throng {
namespace {

constexpr double kSamePts = 1e-6;          // seconds: the same frame, read twice
constexpr std::size_t kFramesWaiting = 4;  // for the encoder

struct FrameToHide {
    ExactFrame frame;
    RedactRegions regions;
    std::vector<std::pair<Box, std::string*>> thumbnails;  // what they show, and where they go
};

// Returns the tracks that a person decided about; true: it remains visible.
std::map<std::int64_t, bool> decisions(const VideoPlan& video, const std::string& input,
                                       const std::string& input_sha256, const AnonymizeSetup& setup) {
    std::map<std::int64_t, bool> tracks;
    for (const DecidedTrack& decided : setup.decided) {
        if (decided.input_sha256 != input_sha256) continue;
        if (const std::optional<std::int64_t> track = video.find(decided.samples, decided.object == "face")) {
            tracks[*track] = decided.keep;
        } else {
            logger().warn("{}: track {} of the report was not found again, so it is hidden", input, decided.id);
        }
    }
    return tracks;
}

}  // namespace

HidingPlan::HidingPlan(VideoPlan& video, const std::string& input, const std::string& input_sha256,
                       const AnonymizeSetup& setup)
    : video_(video) {
    video.finish();
    const std::map<std::int64_t, bool> decided = decisions(video, input, input_sha256, setup);
    for (const TrackSummary& summary : video.tracks()) {
        ReportedTrack& track = tracks.emplace_back();
        track.summary = summary;
        track.object = reported_object(setup.hiding.faces.has_value(), summary.track >= kFaceIds);
        if (const auto found = decided.find(summary.track); found != decided.end()) {
            track.kept = found->second;
            track.decided_by = setup.arguments.decided_by;
        }
        if (track.kept) kept_.insert(summary.track);
        track.samples = video.samples(summary.track);
        track.first = track.samples.front().pts;
        track.last = track.samples.back().pts;
        // A track that remains visible has no thumbnail: it would show the original.
        if (summary.doubtful() && !track.kept && shown_.size() < kMaxThumbnails) {
            shown_.emplace(summary.best_frame, PlannedFrame::Thumbnail{tracks.size() - 1, summary.best_box});
        }
    }
}

std::optional<PlannedFrame> HidingPlan::next() {
    std::optional<VideoPlan::Frame> frame = video_.next();
    if (!frame) return std::nullopt;
    PlannedFrame planned{frame->pts, frame->until, {}, 0, 0, 0};
    std::erase_if(frame->plan.regions, [this](const PlannedRegion& region) { return kept_.contains(region.track); });
    for (const PlannedRegion& region : frame->plan.regions) {
        planned.detected += region.reason == RegionReason::detected ? 1 : 0;
        planned.filled += region.reason == RegionReason::filled ? 1 : 0;
        planned.extended += region.reason == RegionReason::extended ? 1 : 0;
    }
    planned.regions = frame->plan.to_hide();
    const auto [first, last] = shown_.equal_range(frame->plan.number);
    for (auto shown = first; shown != last; ++shown) planned.thumbnails.push_back(shown->second);
    return planned;
}

HiddenFrames hide_frames(MediaFileSource& reader, double end,
                         const std::function<std::optional<PlannedFrame>()>& next_planned, const AnonymizeSetup& setup,
                         FramePool& pool, const std::function<void(const ExactFrame&)>& write,
                         const std::function<void(std::int64_t)>& on_frames, const std::stop_token& stop,
                         const std::function<void(const Frame&, const RedactRegions&)>& on_regions) {
    HiddenFrames hidden;
    // Decoding, hiding and encoding run at the same time. A thread per frame hides: one thread for all would keep an
    // encoder with many cores waiting.
    const auto hide = [&](FrameToHide item) {
        Frame& frame = item.frame.frame;
        if (item.regions.whole || !item.regions.boxes.empty())
            frame = redacted(frame, item.regions, setup.hiding.redact, pool);
        for (const auto& [box, thumbnail] : item.thumbnails) *thumbnail = make_thumbnail(frame, box);
        return std::move(item.frame);
    };
    StageThread<std::future<ExactFrame>> encode(kFramesWaiting,
                                                [&](std::future<ExactFrame>& frame) { write(frame.get()); });
    FrameToHide item;
    std::optional<PlannedFrame> planned = next_planned();
    while (reader.read_exact(item.frame, stop)) {
        const FrameInfo& info = item.frame.frame.info();
        const double pts = info.pts;
        if (pts >= end) break;
        hidden.last = item.frame.frame;
        item.regions = {};
        item.thumbnails.clear();
        while (planned && planned->pts < pts - kSamePts) planned = next_planned();
        const bool judged = planned && planned->pts <= pts + kSamePts;
        const double until = judged ? planned->until : pts;
        bool open = !setup.only.empty();
        for (std::size_t i = 0; i < setup.only.size(); ++i) {
            if (!in_span(setup.only[i], pts, until)) continue;
            open = false;
            hidden.used_spans.insert(i);
        }
        if (judged) {
            hidden.detected += planned->detected;
            hidden.filled += planned->filled;
            hidden.extended += planned->extended;
            item.regions = std::move(planned->regions);
            for (const auto& [track, box] : planned->thumbnails) {
                if (!open) item.thumbnails.emplace_back(box, &hidden.thumbnails[track]);
            }
            planned = next_planned();
        }
        item.regions.whole = item.regions.whole || info.damaged || !judged;
        if (open) item.regions = {};
        hidden.open_frames += open ? 1 : 0;
        hidden.whole_frames += item.regions.whole ? 1 : 0;
        hidden.composed_frames += item.frame.composed ? 1 : 0;
        ++hidden.frames;
        if (on_regions) on_regions(item.frame.frame, item.regions);
        encode.push(std::async(std::launch::async, hide, std::move(item)));
        on_frames(hidden.frames);
    }
    if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped; nothing was written");
    encode.finish();
    return hidden;
}

std::string unused_spans_text(const std::set<std::size_t>& used, const std::string& input,
                              const AnonymizeSetup& setup) {
    std::string unused;
    for (std::size_t i = 0; i < setup.only.size(); ++i) {
        if (!used.contains(i)) unused += (unused.empty() ? "" : ",") + setup.only[i].text;
    }
    if (unused.empty()) return {};
    const std::string text = Message("no frame is in %1", Setting{"only", unused}).text();
    if (used.empty()) throw NoFrameInSpans(ErrorKind::usage, text, input, "name times of the video");
    return text;
}

bool copies_audio(const VideoFormat& format, const AnonymizeSetup& setup) {
    return setup.arguments.copy_audio && format.audio_tracks > 0;
}

void describe_video(const VideoFormat& format, const AnonymizeSetup& setup, ReportedFile& reported) {
    reported.width = format.width;
    reported.height = format.height;
    reported.fps = format.fps;
    reported.audio = format.audio_tracks == 0 ? "none in the input"
                                              : text_of_count(format.audio_tracks, "track", "tracks") +
                                                    (copies_audio(format, setup) ? " copied" : " dropped");
}

std::string corrected_times_text(const MediaFileSource& reader) {
    if (reader.corrected_times() == 0) return {};
    return text_of_count(reader.corrected_times(), "time stamp was", "time stamps were") + " missing or out of order";
}

}  // namespace throng
