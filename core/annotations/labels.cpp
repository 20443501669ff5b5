#include "core/annotations/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/json_integer.h"
#include "core/base/json_text.h"
#include "core/base/line_reader.h"
#include "core/base/value_text.h"
#include "core/detect/detector_kinds.h"

namespace throng {
namespace {

using LineJson = nlohmann::json;  // many keys are found in little time

constexpr double kMaxFrameSize = 1 << 16;  // pixels
constexpr std::int64_t kMaxInteger = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMaxFrameNumber = std::int64_t{1} << 53U;  // others read it as a double

bool is_finite(const Box& b) {
    return std::isfinite(b.x) && std::isfinite(b.y) && std::isfinite(b.w) && std::isfinite(b.h);
}

// Reads the lines of a text file and throws errors with file and line.
class LabelReader {
public:
    explicit LabelReader(const std::filesystem::path& path)
        : file_(open_input(path.string())), lines_(file_, path.string()) {}

    // Reads the next line that is not empty, without a carriage return and byte order mark.
    bool next(std::string& line) {
        while (lines_.next()) {
            std::string_view read = lines_.line();
            while (!read.empty() && (read.back() == '\r' || read.back() == ' ' || read.back() == '\t')) {
                read.remove_suffix(1);
            }
            if (number() == 1 && read.starts_with("\xEF\xBB\xBF")) read.remove_prefix(3);
            line = read;
            if (!line.empty()) return true;
        }
        return false;
    }

    [[nodiscard]] std::int64_t number() const { return static_cast<std::int64_t>(lines_.number()); }

    [[noreturn]] void reject(const std::string& what, const std::string& advice = {}) const {
        throw Error(ErrorKind::input, what, lines_.location(), advice);
    }

private:
    std::ifstream file_;
    LineReader lines_;
};

// Reads members of one line's JSON objects; errors contain the name of the member.
class JsonLine {
public:
    JsonLine(const std::string& line, const LabelReader& reader)
        : reader_(reader), object_(parse_json<LineJson>(line, false)) {
        if (!object_.is_object()) reader_.reject("this line is not a JSON object");
    }

    std::string source() const {
        const auto found = object_.find("source");
        if (found == object_.end() || !found->is_string()) reader_.reject("'source' is missing or not a string");
        return found->get<std::string>();
    }

    std::optional<std::int64_t> frame() const { return integer("frame", 0, kMaxFrameNumber); }

    std::optional<std::int64_t> integer(const char* name, std::int64_t min, std::int64_t max) const {
        const auto found = object_.find(name);
        return found == object_.end() ? std::nullopt : std::optional(integer(*found, name, min, max));
    }

    std::int64_t integer(const LineJson& value, const char* name, std::int64_t min, std::int64_t max) const {
        try {
            if (const auto number = integer_of<std::int64_t>(value); number >= min && number <= max) return number;
        } catch (const JsonNotInteger&) {
        }
        reject(name, whole_problem(std::to_string(min), std::to_string(max), json_text(value)));
    }

    // Returns a number, `otherwise` if there is none.
    double number_in(const LineJson& object, const char* name, double max, double otherwise) const {
        const auto found = object.is_object() ? object.find(name) : object.end();
        if (!object.is_object() || found == object.end()) return otherwise;
        const double value = found->is_number() ? found->get<double>() : -1;
        if (!(value >= 0 && value <= max)) reject(name, real_problem(0, max, json_text(*found)));
        return value;
    }

    double number_of_frame(const char* name, double max) const { return number_in(object_, name, max, 0); }

    // Returns the time of the frame, 0 if there is none.
    double seconds() const {
        const auto found = object_.find("pts");
        return found != object_.end() && found->is_number() ? found->get<double>() : 0;
    }

