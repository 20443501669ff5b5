#include "core/sinks/part_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace throng {
namespace {

using Json = nlohmann::json;

// Detections as x, y, w, h, score, hits.
Json detections_json(const std::vector<Detection>& detections) {
    Json list = Json::array();
    for (const Detection& d : detections) {
        for (const float value : {d.box.x, d.box.y, d.box.w, d.box.h, d.score}) list.push_back(value);
        list.push_back(d.hits);
    }
    return list;
}

std::vector<Detection> detections_of(const Json& list) {
    constexpr std::size_t kValues = 6;
    std::vector<Detection> detections;
    for (std::size_t i = 0; i + kValues <= list.size(); i += kValues) {
        const auto value = [&](std::size_t at) { return list.at(i + at).get<float>(); };
        Detection detection;
        detection.box = {value(0), value(1), value(2), value(3)};
        detection.score = value(4);
        detection.hits = list.at(i + 5).get<std::int32_t>();
        detections.push_back(detection);
    }
    return detections;
}

Json set_json(const DetectionSet& set) {
    Json landmarks = Json::array();
    for (const DetectionSet::Landmarks& points : set.landmarks) {
        for (const float value : points.xy) landmarks.push_back(value);
    }
    return {detections_json(set.detections), set.total, std::move(landmarks)};
}

DetectionSet set_of(const Json& json) {
    DetectionSet set;
    set.detections = detections_of(json.at(0));
    set.total = json.at(1).get<std::uint32_t>();
    const Json& landmarks = json.at(2);
    set.landmarks.resize(landmarks.size() / std::size(DetectionSet::Landmarks{}.xy));
    std::size_t next = 0;
    for (DetectionSet::Landmarks& points : set.landmarks) {
        for (float& value : points.xy) value = landmarks.at(next++).get<float>();
    }
    return set;
}

// Returns the name in `names`, which owns the text that a StageTime refers to.
std::string_view stage_name(const std::string& name, std::set<std::string>& names) {
    return *names.insert(name).first;
}

Json frame_json(const FrameResult& result) {
    const FrameInfo& info = result.frame.info();
    Json timings = Json::array();
    for (const StageTime& time : result.timings) {
        timings.push_back(time.name);
        timings.push_back(static_cast<float>(time.ms));
    }
    return {info.pts,
            info.width,
            info.height,
            info.damaged,
            result.raw_count,
            result.overflow,
            set_json(result.kept),
            detections_json(result.candidates),
            set_json(result.raw),
            std::move(timings)};
}

FrameResult frame_of(const Json& json, std::int64_t index, std::set<std::string>& names) {
    FrameInfo info;
    info.index = index;
    info.pts = json.at(0).get<double>();
    info.width = json.at(1).get<int>();
    info.height = json.at(2).get<int>();
    info.damaged = json.at(3).get<bool>();
    FrameResult result;
    const PlaneView no_planes[Frame::kMaxPlanes] = {};
    result.frame = Frame(info, no_planes, nullptr);
    result.raw_count = json.at(4).get<std::uint32_t>();
    result.overflow = json.at(5).get<std::uint32_t>();
    result.kept = set_of(json.at(6));
    result.candidates = detections_of(json.at(7));
    result.raw = set_of(json.at(8));
    const Json& timings = json.at(9);
    for (std::size_t i = 0; i + 1 < timings.size(); i += 2) {
        result.timings.push_back({stage_name(timings[i].get<std::string>(), names), timings[i + 1].get<double>()});
    }
    return result;
}

}  // namespace

void PartWriter::begin(const std::optional<Frame>& before, const std::stop_token& stop) {
    records_.write(fingerprint_of(before), stop);
}

void PartWriter::write(const FrameResult& result, const std::stop_token& stop) {
    records_.write(frame_json(result), stop);
}

void PartWriter::finish(const std::optional<Frame>& last, const std::stop_token& stop) {
    records_.write({{"last", fingerprint_of(last)}}, stop);
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
        RecordReader records(part);
        try {
            const Json first = records.read(stop);
            if (!first.is_string()) throw records.damaged("its start is missing");
            if (first != end) {
                throw PartsDoNotJoin(fmt::format("part {} does not begin where part {} ends", number, number - 1));
            }
            for (;;) {
                const Json record = records.read(stop);
                if (record.is_null()) throw records.damaged("its end is missing");
                if (record.is_object()) {
                    end = record.at("last");
                    break;
                }
                FrameResult result = frame_of(record, static_cast<std::int64_t>(frames), names);
                ++frames;
                use(result);
            }
        } catch (const Json::exception& error) {
            throw records.damaged(error.what());
        }
    }
    return frames;
}

}  // namespace throng
