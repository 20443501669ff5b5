// The published schemas of the JSON output describe what the program writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

using Json = nlohmann::json;
using test::ProgramResult;
using test::run_program;

Json read_schema(const std::string& name) {
    return Json::parse(test::contents(test::source_dir() / "assets" / name), nullptr, false);
}

bool is_of_type(const std::string& type, const Json& value) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == "null" && value.is_null();
}

// The keywords of JSON Schema 2020-12 that the schemas use, and no others.
class Validator {
public:
    explicit Validator(Json schema) : root_(std::move(schema)) { check_keywords(root_, "#"); }

    // Keywords that are unknown here, each with its place in the schema.
    [[nodiscard]] const std::vector<std::string>& unknown_keywords() const { return unknown_; }

    // What is wrong with the value, one line per fault; empty for a valid one.
    [[nodiscard]] std::vector<std::string> errors(const Json& value) const {
        std::vector<std::string> errors;
        check(root_, value, "$", errors);
        return errors;
    }

private:
    using Errors = std::vector<std::string>;

    void check_keywords(const Json& schema, const std::string& at) {
        static const std::set<std::string> kKnown{"$schema",
                                                  "$id",
                                                  "title",
                                                  "description",
                                                  "type",
                                                  "properties",
                                                  "required",
                                                  "$ref",
                                                  "$defs",
                                                  "items",
                                                  "minItems",
                                                  "maxItems",
                                                  "minimum",
                                                  "maximum",
                                                  "exclusiveMinimum",
                                                  "enum",
                                                  "const",
                                                  "prefixItems",
                                                  "additionalProperties"};
        if (!schema.is_object()) {
            unknown_.push_back(at + " is no object");
            return;
        }
        for (const auto& [keyword, value] : schema.items()) {
            if (!kKnown.contains(keyword)) unknown_.push_back(at + "/" + keyword);
            if (keyword == "properties" || keyword == "$defs") {
                for (const auto& [name, inner] : value.items()) check_keywords(inner, at + "/" + keyword + "/" + name);
            } else if (keyword == "items") {
                check_keywords(value, at + "/items");
            } else if (keyword == "prefixItems") {
                for (const Json& inner : value) check_keywords(inner, at + "/prefixItems");
            } else if (keyword == "additionalProperties" && value != false) {
                unknown_.push_back(at + "/additionalProperties other than false");
            }
        }
    }

    void check(const Json& schema, const Json& value, const std::string& at, Errors& errors) const {
        const auto require = [&](bool holds, const std::string& what) {
            if (!holds) errors.push_back(at + ": " + what + ": " + value.dump().substr(0, 80));
        };
        if (const auto ref = schema.find("$ref"); ref != schema.end()) {
            const Json::json_pointer target(ref->get<std::string>().substr(1));  // "#/$defs/name"
            check(root_.at(target), value, at, errors);
        }
        if (const auto type = schema.find("type"); type != schema.end()) {
            bool fits = false;
            for (const Json& one : type->is_array() ? *type : Json::array({*type})) {
                fits = fits || is_of_type(one.get<std::string>(), value);
            }
            require(fits, "is not of type " + type->dump());
        }
        if (const auto choices = schema.find("enum"); choices != schema.end()) {
            require(std::find(choices->begin(), choices->end(), value) != choices->end(), "is none of the choices");
        }
        if (const auto only = schema.find("const"); only != schema.end()) require(value == *only, "is another value");
        if (value.is_number()) {
            const double number = value.get<double>();
            require(number >= schema.value("minimum", -HUGE_VAL), "is too small");
            require(number <= schema.value("maximum", HUGE_VAL), "is too large");
            require(number > schema.value("exclusiveMinimum", -HUGE_VAL), "is too small");
        }
        if (value.is_object()) check_object(schema, value, at, errors);
        if (value.is_array()) check_array(schema, value, at, errors);
    }

