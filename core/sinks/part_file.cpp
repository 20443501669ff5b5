#include "core/sinks/part_file.h"

#include <fmt/format.h>

#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/archive/segments.h"
#include "core/base/error.h"
#include "core/base/json_integer.h"
#include "core/detect/detector_kinds.h"
#include "core/sinks/json_sink.h"

namespace throng {
namespace {

using Json = nlohmann::ordered_json;

constexpr JsonFields kAllFields{.raw = true, .candidates = true};

// A number that is not finite has no representation in JSON.
float number_of(const Json& number) {
    return number.is_null() ? std::numeric_limits<float>::quiet_NaN() : number.get<float>();
}

DetectionSet set_of(const Json& list) {
    DetectionSet set;
    for (const Json& json : list) {
        Detection& detection = set.detections.emplace_back();
        detection.box = {number_of(json.at("x")), number_of(json.at("y")), number_of(json.at("w")),
                         number_of(json.at("h"))};
        detection.score = number_of(json.at("score"));
        detection.hits = json.contains("hits") ? integer_at<std::int32_t>(json, "hits") : detection.hits;
        if (json.contains("confidence")) detection.confidence = number_of(json.at("confidence"));
        const auto landmarks = json.find("landmarks");
        if (landmarks == json.end()) continue;
        auto& points = set.landmarks.emplace_back();
        for (std::size_t i = 0; i < std::size(points.xy); ++i) {
            points.xy[i] = number_of(landmarks->at(i / 2).at(i % 2));
        }
    }
    return set;
}

// Reads what one detector found.
FrameResult found_of(const Json& json, const Frame& frame) {
    FrameResult result;
    result.frame = frame;
    result.detector = find_detector_kind(json.value("detector", ""));
    result.raw_count = integer_at<std::uint32_t>(json, "raw");
    result.overflow = integer_at<std::uint32_t>(json, "overflow");
    result.kept = set_of(json.at("kept"));
    result.kept.total = integer_at<std::uint32_t>(json, "kept_total");
    result.raw = set_of(json.at("raw_boxes"));
    result.raw.total = integer_at<std::uint32_t>(json, "raw_total");
    result.candidates = set_of(json.at("candidates")).detections;
    if (json.contains("faces")) result.faces = std::make_shared<FrameResult>(found_of(json.at("faces"), frame));
    return result;
}

// names: own the text that a StageTime refers to.
FrameResult frame_of(const Json& json, std::int64_t index, std::set<std::string>& names) {
    FrameInfo info;
    info.index = index;
    info.pts = json.at("pts").get<double>();
    info.width = integer_at<int>(json, "width");
    info.height = integer_at<int>(json, "height");
    info.damaged = json.at("damaged").get<bool>();
    const PlaneView no_planes[Frame::kMaxPlanes] = {};
    FrameResult result = found_of(json, Frame(info, no_planes, nullptr));
    for (const auto& [name, ms] : json.at("timings_ms").items()) {
        result.timings.push_back({*names.insert(name).first, ms.get<double>()});
    }
    return result;
}

}  // namespace

void PartWriter::begin(const std::optional<Frame>& before, const std::stop_token& stop) {
    records_.write(Json{{"before", fingerprint_of(before)}}, stop);
}

void PartWriter::write(const FrameResult& result, const std::stop_token& stop) {
    records_.write_line(json_line(result, kAllFields), stop);
}

void PartWriter::finish(const std::optional<Frame>& last, const std::stop_token& stop) {
    records_.write(Json{{"last", fingerprint_of(last)}}, stop);
    records_.close(stop);
}

std::uint64_t read_parts(const std::vector<std::filesystem::path>& parts, const std::function<void(FrameResult&)>& use,
                         const std::stop_token& stop) {
    std::set<std::string> names;
    std::uint64_t frames = 0;
    Json end = "";  // of the parts so far; empty at the start of the video
    std::size_t number = 0;
    for (const std::filesystem::path& part : parts) {
        ++number;
        const auto begin = [&](const Json& first, const auto&) {
            if (first.at("before") == end) return;
            throw PartsDoNotJoin(fmt::format("segment {} does not begin where segment {} ends", number, number - 1));
        };
        const auto use_frame = [&](const Json& record, const auto&) {
            FrameResult result = frame_of(record, static_cast<std::int64_t>(frames), names);
            ++frames;
            use(result);
        };
        end = read_records(part, begin, use_frame, stop).at("last");
    }
    return frames;
}

}  // namespace throng