    // Sets what all lines have.
    template <typename Entry>
    void read_frame(Labels<Entry>& labels) const {
        labels.source = source();
        labels.frame = frame();
        labels.width = static_cast<int>(number_of_frame("width", kMaxFrameSize));
        labels.height = static_cast<int>(number_of_frame("height", kMaxFrameSize));
        labels.pts = seconds();
        labels.source_number =
            integer("source_number", std::numeric_limits<std::int64_t>::min(), kMaxInteger).value_or(0);
        labels.line = reader_.number();
    }

    // Returns true if the line has people and their faces.
    bool has_faces() const { return object_in(object_, "faces") != nullptr; }

    // Returns the class of what the line's detector finds, or nothing.
    std::string object() const {
        const auto found = object_.find("detector");
        const bool is_named = found != object_.end() && found->is_string();
        const DetectorKind* kind = is_named ? find_detector_kind(found->get<std::string>()) : nullptr;
        return kind != nullptr ? std::string(kind->object) : std::string();
    }

    // Returns the lists `name` of the objects that are read.
    std::vector<std::pair<BoxObject, const LineJson*>> lists(const char* name, LineObjects objects) const {
        if (!has_faces()) return {{BoxObject::unnamed, &list(name)}};
        if (objects == LineObjects::one) {
            reader_.reject("has people and their faces, and only one of them can be read",
                           "throng eval: choose one, --what faces or --what people; otherwise detect them one by one: "
                           "throng detect --detector person, or cnn");
        }
        std::vector<std::pair<BoxObject, const LineJson*>> all;
        if (objects != LineObjects::faces) all.emplace_back(BoxObject::person, &list(name));
        if (objects != LineObjects::people) all.emplace_back(BoxObject::face, &list(object_.at("faces"), name));
        return all;
    }

    const LineJson& list(const char* name) const { return list(object_, name); }

    const LineJson& list(const LineJson& object, const char* name) const {
        const auto found = object.find(name);
        if (found == object.end() || !found->is_array())
            reader_.reject(std::string("'") + name + "' is missing or not a list");
        return *found;
    }

    double number(const LineJson& entry, const char* name) const {
        const auto found = entry.is_object() ? entry.find(name) : entry.end();
        if (!entry.is_object() || found == entry.end() || !found->is_number()) {
            reader_.reject(std::string("'") + name + "' of a box is missing or not a number");
        }
        return found->get<double>();
    }

    double number_or(const LineJson& entry, const char* name, double otherwise) const {
        return entry.is_object() && entry.contains(name) ? number(entry, name) : otherwise;
    }

    bool flag(const char* name) const { return flag(object_, name); }
    bool flag(const LineJson& entry, const char* name) const {
        const auto found = entry.find(name);
        if (found == entry.end()) return false;
        if (!found->is_boolean()) reader_.reject(std::string("'") + name + "' must be true or false");
        return found->get<bool>();
    }

    // Returns -1 if the entry has no id.
    std::int64_t id(const LineJson& entry) const {
        const auto found = entry.is_object() ? entry.find("id") : entry.end();
        if (!entry.is_object() || found == entry.end()) return -1;
        return integer(*found, "id", 0, kMaxInteger);
    }

    // Adds the landmarks of the entry, if it has some.
    void add_landmarks(const LineJson& entry, std::vector<DetectionSet::Landmarks>& all) const {
        const auto found = entry.find("landmarks");
        if (found == entry.end()) return;
        DetectionSet::Landmarks landmarks{};
        constexpr std::size_t kPoints = std::size(landmarks.xy) / 2;
        const bool is_list = found->is_array() && found->size() == kPoints;
        for (std::size_t i = 0; i < std::size(landmarks.xy); ++i) {
            const LineJson point = is_list ? (*found)[i / 2] : LineJson();
            const LineJson value = point.is_array() && point.size() == 2 ? point[i % 2] : LineJson(false);
            if (!value.is_number() && !value.is_null())
                reader_.reject("'landmarks' is not a list of five points [x, y]");
            landmarks.xy[i] = value.is_null() ? std::numeric_limits<float>::quiet_NaN() : value.get<float>();
        }
        all.push_back(landmarks);
    }