    void check_object(const Json& schema, const Json& value, const std::string& at, Errors& errors) const {
        const Json properties = schema.value("properties", Json::object());
        for (const Json& name : schema.value("required", Json::array())) {
            if (!value.contains(name.get<std::string>())) errors.push_back(at + ": lacks " + name.dump());
        }
        for (const auto& [name, inner] : value.items()) {
            if (const auto known = properties.find(name); known != properties.end()) {
                check(*known, inner, at + "." + name, errors);
            } else if (schema.contains("additionalProperties")) {
                errors.push_back(at + ": has an unknown key " + name);
            }
        }
    }

    void check_array(const Json& schema, const Json& value, const std::string& at, Errors& errors) const {
        if (value.size() < schema.value("minItems", std::size_t{0})) errors.push_back(at + ": has too few items");
        if (value.size() > schema.value("maxItems", value.size())) errors.push_back(at + ": has too many items");
        const Json prefix = schema.value("prefixItems", Json::array());
        for (std::size_t i = 0; i < value.size(); ++i) {
            const std::string item = at + "[" + std::to_string(i) + "]";
            if (i < prefix.size()) {
                check(prefix[i], value[i], item, errors);
            } else if (const auto items = schema.find("items"); items != schema.end()) {
                check(*items, value[i], item, errors);
            }
        }
    }

    Json root_;
    std::vector<std::string> unknown_;
};

// One fault per line, for messages.
std::string as_text(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

class JsonSchema : public ::testing::Test {
protected:
    [[nodiscard]] std::string file(const std::string& name) const { return (dir_.path() / name).string(); }

    // The JSON lines of two frames of a drawn crowd.
    [[nodiscard]] static std::vector<Json> detect(const std::vector<std::string>& options) {
        std::vector<std::string> arguments{"detect", "crowd:faces=6,size=320x240,frames=2", "--json", "-", "--quiet"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const ProgramResult result = run_program(arguments);
        EXPECT_EQ(result.status, 0) << result.err;
        std::vector<Json> lines;
        std::istringstream stream(result.out);
        for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line, nullptr, false));
        EXPECT_EQ(lines.size(), 2U);
        return lines;
    }

    void expect_valid(const std::vector<Json>& lines) const {
        for (const Json& line : lines) EXPECT_EQ(as_text(detections_.errors(line)), "") << line.dump().substr(0, 400);
    }

    // Every change of the value that makes it invalid: each required key away, each value of another type, a new key.
    static std::vector<Json> broken(const Json& value,
                                    const std::set<std::string>& optional = {"raw_boxes", "landmarks", "tracks"}) {
        std::vector<Json> all;
        for (const auto& [key, inner] : value.items()) {
            Json lacks = value;
            lacks.erase(key);
            if (!optional.contains(key)) all.push_back(lacks);
            Json other = value;
            other[key] = inner.is_string() || inner.is_null() ? Json(1) : Json("text");
            all.push_back(other);
        }
        Json more = value;
        more["colour"] = 1;
        all.push_back(more);
        return all;
    }

    test::ScratchDir dir_;
    Validator detections_{read_schema("detections.schema.json")};
    Validator summary_{read_schema("summary.schema.json")};
    Validator manifest_{read_schema("manifest.schema.json")};
    Validator report_{read_schema("anonymize-report.schema.json")};
};

TEST_F(JsonSchema, OnlyKnownKeywordsAreUsed) {
    EXPECT_EQ(as_text(detections_.unknown_keywords()), "");
    EXPECT_EQ(as_text(summary_.unknown_keywords()), "");
    EXPECT_EQ(as_text(manifest_.unknown_keywords()), "");
    EXPECT_EQ(as_text(report_.unknown_keywords()), "");
    EXPECT_EQ(Validator(Json::parse(R"({"properties": {"a": {"maxLength": 3}}})")).unknown_keywords().size(), 1U);
    EXPECT_EQ(Validator(Json()).unknown_keywords().size(), 1U);
}

TEST_F(JsonSchema, EveryStageOfTheCodeIsDescribed) {
    for (const char* header : {"core/detect/stage.h", "gpu/nms/cuda_nms.h"}) {
        const std::string text = test::contents(test::source_dir() / header);
        const std::regex name("string_view k\\w+ = \"([^\"]+)\"");
        std::size_t count = 0;
        for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at, ++count) {
            const std::string stage = (*at)[1];
            const Json detections = read_schema("detections.schema.json");
            EXPECT_TRUE(detections["properties"]["timings_ms"]["properties"].contains(stage)) << stage;
            EXPECT_TRUE(read_schema("summary.schema.json")["properties"]["stages"]["properties"].contains(stage))
                << stage;
        }
        EXPECT_GT(count, 0U) << header;
    }
}

