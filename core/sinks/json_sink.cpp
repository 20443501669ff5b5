#include "core/sinks/json_sink.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/json_text.h"
#include "core/base/text_encoding.h"
#include "core/detect/detector_kinds.h"

namespace throng {
namespace {

template <typename Number>
void append_number(std::string& line, Number value) {
    // JSON has no representation of NaN and infinity.
    std::isfinite(value) ? fmt::format_to(std::back_inserter(line), "{}", value)
                         : fmt::format_to(std::back_inserter(line), "null");
}

template <typename Number>
void append_field(std::string& line, std::string_view name, Number value) {
    fmt::format_to(std::back_inserter(line), "\"{}\":", name);
    append_number(line, value);
}

// Five points, [[x,y],...].
void append_landmarks(std::string& line, const DetectionSet::Landmarks& points) {
    line += ",\"landmarks\":[";
    for (std::size_t i = 0; i < 10; i += 2) {
        line += i == 0 ? "[" : ",[";
        append_number(line, points.xy[i]);
        line += ',';
        append_number(line, points.xy[i + 1]);
        line += ']';
    }
    line += ']';
}

void append_box(std::string& line, const Box& box) {
    append_field(line, "x", box.x);
    line += ',';
    append_field(line, "y", box.y);
    line += ',';
    append_field(line, "w", box.w);
    line += ',';
    append_field(line, "h", box.h);
}

// What the results of a detector of people and their faces say about both.
enum class FaceRelation : std::uint8_t { none, facing, person };

// number: of a face, index or id of its person; of a person, of its face. None: there is none.
void append_relation(std::string& line, FaceRelation relation, std::optional<std::int64_t> number) {
    if (relation == FaceRelation::facing)
        fmt::format_to(std::back_inserter(line), ",\"facing\":{}", number.has_value());
    if (relation == FaceRelation::person) {
        line += ",\"person\":";
        line += number ? std::to_string(*number) : "null";
    }
}

std::optional<std::int64_t> index_in(const std::vector<std::int32_t>& partners, std::size_t at) {
    return partners[at] >= 0 ? std::optional<std::int64_t>(partners[at]) : std::nullopt;
}

// after_nms: with hits and, if the detector is known, confidence and class. partners: with a relation, the index of each
// detection's person or face, or -1.
void append_detections(std::string& line, std::string_view name, const std::vector<Detection>& detections,
                       bool after_nms, const DetectorKind* detector,
                       const std::vector<DetectionSet::Landmarks>& landmarks = {},
                       FaceRelation relation = FaceRelation::none, const std::vector<std::int32_t>& partners = {}) {
    fmt::format_to(std::back_inserter(line), "\"{}\":[", name);
    const bool with_landmarks = landmarks.size() == detections.size();
    for (std::size_t i = 0; i < detections.size(); ++i) {
        const Detection& d = detections[i];
        line += i == 0 ? "{" : ",{";
        append_box(line, d.box);
        line += ',';
        append_field(line, "score", d.score);
        if (after_nms) fmt::format_to(std::back_inserter(line), ",\"hits\":{}", d.hits);
        if (after_nms && detector != nullptr) {
            line += ',';
            append_field(line, "confidence", d.confidence);
            fmt::format_to(std::back_inserter(line), ",\"class\":\"{}\"", detector->object);
        }
        if (relation != FaceRelation::none) append_relation(line, relation, index_in(partners, i));
        if (with_landmarks) append_landmarks(line, landmarks[i]);
        line += '}';
    }
    line += ']';
}

void append_tracks(std::string& line, const std::vector<Track>& tracks, FaceRelation relation) {
    line += '[';
    bool first = true;
    for (const Track& track : tracks) {
        if (!track.confirmed || track.covered) continue;
        fmt::format_to(std::back_inserter(line), "{}{{\"id\":{},", first ? "" : ",", track.id);
        first = false;
        append_box(line, reported_box(track));
        line += ',';
        append_field(line, "score", track.score);
        fmt::format_to(std::back_inserter(line), ",\"age\":{},\"state\":\"{}\"", track.age, name_of(track.state));
        append_relation(line, relation, track.partner != 0 ? std::optional(track.partner) : std::nullopt);
        line += '}';
    }
    line += ']';
}

// Appends what one detector found.
void append_found(std::string& line, const FrameResult& result, JsonFields fields, FaceRelation relation,
                  const std::vector<std::int32_t>& partners) {
    fmt::format_to(std::back_inserter(line), "\"raw\":{},", result.raw_count);
    append_detections(line, "kept", result.kept.detections, true, result.detector, result.kept.landmarks, relation,
                      partners);
    if (fields.tracks) {
        line += ",\"tracks\":";
        append_tracks(line, result.tracks, relation);
    }
    if (fields.raw) {
        line += ',';
        append_detections(line, "raw_boxes", result.raw.detections, false, nullptr, result.raw.landmarks);
    }
    if (fields.candidates) {
        line += ',';
        append_detections(line, "candidates", result.candidates, true, result.detector);
        fmt::format_to(std::back_inserter(line), ",\"kept_total\":{},\"raw_total\":{}", result.kept.total,
                       result.raw.total);
    }
    fmt::format_to(std::back_inserter(line), ",\"overflow\":{}", result.overflow);
}

void append_detector(std::string& line, const FrameResult& result) {
    if (result.detector == nullptr) return;
    fmt::format_to(std::back_inserter(line), "\"detector\":\"{}\",", result.detector->name);
}

}  // namespace

std::string json_string(const std::string& text) {
    return json_text(nlohmann::ordered_json(name_as_text(text)));
}

std::string json_line(const FrameResult& result, JsonFields fields) {
    std::string line;
    const FrameInfo& info = result.frame.info();
    fmt::format_to(std::back_inserter(line), "{{\"source\":{},\"source_number\":{},\"frame\":{},",
                   json_string(result.source), result.source_number, info.index);
    append_detector(line, result);
    append_field(line, "pts", info.pts);
    fmt::format_to(std::back_inserter(line), ",\"width\":{},\"height\":{},", info.width, info.height);
    if (!result.faces) {
        append_found(line, result, fields, FaceRelation::none, {});
    } else {
        const std::vector<std::int32_t> person_of = people_of_faces(result);
        std::vector<std::int32_t> face_of(result.kept.detections.size(), -1);
        for (std::size_t face = 0; face < person_of.size(); ++face) {
            if (person_of[face] >= 0) face_of[static_cast<std::size_t>(person_of[face])] = static_cast<int>(face);
        }
        append_found(line, result, fields, FaceRelation::facing, face_of);
        line += ",\"faces\":{";
        append_detector(line, *result.faces);
        append_found(line, *result.faces, fields, FaceRelation::person, person_of);
        line += '}';
    }
    if (fields.candidates) fmt::format_to(std::back_inserter(line), ",\"damaged\":{}", info.damaged);
    line += ",\"timings_ms\":{";
    bool first = true;
    for (const StageTime& time : result.timings) {
        if (!first) line += ',';
        first = false;
        fmt::format_to(std::back_inserter(line), "\"{}\":{:.4f}", time.name, time.ms);
    }
    return line + "}}";
}

std::string track_list(const std::vector<Track>& tracks) {
    std::string list;
    append_tracks(list, tracks, FaceRelation::none);
    return list;
}

JsonSink::JsonSink(std::string path, JsonFields fields, std::stop_token stop)
    : file_(std::move(path)), fields_(fields), stop_(std::move(stop)) {}

void JsonSink::write(const FrameResult& result) {
    file_.write(json_line(result, fields_) + '\n', stop_);
}

void JsonSink::close() {
    file_.close();
}

}  // namespace throng