    // Returns that of a detected track if the entry has none.
    TrackState state(const LineJson& entry) const {
        const auto found = entry.find("state");
        if (found == entry.end()) return TrackState::detected;
        for (const TrackState state : {TrackState::detected, TrackState::recovered, TrackState::predicted}) {
            if (*found == name_of(state)) return state;
        }
        reader_.reject("'state' of a track is not detected, recovered or predicted");
    }

    Box box(const LineJson& entry) const {
        const Box b{static_cast<float>(number(entry, "x")), static_cast<float>(number(entry, "y")),
                    static_cast<float>(number(entry, "w")), static_cast<float>(number(entry, "h"))};
        if (!is_finite(b) || !(b.w > 0 && b.h > 0)) reader_.reject("a box has no extent or is out of range");
        return b;
    }

private:
    [[noreturn]] void reject(const char* name, const Message& problem) const {
        reader_.reject(fmt::format("'{}' {}", name, problem.text()));
    }

    const LabelReader& reader_;
    LineJson object_;
};

TruthLabels truth_of_json(const std::string& line, const LabelReader& reader) {
    const JsonLine json(line, reader);
    TruthLabels labels;
    json.read_frame(labels);
    for (const LineJson& entry : json.list("faces")) {
        TruthFace face;
        face.box = json.box(entry);
        face.visible = static_cast<float>(json.number_or(entry, "visible", 1.0));
        if (!(face.visible >= 0 && face.visible <= 1)) reader.reject("'visible' is not from 0 to 1");
        face.ignore = json.flag(entry, "ignore");
        face.id = json.id(entry);
        labels.entries.push_back(face);
    }
    return labels;
}

// Returns the integers of a line, or nothing if the line contains anything else.
std::optional<std::vector<double>> numbers_of(const std::string& line) {
    std::vector<double> numbers;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
        double value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value)) return std::nullopt;
        numbers.push_back(value);
    }
    return numbers;
}

std::optional<std::int64_t> count_of(const std::string& line) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc{} || end != line.data() + line.size() || value < 0) return std::nullopt;
    return value;
}

constexpr std::size_t kWiderInvalid = 7;  // column

std::vector<TruthLabels> wider_truth(LabelReader& reader, std::string line) {
    std::vector<TruthLabels> all;
    bool have_line = true;
    while (have_line) {
        TruthLabels labels{line, std::nullopt, {}};
        if (!reader.next(line)) reader.reject("the file ends after the name of an image");
        const auto count = count_of(line);
        if (!count) reader.reject("expected the number of faces of " + labels.source);
        for (std::int64_t i = 0; i < *count; ++i) {
            if (!reader.next(line)) {
                reader.reject(
                    fmt::format("{} should have {} faces, but the file ends after {}", labels.source, *count, i));
            }
            const auto columns = numbers_of(line);
            if (!columns || columns->size() < 4) reader.reject("expected a face: x y w h and up to six more numbers");
            TruthFace face;
            face.box = {static_cast<float>((*columns)[0]), static_cast<float>((*columns)[1]),
                        static_cast<float>((*columns)[2]), static_cast<float>((*columns)[3])};
            if (!is_finite(face.box)) reader.reject("a box is out of range");
            face.ignore = columns->size() > kWiderInvalid && (*columns)[kWiderInvalid] != 0.0;
            if (face.box.w > 0 && face.box.h > 0) labels.entries.push_back(face);
        }
        have_line = reader.next(line);
        if (*count == 0 && have_line) {
            // The data set writes "no faces" like this.
            const auto columns = numbers_of(line);
            if (columns && columns->size() >= 4) have_line = reader.next(line);
        }
        all.push_back(std::move(labels));
    }
    return all;
}

bool first_line_has(const std::filesystem::path& path, const char* member) {
    LabelReader reader(path);
    std::string line;
    if (!reader.next(line)) return false;
    const LineJson first = parse_json<LineJson>(line, false);
    return first.is_object() && first.contains(member);
}

}  // namespace

