#include "app/commands/anonymize_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "app/commands/anonymize_files.h"
#include "app/commands/anonymize_hiding.h"
#include "core/archive/segments.h"
#include "core/base/error.h"
#include "core/base/json_integer.h"
#include "core/base/sha256.h"
#include "core/sinks/part_file.h"
#include "core/video/damage_watch.h"
#include "core/video/encoded_part.h"
#include "core/video/exact_writer.h"
#include "core/video/formats.h"
#include "core/video/muxer.h"
#include "core/video/transparency.h"

namespace throng {
namespace {

// Limits x264 for a part: its output depends on the number of threads, and machines have different numbers of cores.
// Several parts are encoded at the same time instead.
constexpr int kEncoderThreads = 1;

ExactEncoderOptions encoder_options(const AnonymizeSetup& setup, EncoderOnDemand& encoder) {
    return {encoder.get().name, setup.arguments.quality, kEncoderThreads};
}

// The counts in the order of their keys in a record.
constexpr std::array kCounts = {&HiddenCounts::frames,         &HiddenCounts::whole_frames, &HiddenCounts::open_frames,
                                &HiddenCounts::detected,       &HiddenCounts::filled,       &HiddenCounts::extended,
                                &HiddenCounts::composed_frames};

}  // namespace

std::shared_ptr<const VideoPlanOfParts> VideoPlans::of(const WorkItem& item, const std::stop_token& stop) {
    constexpr std::size_t kPlans = 3;  // the parts of a video follow each other, but its joining comes later
    const std::string key = item.split->name_of(1) + item.sha256;
    const std::lock_guard lock(mutex_);
    for (const auto& [of_plan, plan] : plans_) {
        if (of_plan == key) return plan;
    }
    plans_.emplace_back(key, std::make_shared<const VideoPlanOfParts>(make(item, stop)));
    if (plans_.size() > kPlans) plans_.pop_front();
    return plans_.back().second;
}

VideoPlanOfParts VideoPlans::make(const WorkItem& item, const std::stop_token& stop) const {
    if (!names_video(hidden_name(item.split->name, item.path))) {
        throw PartsDoNotJoin("animations are not encoded in segments");
    }
    SplitVideo found = *item.split;
    found.detections.clear();
    VideoPlan video(setup_.hiding);
    read_parts(
        found.files(), [&](FrameResult& frame) { video.push(lookahead_input(frame)); }, stop);
    HidingPlan hiding(video, item.path, item.sha256, setup_);
    VideoPlanOfParts plan;
    std::string text;
    while (std::optional<PlannedFrame> frame = hiding.next()) {
        if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped", item.path);
        fmt::format_to(std::back_inserter(text), "{} {} {}\n", frame->pts, frame->until, frame->regions.whole);
        for (const Box& box : frame->regions.boxes) {
            fmt::format_to(std::back_inserter(text), "{} {} {} {}\n", box.x, box.y, box.w, box.h);
        }
        text = sha256_of_text(text);
        plan.frames.push_back(std::move(*frame));
    }
    plan.id = std::move(text);
    plan.tracks = std::move(hiding.tracks);
    return plan;
}

InputResult encode_part(const WorkItem& item, const std::string& output, const AnonymizeSetup& setup,
                        EncoderOnDemand& encoder, VideoPlans& plans, FramePool& pool,
                        const std::function<void(std::uint64_t)>& add_frames, const std::stop_token& stop) {
    const SplitVideo& video = *item.split;
    const std::shared_ptr<const VideoPlanOfParts> plan = plans.of(item, stop);
    auto planned = std::lower_bound(plan->frames.begin(), plan->frames.end(), video.begin_of(item.part),
                                    [](const PlannedFrame& frame, double begin) { return frame.pts < begin; });
    const auto next_planned = [&] { return planned == plan->frames.end() ? std::nullopt : std::optional(*planned++); };
    MediaFileSource reader(item.path, stop);
    const VideoFormat format = reader.format();
    const std::optional<Frame> before = reader.begin_at(video.begin_of(item.part), stop);
    EncodedPartWriter writer(output, format, encoder_options(setup, encoder), before, stop);
    const HiddenFrames hidden = hide_frames(
        reader, video.end_of(item.part), next_planned, setup, pool,
        [&](const ExactFrame& frame) { writer.write(frame); }, [&](std::int64_t) { add_frames(1); }, stop);
    nlohmann::ordered_json report{{"plan", plan->id}, {"thumbnails", hidden.thumbnails}, {"spans", hidden.used_spans}};
    for (const auto count : kCounts) report["counts"].push_back(hidden.*count);
    writer.finish(hidden.last ? hidden.last : before, std::move(report));
    InputResult result;
    result.frames = static_cast<std::uint64_t>(hidden.frames);
    result.faces = static_cast<std::uint64_t>(hidden.detected);
    result.incomplete = reader.incomplete();
    // Times that are made from those before depend on where decoding began.
    if (result.incomplete.empty() && reader.corrected_times() > 0) {
        result.incomplete = "time stamps are missing or out of order";
    }
    return result;
}

void add_part(const nlohmann::ordered_json& part, ReportedFile& reported, std::set<std::size_t>& used_spans) {
    for (const auto& span : part.at("spans")) used_spans.insert(integer_of<std::size_t>(span));
    for (std::size_t i = 0; i < kCounts.size(); ++i) {
        reported.*kCounts[i] += integer_at<std::int64_t>(part.at("counts"), i);
    }
    for (const auto& thumbnail : part.at("thumbnails")) {
        const auto track = integer_at<std::size_t>(thumbnail, 0);
        if (track >= reported.tracks.size()) throw JsonNotInteger("a thumbnail is of a track that is not there");
        reported.tracks[track].thumbnail = thumbnail.at(1).get<std::string>();
    }
}

ReportedFile join_parts(const WorkItem& item, const std::string& output, const AnonymizeSetup& setup,
                        EncoderOnDemand& encoder, VideoPlans& plans, const std::stop_token& stop) {
    const std::shared_ptr<const VideoPlanOfParts> plan = plans.of(item, stop);
    const MediaFileSource reader(item.path, stop);
    const VideoFormat& format = reader.format();
    const ExactEncoderOptions options = encoder_options(setup, encoder);
    ReportedFile reported;
    reported.input_sha256 = item.sha256;
    reported.encoder = options.encoder;
    describe_video(format, setup, reported);

    const ExactEncoder opened(format, options, output);
    Muxer muxer(output, format_of_name(output).muxer, result_file(output),
                copies_audio(format, setup) ? item.path : "");
    begin_result(muxer, opened, format);
    const auto write = [&](AVPacket& packet) {
        const double time = static_cast<double>(packet.pts) * av_q2d(format.time_base);
        muxer.write(packet);
        muxer.copy_audio_until(time);
    };
    const JoinedParts joined = join_encoded_parts(item.split->files(), opened, write, stop);
    std::set<std::size_t> used_spans;
    reported.tracks = plan->tracks;
    try {
        for (const nlohmann::ordered_json& part : joined.reports) {
            if (part.at("plan") != plan->id) throw PartsDoNotJoin("the segments were encoded by different plans");
            add_part(part, reported, used_spans);
        }
    } catch (const nlohmann::json::exception& error) {
        throw Error(ErrorKind::input, std::string("an encoded segment is damaged: ") + error.what(), item.path);
    }
    const std::string unused_spans = unused_spans_text(used_spans, item.path, setup);
    muxer.copy_audio_rest();
    muxer.finish();
    reported.incomplete = joined_reasons(muxer.audio_incomplete(), unused_spans);
    reported.notes = encoding_notes(format, options.encoder, joined.scaled_frames);
    for (std::string& note : muxer.audio_notes()) reported.notes.push_back(std::move(note));
    reported.output_sha256 = sha256_of(output, stop);
    if (reported.composed_frames > 0) reported.notes.emplace_back(kComposedText);
    return reported;
}

}  // namespace throng