TEST_F(JsonSchema, LinesWithTracksAreValid) {
    const std::vector<Json> lines = detect({"--track"});
    expect_valid(lines);
    for (const Json& line : lines) EXPECT_GT(line["tracks"].size(), 0U);
}

TEST_F(JsonSchema, LinesOfCascadesAreValid) {
    for (const std::string name : {"haar", "lbp"}) {
        const std::string model = name == "haar" ? "haarcascade_frontalface_alt2" : "lbpcascade_frontalface";
        if (!test::cascade_file(model + ".xml")) GTEST_SKIP() << "skipped: no opencv-data";
        const std::vector<Json> lines = detect({"--detector", name, "--raw"});
        expect_valid(lines);
        for (const Json& line : lines) {
            EXPECT_GT(line["kept"].size(), 0U) << name;
            EXPECT_EQ(line["raw"], line["raw_boxes"].size()) << name;
            for (const Json& box : line["raw_boxes"]) EXPECT_GE(box["score"], 0) << name;
        }
        for (const Json& line : detect({"--detector", name})) {
            EXPECT_EQ(as_text(detections_.errors(line)), "");
            EXPECT_FALSE(line.contains("raw_boxes"));
        }
    }
}

TEST_F(JsonSchema, LinesOfThePeopleDetectorAreValid) {
    const std::vector<Json> lines = detect({"--detector", "hog", "--score-threshold", "-2", "--raw"});
    expect_valid(lines);
    for (const Json& line : lines) {
        EXPECT_GT(line["raw_boxes"].size(), 0U);
        for (const Json& box : line["raw_boxes"]) EXPECT_GE(box["score"], -2);
    }
}

TEST_F(JsonSchema, LinesOfNetworksAreValid) {
    std::vector<std::filesystem::path> models;
    for (const char* name : {"yunet.onnx", "ultraface.onnx", "yolox.onnx"})
        models.push_back(test::source_dir() / "tests/fuzz/corpus/onnx" / name);
    if (const auto data = test::data_dir()) models.push_back(*data / "models/yunet_n_320_320.onnx");
    for (const std::filesystem::path& model : models) {
        const bool people = model.filename() == "yolox.onnx";
        const std::vector<Json> lines = detect(
            {"--detector", people ? "person" : "cnn", "--model", model.string(), "--score-threshold", "0.3", "--raw"});
        expect_valid(lines);
        for (const Json& line : lines) {
            ASSERT_GT(line["kept"].size(), 0U) << model;
            EXPECT_EQ(line["kept"][0]["class"], people ? "person" : "face");
            const bool gives_landmarks = model.filename() != "ultraface.onnx" && !people;
            for (const Json& box : line["kept"]) EXPECT_EQ(box.contains("landmarks"), gives_landmarks) << model;
            for (const Json& box : line["raw_boxes"]) {
                EXPECT_GE(box["score"], 0.3) << model;
                EXPECT_LE(box["score"], 1) << model;
            }
        }
    }
}