std::vector<TruthLabels> read_truth(const std::filesystem::path& path) {
    LabelReader reader(path);
    std::string line;
    if (!reader.next(line)) throw Error(ErrorKind::input, "the file is empty", path.string());
    if (line.front() != '{') return wider_truth(reader, line);

    std::vector<TruthLabels> all;
    do {
        all.push_back(truth_of_json(line, reader));
    } while (reader.next(line));
    return all;
}

void for_each_track_line(const std::filesystem::path& path, const std::function<void(DetectionLabels&&)>& use,
                         LineObjects objects) {
    LabelReader reader(path);
    for (std::string line; reader.next(line);) {
        const JsonLine json(line, reader);
        DetectionLabels labels;
        json.read_frame(labels);
        labels.has_faces = json.has_faces();
        labels.object = json.object();
        for (const auto& [object, tracks] : json.lists("tracks", objects)) {
            std::set<std::int64_t> ids;
            for (const LineJson& entry : *tracks) {
                const std::int64_t id = json.id(entry);
                if (id < 0) reader.reject("a track has no 'id'");
                if (!ids.insert(id).second) reader.reject(fmt::format("track {} appears twice", id));
                labels.entries.push_back(
                    {json.box(entry), json.number(entry, "score"), 1, id, json.state(entry), {}, object});
            }
        }
        use(std::move(labels));
    }
}

std::vector<DetectionLabels> read_track_lines(const std::filesystem::path& path, LineObjects objects) {
    std::vector<DetectionLabels> all;
    for_each_track_line(
        path, [&](DetectionLabels&& labels) { all.push_back(std::move(labels)); }, objects);
    return all;
}

void for_each_detection_line(const std::filesystem::path& path, const std::function<void(DetectionLabels&&)>& use,
                             LineObjects objects) {
    LabelReader reader(path);
    for (std::string line; reader.next(line);) {
        const JsonLine json(line, reader);
        DetectionLabels labels;
        json.read_frame(labels);
        labels.pts = json.number_of_frame("pts", 1e9);
        labels.has_faces = json.has_faces();
        labels.object = json.object();
        std::size_t people = 0;  // without landmarks
        for (const auto& [object, kept] : json.lists("kept", objects)) {
            for (const LineJson& entry : *kept) {
                const double hits = json.number_in(entry, "hits", 1e9, 1);
                ScoredBox& box = labels.entries.emplace_back(
                    ScoredBox{json.box(entry), json.number(entry, "score"), static_cast<int>(hits)});
                box.object = object;
                if (entry.contains("confidence")) box.confidence = json.number(entry, "confidence");
                if (object == BoxObject::person) {
                    ++people;
                } else {
                    json.add_landmarks(entry, labels.landmarks);
                }
            }
        }
        if (!labels.landmarks.empty()) {
            DetectionSet::Landmarks none{};
            std::fill(std::begin(none.xy), std::end(none.xy), std::numeric_limits<float>::quiet_NaN());
            labels.landmarks.insert(labels.landmarks.begin(), people, none);
        }
        if (!labels.landmarks.empty() && labels.landmarks.size() != labels.entries.size()) {
            reader.reject("some detections have no 'landmarks'");
        }
        use(std::move(labels));
    }
}

std::vector<DetectionLabels> read_detection_lines(const std::filesystem::path& path, LineObjects objects) {
    std::vector<DetectionLabels> all;
    for_each_detection_line(
        path, [&](DetectionLabels&& labels) { all.push_back(std::move(labels)); }, objects);
    return all;
}

void check_order(const DetectionLabels& before, const DetectionLabels& line, const std::filesystem::path& path) {
    const bool numbered = before.frame && line.frame;
    if (numbered ? *line.frame > *before.frame : line.pts > before.pts) return;
    const bool again = numbered ? *line.frame == *before.frame : line.pts == before.pts;
    const auto name = [numbered](const DetectionLabels& labels) {
        return numbered ? fmt::format("frame {}", *labels.frame) : fmt::format("the frame of {} s", labels.pts);
    };
    throw Error(ErrorKind::input,
                fmt::format("{} of {} {}", name(line), line.source,
                            again ? std::string("is there twice") : "comes after " + name(before)),
                fmt::format("{}:{}", path.string(), line.line),
                "use the lines of throng detect --json, each once and in their order");
}

