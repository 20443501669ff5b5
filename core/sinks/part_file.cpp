#include "core/sinks/part_file.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/sha256.h"

namespace throng {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kMaxRecord = std::uint32_t{1} << 30U;  // bytes

// A record is its size in 4 bytes, the lowest first, and CBOR, which holds floats without rounding.
std::string bytes_of(const Json& record) {
    const std::vector<std::uint8_t> cbor = Json::to_cbor(record);
    std::string bytes;
    for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(cbor.size() >> shift);
    bytes.append(cbor.begin(), cbor.end());
    return bytes;
}

struct RecordCutShort {};

// Returns an empty record at the end of the file. Throws RecordCutShort, or a JSON exception.
Json read_record(std::istream& stream) {
    std::array<char, 4> head{};
    stream.read(head.data(), head.size());
    if (stream.gcount() == 0) return {};
    std::uint32_t size = 0;
    for (unsigned i = 0; i < 4; ++i) size |= std::uint32_t{static_cast<std::uint8_t>(head[i])} << (8 * i);
    if (stream.gcount() < 4 || size > kMaxRecord) throw RecordCutShort{};
    std::vector<std::uint8_t> cbor(size);
    stream.read(reinterpret_cast<char*>(cbor.data()), size);
    if (stream.gcount() != static_cast<std::streamsize>(size)) throw RecordCutShort{};
    return Json::from_cbor(cbor);
}

// Returns time, damage and pixels of a frame; null for none.
Json fingerprint_of(const std::optional<Frame>& frame) {
    if (!frame) return nullptr;
    const Frame host = frame->on_host();
    const PlaneView& plane = host.plane(0);
    std::string pixels;
    for (int y = 0; y < plane.height; ++y) {
        pixels.append(reinterpret_cast<const char*>(plane.data) + y * plane.pitch,
                      static_cast<std::size_t>(plane.width));
    }
    return {frame->info().pts, frame->info().damaged, sha256_of_text(pixels)};
}

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
    records_.write(bytes_of(fingerprint_of(before)), stop);
}

void PartWriter::write(const FrameResult& result, const std::stop_token& stop) {
    records_.write(bytes_of(frame_json(result)), stop);
}

void PartWriter::finish(const std::optional<Frame>& last, const std::stop_token& stop) {
    records_.write(bytes_of({{"last", fingerprint_of(last)}}), stop);
    records_.flush(stop);
    file_.close();
}

std::uint64_t read_parts(const std::vector<std::filesystem::path>& parts, const std::function<void(FrameResult&)>& use,
                         const std::stop_token& stop) {
    std::set<std::string> names;
    std::uint64_t frames = 0;
    Json end;  // of the parts so far; null at the start of the video
    std::size_t number = 0;
    for (const std::filesystem::path& part : parts) {
        ++number;
        const auto damaged = [&](const std::string& why) {
            return Error(ErrorKind::input, "the result of the part is damaged: " + why, part.string());
        };
        try {
            std::ifstream stream(part, std::ios::binary);
            if (!stream) throw damaged("it cannot be read");
            if (read_record(stream) != end) {
                throw PartsDoNotJoin(fmt::format("part {} does not begin where part {} ends", number, number - 1));
            }
            for (;;) {
                if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped", part.string());
                const Json record = read_record(stream);
                if (record.is_null()) throw damaged("its end is missing");
                if (record.is_object()) {
                    end = record.at("last");
                    break;
                }
                FrameResult result = frame_of(record, static_cast<std::int64_t>(frames), names);
                ++frames;
                use(result);
            }
        } catch (const Json::exception& error) {
            throw damaged(error.what());
        } catch (const RecordCutShort&) {
            throw damaged("a record is cut short");
        }
    }
    return frames;
}

}  // namespace throng
