#include "app/commands/anonymize_parts.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "app/commands/anonymize_files.h"
#include "app/commands/anonymize_hiding.h"
#include "core/archive/segments.h"
#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/json_text.h"
#include "core/base/record_file.h"
#include "core/base/sha256.h"
#include "core/frame/fingerprint.h"
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
    return {encoder.get().name, setup.quality, kEncoderThreads};
}

nlohmann::json frame_json(const PlannedFrame& frame) {
    nlohmann::json boxes = nlohmann::json::array();
    for (const Box& box : frame.regions.boxes) boxes.insert(boxes.end(), {box.x, box.y, box.w, box.h});
    nlohmann::json thumbnails = nlohmann::json::array();
    for (const auto& [track, box] : frame.thumbnails) thumbnails.push_back({track, box.x, box.y, box.w, box.h});
    return {frame.pts,      frame.until,  frame.regions.whole, std::move(boxes),
            frame.detected, frame.filled, frame.extended,      std::move(thumbnails)};
}

Box box_of(const nlohmann::json& list, std::size_t at) {
    const auto value = [&](std::size_t i) { return list.at(at + i).get<float>(); };
    return {value(0), value(1), value(2), value(3)};
}

PlannedFrame frame_of(const nlohmann::json& json) {
    PlannedFrame frame;
    frame.pts = json.at(0);
    frame.until = json.at(1);
    frame.regions.whole = json.at(2);
    for (std::size_t i = 0; i < json.at(3).size(); i += 4) frame.regions.boxes.push_back(box_of(json.at(3), i));
    frame.detected = json.at(4);
    frame.filled = json.at(5);
    frame.extended = json.at(6);
    for (const nlohmann::json& thumbnail : json.at(7)) {
        frame.thumbnails.push_back({thumbnail.at(0).get<std::size_t>(), box_of(thumbnail, 1)});
    }
    return frame;
}

// Returns the next frame of a plan, or nothing after the last one.
std::optional<PlannedFrame> read_frame(RecordReader& records, const std::stop_token& stop) {
    try {
        const nlohmann::json record = records.read(stop);
        if (!record.is_null()) return frame_of(record);
    } catch (const nlohmann::json::exception& error) {
        throw records.damaged(error.what());
    }
    return std::nullopt;
}

std::filesystem::path plan_file(const SplitVideo& video, std::size_t output) {
    return video.folder / video.plan_outputs().at(output);
}

// The counts in the order of their keys in a record.
constexpr std::array kCounts = {&HiddenCounts::frames,         &HiddenCounts::whole_frames, &HiddenCounts::open_frames,
                                &HiddenCounts::detected,       &HiddenCounts::filled,       &HiddenCounts::extended,
                                &HiddenCounts::composed_frames};

}  // namespace

InputResult plan_parts(const WorkItem& item, const std::vector<std::string>& outputs, const AnonymizeSetup& setup,
                       const std::stop_token& stop) {
    if (!names_video(hidden_name(item.split->name, item.path))) {
        throw PartsDoNotJoin("animations are not encoded in parts");
    }
    VideoPlan video(setup.hiding);
    InputResult result;
    result.frames = read_parts(
        item.split->files(), [&](FrameResult& frame) { video.push(lookahead_input(frame)); }, stop);
    HidingPlan plan(video, item.path, item.sha256, setup);
    std::optional<PlannedFrame> frame = plan.next();
    for (int part = 1; part <= item.split->parts; ++part) {
        RecordWriter records(outputs.at(static_cast<std::size_t>(part - 1)));
        for (; frame && frame->pts < item.split->end_of(part); frame = plan.next()) {
            records.write(frame_json(*frame), stop);
        }
        records.close(stop);
    }
    nlohmann::ordered_json tracks = nlohmann::ordered_json::array();
    for (const ReportedTrack& track : plan.tracks) tracks.push_back(track_json(track));
    write_file(outputs.back(), tracks.dump(), stop);
    return result;
}

InputResult encode_part(const WorkItem& item, const std::string& output, const AnonymizeSetup& setup,
                        EncoderOnDemand& encoder, FramePool& pool, const std::function<void(std::uint64_t)>& add_frames,
                        const std::stop_token& stop) {
    const SplitVideo& video = *item.split;
    RecordReader plan(plan_file(video, static_cast<std::size_t>(item.part - 1)));
    MediaFileSource reader(item.path, stop);
    const VideoFormat format = reader.format();
    const std::optional<Frame> before = reader.begin_at(video.begin_of(item.part), stop);
    EncodedPartWriter writer(output, format, encoder_options(setup, encoder), before, stop);
    const HiddenFrames hidden = hide_frames(
        reader, video.end_of(item.part), [&] { return read_frame(plan, stop); }, setup, pool,
        [&](const ExactFrame& frame) { writer.write(frame); }, [&](std::int64_t) { add_frames(1); }, stop);
    nlohmann::json report = nlohmann::json::array();
    for (const auto count : kCounts) report.push_back(hidden.*count);
    nlohmann::json thumbnails = nlohmann::json::array();
    for (const auto& [track, image] : hidden.thumbnails) thumbnails.push_back({track, image});
    report.push_back(std::move(thumbnails));
    report.push_back(hidden.used_spans);
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

ReportedFile join_parts(const WorkItem& item, const std::string& output, const AnonymizeSetup& setup,
                        EncoderOnDemand& encoder, const std::stop_token& stop) {
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
    try {
        for (const nlohmann::json& part : joined.reports) {
            const auto of_part = part.at(kCounts.size() + 1).get<std::set<std::size_t>>();
            used_spans.insert(of_part.begin(), of_part.end());
        }
    } catch (const nlohmann::json::exception& error) {
        throw Error(ErrorKind::input, std::string("an encoded part is damaged: ") + error.what(), item.path);
    }
    const std::string unused_spans = unused_spans_text(used_spans, item.path, setup);
    muxer.copy_audio_rest();
    muxer.finish();
    reported.incomplete = joined_reasons(muxer.audio_incomplete(), unused_spans);
    reported.notes = encoding_notes(format, options.encoder, joined.scaled_frames);
    for (std::string& note : muxer.audio_notes()) reported.notes.push_back(std::move(note));
    reported.output_sha256 = sha256_of(output, stop);

    const std::filesystem::path path = plan_file(*item.split, static_cast<std::size_t>(item.split->parts));
    try {
        reported.planned_tracks = parse_json<nlohmann::ordered_json>(read_file(path, {stop}));
        for (const nlohmann::json& part : joined.reports) {
            for (std::size_t i = 0; i < kCounts.size(); ++i) reported.*kCounts[i] += part.at(i).get<std::int64_t>();
            for (const nlohmann::json& thumbnail : part.at(kCounts.size())) {
                reported.planned_tracks.at(thumbnail.at(0).get<std::size_t>())["thumbnail"] =
                    thumbnail.at(1).get<std::string>();
            }
        }
    } catch (const nlohmann::json::exception& error) {
        throw Error(ErrorKind::input, std::string("the plan is damaged: ") + error.what(), path.string());
    }
    if (reported.composed_frames > 0) reported.notes.emplace_back(kComposedText);
    return reported;
}

}  // namespace throng