TEST_F(JsonSchema, LinesOfPeopleAndTheirFacesAreValid) {
    const std::filesystem::path corpus = test::source_dir() / "tests/fuzz/corpus/onnx";
    std::filesystem::create_directory(file("models"));
    std::filesystem::copy_file(corpus / "yolox.onnx", file("models/yolox_nano.onnx"));
    std::filesystem::copy_file(corpus / "yunet.onnx", file("models/yunet_n_dynamic.onnx"));
    test::ProgramOptions options;
    options.environment = {"THRONG_MODELS=" + file("models")};
    const ProgramResult result = run_program({"detect", "crowd:faces=3,size=160x120,frames=2", "--detector",
                                              "face+person", "--track", "--raw", "--json", "-", "--quiet"},
                                             options);
    ASSERT_EQ(result.status, 0) << result.err;
    std::vector<Json> lines;
    std::istringstream text(result.out);
    for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
    ASSERT_EQ(lines.size(), 2U);
    expect_valid(lines);
    for (const Json& line : lines) {
        ASSERT_GT(line["kept"].size(), 0U);
        std::set<int> people;
        for (const Json& face : line["faces"]["kept"]) {
            EXPECT_EQ(face["class"], "face");
            if (face["person"].is_null()) continue;
            EXPECT_TRUE(people.insert(face["person"].get<int>()).second) << "two faces of one person";
            EXPECT_EQ(line["kept"].at(face["person"].get<std::size_t>())["facing"], true);
        }
        std::size_t facing = 0;
        for (const Json& person : line["kept"]) {
            EXPECT_EQ(person["class"], "person");
            facing += person["facing"].get<bool>() ? 1 : 0;
        }
        EXPECT_EQ(facing, people.size());
    }
}

TEST_F(JsonSchema, AChangedLineIsRejected) {
    const std::string model = (test::source_dir() / "tests/fuzz/corpus/onnx/yunet.onnx").string();
    Json line = detect({"--detector", "cnn", "--model", model, "--score-threshold", "0.3", "--raw"}).front();
    ASSERT_EQ(as_text(detections_.errors(line)), "");
    ASSERT_FALSE(line["raw_boxes"].empty());
    for (const char* list : {"kept", "raw_boxes"}) {
        line[list] = Json::array({line[list][0]});  // one shows the same as hundreds, in less time
    }
    for (const Json& changed : broken(line)) EXPECT_FALSE(detections_.errors(changed).empty());
    for (const char* list : {"kept", "raw_boxes"}) {
        for (const Json& box : broken(line[list][0])) {
            Json changed = line;
            changed[list][0] = box;
            EXPECT_FALSE(detections_.errors(changed).empty()) << box;
        }
    }
    for (const char* patch : {R"([{"op": "replace", "path": "/frame", "value": -1}])",
                              R"([{"op": "replace", "path": "/frame", "value": 0.5}])",
                              R"([{"op": "replace", "path": "/source_number", "value": 0}])",
                              R"([{"op": "replace", "path": "/pts", "value": null}])",
                              R"([{"op": "replace", "path": "/kept/0/w", "value": 0}])",
                              R"([{"op": "replace", "path": "/kept/0/x", "value": null}])",
                              R"([{"op": "replace", "path": "/kept/0/hits", "value": 0}])",
                              R"([{"op": "remove", "path": "/kept/0/landmarks/4"}])",
                              R"([{"op": "add", "path": "/kept/0/landmarks/5", "value": [1, 2]}])",
                              R"([{"op": "add", "path": "/kept/0/landmarks/0/2", "value": 3}])",
                              R"([{"op": "add", "path": "/timings_ms/polishing", "value": 1}])",
                              R"([{"op": "replace", "path": "/timings_ms/total", "value": -1}])"}) {
        EXPECT_FALSE(detections_.errors(line.patch(Json::parse(patch))).empty()) << patch;
    }
}

TEST_F(JsonSchema, TheSummaryIsValidAndAChangedOneIsRejected) {
    const std::string model = (test::source_dir() / "tests/fuzz/corpus/onnx/yunet.onnx").string();
    const std::string path = file("summary.json");
    const ProgramResult result =
        run_program({"detect", "crowd:faces=2,size=160x120,frames=2", "crowd:faces=2,size=80x64,frames=1", "--detector",
                     "cnn", "--model", model, "--summary", path, "--quiet"});
    ASSERT_EQ(result.status, 0) << result.err;
    const Json summary = Json::parse(test::contents(path), nullptr, false);
    ASSERT_EQ(as_text(summary_.errors(summary)), "") << summary;
    EXPECT_EQ(summary["sources"].size(), 2U);
    for (const Json& changed : broken(summary)) EXPECT_FALSE(summary_.errors(changed).empty());
    for (const Json& source : broken(summary["sources"][0])) {
        Json changed = summary;
        changed["sources"][0] = source;
        EXPECT_FALSE(summary_.errors(changed).empty()) << source;
    }
    for (const Json& times : broken(summary["stages"]["total"])) {
        Json changed = summary;
        changed["stages"]["total"] = times;
        EXPECT_FALSE(summary_.errors(changed).empty()) << times;
    }
    Json changed = summary;
    changed["backend"] = "tpu";
    EXPECT_FALSE(summary_.errors(changed).empty());
}

