#include "app/commands/anonymize_tracks.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "core/algo/nms_rules.h"
#include "core/base/error.h"

namespace throng {
namespace {

constexpr double kSampleStep = 1;  // seconds between two samples of a track

}  // namespace

float overlap_of(const Box& a, const Box& b) {
    return pair_overlap(Overlap::iou, a, b, 0);
}

void FaceRecorder::write(const FrameResult& result) {
    const FrameInfo& info = result.frame.info();
    RecordedFrame frame;
    frame.pts = info.pts;
    frame.width = info.width;
    frame.height = info.height;
    frame.incomplete = lacks_detections(result);
    frames_.push_back(std::move(frame));
    faces_.push(tracker_input(result));
    record_boxes();
    ++num_frames_;
}

void FaceRecorder::finish() {
    faces_.finish();
    record_boxes();
}

void FaceRecorder::check_finished() const {
    if (num_decided_ != frames_.size()) throw Error(ErrorKind::internal, "the tracks are not decided");
}

std::vector<FaceRecorder::RecordedFrame>& FaceRecorder::frames() {
    check_finished();
    return frames_;
}

const std::map<std::int64_t, std::vector<TrackSample>>& FaceRecorder::samples() const {
    check_finished();
    return samples_;
}

void FaceRecorder::record_boxes() {
    while (std::optional<std::vector<FaceBox>> boxes = faces_.pop()) {
        RecordedFrame& frame = frames_[num_decided_++];
        frame.boxes = *std::move(boxes);
        for (const FaceBox& box : frame.boxes) {
            if (box.track < 0) continue;
            std::vector<TrackSample>& samples = samples_[box.track];
            const TrackSample sample{frame.pts, box.box};
            // The last sample is replaced until it is a second after the one before it.
            if (samples.size() < 2 || samples.back().pts - samples[samples.size() - 2].pts >= kSampleStep) {
                samples.push_back(sample);
            } else {
                samples.back() = sample;
            }
        }
    }
}

std::optional<std::int64_t> FaceRecorder::find(const DecidedTrack& decided) const {
    constexpr float kSameBox = 0.5F;
    constexpr double kSameTime = 0.5;  // seconds by which the ends of the track may differ
    std::optional<std::int64_t> found;
    for (const auto& [id, samples] : samples()) {
        if (std::abs(samples.front().pts - decided.samples.front().pts) > kSameTime ||
            std::abs(samples.back().pts - decided.samples.back().pts) > kSameTime) {
            continue;
        }
        std::size_t same = 0;
        for (const TrackSample& sample : decided.samples) {
            const auto later = [](const RecordedFrame& frame, double pts) { return frame.pts < pts; };
            constexpr double kRounding = 1e-6;  // seconds
            const auto frame = std::lower_bound(frames_.begin(), frames_.end(), sample.pts - kRounding, later);
            if (frame == frames_.end()) continue;
            same += std::any_of(frame->boxes.begin(), frame->boxes.end(), [&, id = id](const FaceBox& box) {
                return box.track == id && overlap_of(box.box, sample.box) >= kSameBox;
            });
        }
        if (same < decided.samples.size()) continue;
        if (found) return std::nullopt;
        found = id;
    }
    return found;
}

FilePlan make_file_plan(std::vector<FaceRecorder::RecordedFrame>& frames, const std::vector<std::int64_t>& kept,
                        const PlanOptions& options) {
    FilePlan result;
    result.frames.reserve(frames.size());
    // Where the video changes its size, the tracks end.
    for (std::size_t begin = 0, end = 0; begin < frames.size(); begin = end) {
        const int width = frames[begin].width;
        const int height = frames[begin].height;
        RedactPlanner planner(width, height, options);
        for (; end < frames.size() && frames[end].width == width && frames[end].height == height; ++end) {
            planner.push(std::exchange(frames[end].boxes, {}), frames[end].incomplete);
        }
        planner.finish();
        while (std::optional<FramePlan> plan = planner.pop()) {
            std::erase_if(plan->regions, [&](const PlannedRegion& region) {
                return std::find(kept.begin(), kept.end(), region.track) != kept.end();
            });
            result.frames.push_back(*std::move(plan));
        }
        for (TrackSummary track : planner.tracks()) {
            const auto offset = static_cast<std::int64_t>(begin);
            track.first += offset;
            track.last += offset;
            track.best_frame += offset;
            result.tracks.push_back(track);
        }
    }
    return result;
}

namespace {

[[noreturn]] void reject_spans(const std::string& text, const std::string& why) {
    throw Error(ErrorKind::usage, why, "--only " + text, "write spans as 12.5-20,1:00-1:30");
}

// Parses "12.5", "1:30" or "1:02:03".
double parse_time(std::string_view text, const std::string& all) {
    double seconds = 0;
    for (int parts = 1;; ++parts) {
        const std::size_t colon = text.find(':');
        const std::string_view part = text.substr(0, colon);
        double value = 0;
        const auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), value);
        const bool number = failure == std::errc() && end == part.data() + part.size() && std::isfinite(value);
        if (!number || value < 0 || parts > 3 || (parts > 1 && value >= 60)) {
            reject_spans(all, "is not a time: " + std::string(text));
        }
        seconds = seconds * 60 + value;
        if (colon == std::string_view::npos) return seconds;
        text.remove_prefix(colon + 1);
    }
}

}  // namespace

std::vector<TimeSpan> parse_spans(const std::string& text) {
    std::vector<TimeSpan> spans;
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t comma = rest.find(',');
        const std::string_view span = rest.substr(0, comma);
        const std::size_t dash = span.find('-');
        if (dash == std::string_view::npos || dash == 0) reject_spans(text, "is not a span: " + std::string(span));
        TimeSpan result;
        result.text = span;
        result.first = parse_time(span.substr(0, dash), text);
        const std::string_view last = span.substr(dash + 1);
        result.last = last.empty() ? std::numeric_limits<double>::infinity() : parse_time(last, text);
        if (result.last < result.first) reject_spans(text, "ends before it begins: " + std::string(span));
        spans.push_back(result);
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
        if (comma != std::string_view::npos && rest.empty()) reject_spans(text, "ends in a comma");
    }
    return spans;
}

bool in_span(const TimeSpan& span, double pts, double end) {
    return pts <= span.last && end >= span.first;
}

}  // namespace throng