bool has_track_lines(const std::filesystem::path& path) {
    return first_line_has(path, "tracks");
}

bool has_region_lines(const std::filesystem::path& path) {
    return first_line_has(path, "ellipses");
}

std::vector<RegionLabels> read_region_lines(const std::filesystem::path& path) {
    LabelReader reader(path);
    std::vector<RegionLabels> all;
    for (std::string line; reader.next(line);) {
        const JsonLine json(line, reader);
        RegionLabels labels;
        json.read_frame(labels);
        labels.whole = json.flag("whole");
        for (const LineJson& entry : json.list("ellipses")) labels.entries.push_back(json.box(entry));
        all.push_back(std::move(labels));
    }
    return all;
}

std::string region_line(RegionLabels labels, const RedactRegions& regions, const RedactOptions& options) {
    for (const RedactShape& shape : redact_shapes(labels.width, labels.height, regions, options)) {
        labels.whole = labels.whole || shape.is_whole;
        const auto w = static_cast<float>(shape.right - shape.left);
        const auto h = static_cast<float>(shape.bottom - shape.top);
        constexpr float kEdge = (1 - kRedactCore) / 2;
        labels.entries.push_back({static_cast<float>(shape.left) + kEdge * w, static_cast<float>(shape.top) + kEdge * h,
                                  kRedactCore * w, kRedactCore * h});
    }
    if (labels.whole) labels.entries.clear();
    // File names may contain invalid UTF-8, which becomes the replacement character.
    std::string line = "{\"source\":" + json_text(LineJson(labels.source));
    const auto out = std::back_inserter(line);
    if (labels.frame) fmt::format_to(out, ",\"frame\":{}", *labels.frame);
    fmt::format_to(out, ",\"pts\":{},\"width\":{},\"height\":{},\"whole\":{},\"ellipses\":[", labels.pts, labels.width,
                   labels.height, labels.whole);
    const char* separator = "";
    for (const Box& box : labels.entries) {
        fmt::format_to(out, "{}{{\"x\":{},\"y\":{},\"w\":{},\"h\":{}}}", separator, box.x, box.y, box.w, box.h);
        separator = ",";
    }
    return line + "]}\n";
}

RedactRegions regions_of(const RegionLabels& labels) {
    RedactRegions regions;
    regions.whole = labels.whole;
    for (const Box& core : labels.entries) {
        // The edges of drawn regions are whole pixels.
        const float w = std::round(core.w / kRedactCore);
        const float h = std::round(core.h / kRedactCore);
        regions.boxes.push_back({std::round(core.x - (w - core.w) / 2), std::round(core.y - (h - core.h) / 2), w, h});
    }
    return regions;
}

std::string truth_line(const TruthLabels& labels, int width, int height) {
    // File names may contain invalid UTF-8, which becomes the replacement character.
    std::string line = "{\"source\":" + json_text(LineJson(labels.source));
    const auto out = std::back_inserter(line);
    if (labels.frame) fmt::format_to(out, ",\"frame\":{}", *labels.frame);
    fmt::format_to(out, ",\"width\":{},\"height\":{},\"faces\":[", width, height);
    const char* separator = "";
    for (const TruthFace& face : labels.entries) {
        fmt::format_to(out, "{}{{\"x\":{},\"y\":{},\"w\":{},\"h\":{},\"visible\":{},\"ignore\":{}", separator,
                       face.box.x, face.box.y, face.box.w, face.box.h, face.visible, face.ignore);
        if (face.id >= 0) fmt::format_to(out, ",\"id\":{}", face.id);
        line += '}';
        separator = ",";
    }
    return line + "]}\n";
}

}  // namespace throng