// Lines of a file in which each line is an object.
std::vector<Json> json_lines_of(const std::filesystem::path& path) {
    std::vector<Json> lines;
    std::istringstream stream(test::contents(path));
    for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line, nullptr, false));
    return lines;
}

TEST_F(JsonSchema, ManifestsAndReportsAreValidAndChangedOnesAreRejected) {
    if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    const std::string odd = "in/\xff.png";  // not UTF-8
    std::filesystem::create_directories(file("in"));
    for (const std::string& name : {odd, std::string("in/a.mp4")}) {
        ASSERT_EQ(run_program({"crowd", file(name), "--faces", "3", "--size", "320x240", "--frames",
                               name == odd ? "1" : "2", "-q"})
                      .status,
                  0);
    }
    std::ofstream(file("in/bad.jpg")) << "no image";
    std::vector<Json> lines;
    for (const std::string command : {"detect", "anonymize"}) {
        std::vector<std::string> arguments{command, file("in"), "--out", file(command), "--detector", "haar", "-q"};
        if (command == "anonymize") arguments.insert(arguments.end(), {"--encoder", "libx264"});
        EXPECT_EQ(run_program(arguments).status, 3);
        const auto found = json_lines_of(file(command + "/.throng/shard-1-of-1.jsonl"));
        EXPECT_EQ(found.size(), 3U);
        lines.insert(lines.end(), found.begin(), found.end());
    }
    const std::set<std::string> only_odd{"input_hex", "name_hex"};
    bool has_odd = false;
    for (const Json& line : lines) {
        ASSERT_EQ(as_text(manifest_.errors(line)), "") << line;
        has_odd = has_odd || line.contains("input_hex");
        for (const Json& changed : broken(line, only_odd)) EXPECT_FALSE(manifest_.errors(changed).empty()) << changed;
        for (const Json& output : line["outputs"]) {
            for (const Json& other : broken(output, only_odd)) {
                Json changed = line;
                changed["outputs"][0] = other;
                EXPECT_FALSE(manifest_.errors(changed).empty()) << other;
            }
        }
    }
    EXPECT_TRUE(has_odd);

    // A report of one file, of a run, and of an archive.
    EXPECT_EQ(run_program({"merge", file("anonymize"), "--report", file("joined"), "-q"}).status, 3);
    for (const char* name : {"anonymize/a.mp4.report.json", "anonymize/anonymize-report.json", "joined.json"}) {
        const Json report = Json::parse(test::contents(file(name)), nullptr, false);
        ASSERT_EQ(as_text(report_.errors(report)), "") << name;
        for (const Json& changed : broken(report, {"settings", "output", "backend", "model", "left_out"})) {
            EXPECT_FALSE(report_.errors(changed).empty());
        }
        const Json& first = report["files"][0];
        ASSERT_EQ(first["input"], "a.mp4");
        ASSERT_GT(first["tracks"].size(), 0U);
        const auto replace = [&](const char* pointer, const std::vector<Json>& values) {
            for (const Json& value : values) {
                Json changed = report;
                changed[Json::json_pointer(pointer)] = value;
                EXPECT_FALSE(report_.errors(changed).empty()) << pointer << value;
            }
        };
        replace("/files/0", broken(first, {}));
        replace("/files/0/tracks/0", broken(first["tracks"][0], {"thumbnail"}));
        Json settings = report["settings"];
        settings["score_threshold"] = 0.5;  // null for a cascade; any number is valid, too
        replace("/settings", broken(settings, {}));
        replace("/model", broken(report["model"], {}));
        replace("/files/0/tracks/0/samples/0", {Json::array({0, 1, 2, 3})});
    }
}

}  // namespace
}  // namespace throng
