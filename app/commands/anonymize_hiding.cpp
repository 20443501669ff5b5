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
std::map<std::int64_t, bool> decisions(const FaceRecorder& recorder, const std::string& input,
                                       const std::string& input_sha256, const AnonymizeSetup& setup) {
    std::map<std::int64_t, bool> tracks;
    for (const DecidedTrack& decided : setup.decided) {
        if (decided.input_sha256 != input_sha256) continue;
        if (const std::optional<std::int64_t> track = recorder.find(decided)) {
            tracks[*track] = decided.keep;
        } else {
            spdlog::warn("{}: track {} of the report was not found again, so it is hidden", input, decided.id);
        }
    }
    return tracks;
}

}  // namespace

HidingPlan make_hiding_plan(FaceRecorder& recorder, const std::string& input, const std::string& input_sha256,
                            const AnonymizeSetup& setup) {
    recorder.finish();
    const std::map<std::int64_t, bool> decided = decisions(recorder, input, input_sha256, setup);
    std::vector<std::int64_t> kept;
    for (const auto& [track, keep] : decided) {
        if (keep) kept.push_back(track);
    }
    std::vector<FaceRecorder::RecordedFrame>& recorded = recorder.frames();
    FilePlan file = make_file_plan(recorded, kept, setup.hiding.plan);

    HidingPlan plan;
    plan.frames.resize(recorded.size());
    for (std::size_t i = 0; i < recorded.size(); ++i) {
        PlannedFrame& frame = plan.frames[i];
        frame.pts = recorded[i].pts;
        // The last frame is shown as long as the one before.
        const double step = i > 0 ? frame.pts - recorded[i - 1].pts : 0;
        frame.until = i + 1 < recorded.size() ? recorded[i + 1].pts : frame.pts + step;
        for (const PlannedRegion& region : file.frames[i].regions) {
            frame.detected += region.reason == RegionReason::detected ? 1 : 0;
            frame.filled += region.reason == RegionReason::filled ? 1 : 0;
            frame.extended += region.reason == RegionReason::extended ? 1 : 0;
        }
        frame.regions = file.frames[i].to_hide();
        file.frames[i].regions = {};  // a long video has many
    }
    plan.tracks.resize(file.tracks.size());
    std::size_t thumbnails = 0;
    for (std::size_t i = 0; i < plan.tracks.size(); ++i) {
        ReportedTrack& track = plan.tracks[i];
        track.summary = file.tracks[i];
        if (const auto found = decided.find(track.summary.track); found != decided.end()) {
            track.kept = found->second;
            track.decided_by = setup.decided_by;
        }
        track.samples = recorder.samples().at(track.summary.track);
        track.first = track.samples.front().pts;
        track.last = track.samples.back().pts;
        // A track that remains visible has no thumbnail: it would show the original.
        if (track.summary.doubtful() && !track.kept && thumbnails++ < kMaxThumbnails) {
            plan.frames.at(static_cast<std::size_t>(track.summary.best_frame))
                .thumbnails.push_back({i, track.summary.best_box});
        }
    }
    return plan;
}

HiddenFrames hide_frames(MediaFileSource& reader, double end, const std::vector<PlannedFrame>& plan,
                         const AnonymizeSetup& setup, FramePool& pool,
                         const std::function<void(const ExactFrame&)>& write,
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
    std::size_t next = 0;  // in `plan`
    while (reader.read_exact(item.frame, stop)) {
        const FrameInfo& info = item.frame.frame.info();
        const double pts = info.pts;
        if (pts >= end) break;
        hidden.last = item.frame.frame;
        item.regions = {};
        item.thumbnails.clear();
        while (next < plan.size() && plan[next].pts < pts - kSamePts) ++next;
        const bool judged = next < plan.size() && plan[next].pts <= pts + kSamePts;
        const double until = judged ? plan[next].until : pts;
        bool open = !setup.only.empty();
        for (std::size_t i = 0; i < setup.only.size(); ++i) {
            if (!in_span(setup.only[i], pts, until)) continue;
            open = false;
            hidden.used_spans.insert(i);
        }
        if (judged) {
            const PlannedFrame& planned = plan[next++];
            hidden.detected += planned.detected;
            hidden.filled += planned.filled;
            hidden.extended += planned.extended;
            item.regions = planned.regions;
            for (const auto& [track, box] : planned.thumbnails) {
                if (!open) item.thumbnails.emplace_back(box, &hidden.thumbnails[track]);
            }
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
    const std::string text = "no frame is in --only " + unused;
    if (used.empty()) throw NoFrameInSpans(ErrorKind::usage, text, input, "name times of the video");
    return text;
}

bool copies_audio(const VideoFormat& format, const AnonymizeSetup& setup) {
    return setup.copy_audio && format.audio_tracks > 0;
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
