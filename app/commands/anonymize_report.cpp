#include "app/commands/anonymize_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

extern "C" {
#include <libavutil/base64.h>
}

#include "app/options/interrupt.h"
#include "app/options/progress.h"
#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/json_integer.h"
#include "core/base/json_text.h"
#include "core/base/sha256.h"
#include "core/base/text_encoding.h"
#include "core/model/model_catalogue.h"
#include "core/model/model_finder.h"
#include "core/video/convert.h"
#include "core/video/image_writer.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMaxReport = std::uint64_t{1} << 30;
constexpr const char* kUnknownTerms = "unknown: see the publisher of the model";

Json model_json(const ReportedModel& model) {
    return {{"name", model.name},     {"file", model.file},       {"path", model.path},
            {"sha256", model.sha256}, {"license", model.license}, {"training", model.training}};
}

std::string doubts(const TrackSummary& track) {
    std::string text;
    const auto add = [&text](bool applies, const char* reason) {
        if (applies) text += (text.empty() ? "" : ", ") + std::string(reason);
    };
    add(track.is_short, "few detections");
    add(track.has_low_score, "low score");
    add(track.has_long_gap, "long gap");
    return text;
}

std::string escaped(const std::string& text) {
    std::string html;
    for (const char c : text) {
        switch (c) {
            case '&': html += "&amp;"; break;
            case '<': html += "&lt;"; break;
            case '>': html += "&gt;"; break;
            case '"': html += "&quot;"; break;
            default: html += c;
        }
    }
    return html;
}

std::string plain(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

void add_fact(std::string& html, const std::string& name, const std::string& value) {
    if (!value.empty()) html += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", name, escaped(value));
}

void add_tracks(std::string& html, const Json& tracks) {
    if (tracks.empty()) return;
    html +=
        "<table class=\"list\"><tr><th>track</th><th>from</th><th>to</th><th>detected</th><th>filled in</th>"
        "<th>extended</th><th>longest gap</th><th>best score</th><th>uncertain</th><th></th></tr>\n";
    for (const Json& track : tracks) {
        const auto count = [&](const char* key) { return integer_at<std::int64_t>(track, key); };
        const std::string object = track.contains("class") ? " (" + track.value("class", "") + ")" : "";
        const std::string doubtful = track.at("doubtful");
        const std::string decided_by = track.value("decided_by", "");
        std::string verdict = track.at("kept").get<bool>() ? "kept visible" : decided_by.empty() ? "" : "confirmed";
        if (!decided_by.empty()) verdict += " by " + decided_by;
        if (!doubtful.empty()) verdict += (verdict.empty() ? "" : "; ") + doubtful;
        const std::string thumbnail =
            track.contains("thumbnail")
                ? "<img alt=\"after hiding\" src=\"data:image/jpeg;base64," + escaped(track["thumbnail"]) + "\">"
                : "";
        html += fmt::format(
            "<tr{}><td>{}{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.3g}</td>"
            "<td>{}</td><td>{}</td></tr>\n",
            doubtful.empty() || !decided_by.empty() ? "" : " class=\"doubtful\"", count("id"), escaped(object),
            duration_text(track.at("first")), duration_text(track.at("last")), count("detected"), count("filled"),
            count("extended"), count("longest_gap"), track.at("best_score").get<double>(), escaped(verdict), thumbnail);
    }
    html += "</table>\n";
}

std::string file_html(const Json& file) {
    const auto text = [&](const char* key) { return file.at(key).get<std::string>(); };
    const auto count = [&](const char* key) { return integer_at<std::int64_t>(file, key); };
    std::string html = fmt::format("<h2>{}</h2>\n<table>\n", escaped(text("input")));
    add_fact(html, "error", text("error"));
    add_fact(html, "incomplete", text("incomplete"));
    add_fact(html, "output", text("output"));
    add_fact(html, "SHA-256 of the input", text("input_sha256"));
    add_fact(html, "SHA-256 of the output", text("output_sha256"));
    if (count("frames") > 0) {
        add_fact(html, "frames", fmt::format("{}, {}x{} pixels", count("frames"), count("width"), count("height")));
        add_fact(html, "hidden",
                 fmt::format("{} detected, {} filled in between detections, {} before and after "
                             "tracks; {} frames entirely",
                             count("faces_detected"), count("faces_filled"), count("faces_extended"),
                             count("frames_hidden_whole")));
    }
    if (count("frames_not_hidden") > 0) {
        add_fact(html, "outside --only", fmt::format("{} frames", count("frames_not_hidden")));
    }
    add_fact(html, "audio", text("audio"));
    add_fact(html, "encoder", text("encoder"));
    for (const Json& note : file.at("notes")) add_fact(html, "note", note);
    html += "</table>\n";
    add_tracks(html, file.at("tracks"));
    return html;
}

constexpr const char* kHead =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>throng anonymize</title>\n<style>\n"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1c2024}\n"
    "h2{margin-top:2.5rem;overflow-wrap:anywhere}table{border-collapse:collapse;margin:.5rem 0}\n"
    "th{text-align:left;font-weight:600;padding:.15rem 1rem .15rem 0;vertical-align:top}\n"
    "td{padding:.15rem 1rem .15rem 0;overflow-wrap:anywhere}.list th,.list td{border-bottom:1px solid #d5dae0}\n"
    ".doubtful{background:#fff3d6}img{height:96px;display:block}\n"
    "</style></head><body>\n<h1>Faces hidden by throng anonymize</h1>\n";

std::string head_html(const Json& header) {
    std::string html = kHead;
    html += "<table>\n";
    const auto text = [](const Json& object, const char* key) { return object.value(key, std::string()); };
    add_fact(html, "version", text(header, "version"));
    add_fact(html, "backend", text(header, "backend"));
    for (const auto& [key, label] : {std::pair{"model", "model"}, std::pair{"faces_model", "model of faces"}}) {
        const Json model = header.value(key, Json());
        if (!model.is_object()) continue;
        add_fact(
            html, label,
            fmt::format("{} ({}), SHA-256 {}", text(model, "name"), text(model, "license"), text(model, "sha256")));
        add_fact(html, "trained on", text(model, "training"));
    }
    for (const char* key : {"settings", "output"}) {
        const Json values = header.value(key, Json::object());
        for (const auto& [name, value] : values.items()) {
            if (name.ends_with("model_sha256") || value.empty()) continue;  // the hashes stand above already
            std::string label = name;
            std::replace(label.begin(), label.end(), '_', ' ');
            add_fact(html, escaped(label),
                     value.is_number_float() ? fmt::format("{:.4g}", value.get<double>()) : plain(value));
        }
    }
    for (const Json& name : header.value("left_out", Json::array())) {
        add_fact(html, "left out", name.get<std::string>() + ": neither an image nor a video");
    }
    if (header.value("interrupted", false)) {
        add_fact(html, "interrupted", "files that are not listed were not written");
    }
    return html +
           "</table>\n<p>A detector misses faces: look at the result before you publish it. Tracks are numbered over "
           "all files of this report; uncertain ones are marked, with an image after hiding. "
           "<code>--keep ID@REPORT.json</code> leaves a track visible; <code>--review REPORT.json</code> shows the "
           "uncertain ones in a window.</p>\n";
}

Json track_json(const ReportedTrack& track) {
    Json json;
    json["id"] = track.summary.track;
    if (!track.object.empty()) json["class"] = track.object;
    json["first"] = track.first;
    json["last"] = track.last;
    json["detected"] = track.summary.num_detected;
    json["filled"] = track.summary.num_filled;
    json["extended"] = track.summary.num_extended;
    json["longest_gap"] = track.summary.longest_gap;
    json["best_score"] = track.summary.best_score;
    json["doubtful"] = doubts(track.summary);
    json["kept"] = track.kept;
    json["decided_by"] = track.decided_by;
    Json samples = Json::array();
    for (const TrackSample& sample : track.samples) {
        samples.push_back({sample.pts, sample.box.x, sample.box.y, sample.box.w, sample.box.h});
    }
    json["samples"] = std::move(samples);
    if (!track.thumbnail.empty()) json["thumbnail"] = track.thumbnail;
    return json;
}

}  // namespace

Json file_json(const ReportedFile& file) {
    Json json;
    json["input"] = name_as_text(file.input);
    json["output"] = name_as_text(file.output);
    json["folder"] = name_as_text(file.folder);
    json["in_archive"] = file.in_archive;
    json["status"] = !file.error.empty() ? "failed" : file.incomplete.empty() ? "done" : "incomplete";
    json["error"] = file.error;
    json["incomplete"] = file.incomplete;
    json["kind"] = file.still ? "image" : "video";
    json["input_sha256"] = file.input_sha256;
    json["output_sha256"] = file.output_sha256;
    json["width"] = file.width;
    json["height"] = file.height;
    json["fps"] = file.fps;
    json["frames"] = file.frames;
    json["frames_hidden_whole"] = file.whole_frames;
    json["frames_not_hidden"] = file.open_frames;
    json["faces_detected"] = file.detected;
    json["faces_filled"] = file.filled;
    json["faces_extended"] = file.extended;
    json["audio"] = file.audio;
    json["encoder"] = file.encoder;
    json["notes"] = file.notes;
    Json tracks = Json::array();
    for (const ReportedTrack& track : file.tracks) tracks.push_back(track_json(track));
    json["tracks"] = std::move(tracks);
    return json;
}

ReportedModel describe_model(const DetectorParams& detector) {
    const fs::path file = find_model(detector.model, detector.kind);
    ReportedModel result{file.stem().string(),
                         file.filename().string(),
                         fs::absolute(file).lexically_normal().string(),
                         sha256_of(file),
                         kUnknownTerms,
                         kUnknownTerms};
    for (const RecommendedModel& known : recommended_models()) {
        // Models of packages have no checksum in the table.
        if (known.sha256.empty() ? known.name != result.name : known.sha256 != result.sha256) continue;
        result.license = known.license;
        result.training = known.training;
    }
    return result;
}

Json header_json(const ReportHeader& header) {
    Json json;
    json["program"] = "throng anonymize";
    json["version"] = TH_VERSION;
    json["settings"] = header.settings;
    json["output"] = header.output;
    json["backend"] = header.backend;
    json["model"] = model_json(header.model);
    if (header.faces_model) json["faces_model"] = model_json(*header.faces_model);
    json["interrupted"] = header.interrupted;
    return json;
}

std::string report_text(Json header, const Json& file) {
    header["files"] = Json::array({file});
    return json_text(header, 1) + "\n";
}

void check_report_base(const std::string& base) {
    const fs::path name = fs::path(base).filename();
    if (!name.empty() && name != "." && name != "..") return;
    throw Error(ErrorKind::usage, "names a folder", Setting{"report"}, "add the name of the report, without extension");
}

ReportWriter::ReportWriter(const std::string& base, const Json& header) : json_(base + ".json"), html_(base + ".html") {
    std::string text = json_text(header, 1);
    text.erase(text.rfind('\n'));  // the closing brace
    json_.write(text + ",\n \"files\": [");
    html_.write(head_html(header));
}

void ReportWriter::add(Json file) {
    // An id names one track of the report.
    for (Json& track : file.at("tracks")) track["id"] = ++last_track_;
    json_.write((is_first_ ? "\n" : ",\n") + json_text(file, 1));
    is_first_ = false;
    html_.write(file_html(file));
}

void ReportWriter::commit() {
    json_.write("\n ]\n}\n");
    html_.write("</body></html>\n");
    json_.commit();
    html_.commit();
}

std::string text_of_count(std::int64_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string make_thumbnail(const Frame& frame, const Box& box) {
    constexpr float kSurroundings = 0.75F;  // on each side, as a share of the box
    constexpr int kHeight = 96;             // pixels
    const auto edge = [](float value, int limit) {
        return static_cast<int>(std::clamp(value, 0.0F, static_cast<float>(limit)));
    };
    const int left = edge(box.x - kSurroundings * box.w, frame.width() - 1);
    const int top = edge(box.y - kSurroundings * box.h, frame.height() - 1);
    const int right = std::max(edge(box.x + (1 + kSurroundings) * box.w, frame.width()), left + 1);
    const int bottom = std::max(edge(box.y + (1 + kSurroundings) * box.h, frame.height()), top + 1);
    FramePool pool(0);
    PixelConverter converter;
    WritableFrame bgr = converter.bgr_copy(frame, pool);
    const cv::Mat image(frame.height(), frame.width(), CV_8UC3, bgr.data(0),
                        static_cast<std::size_t>(bgr.plane(0).pitch));
    const cv::Mat part = image(cv::Range(top, bottom), cv::Range(left, right));
    const int width = std::clamp(part.cols * kHeight / part.rows, 1, 4 * kHeight);
    FrameInfo info = bgr.info();
    WritableFrame small = pool.take(PixelFormat::bgr24, width, kHeight);
    info.width = width;
    info.height = kHeight;
    small.info() = info;
    cv::Mat to(kHeight, width, CV_8UC3, small.data(0), static_cast<std::size_t>(small.plane(0).pitch));
    cv::resize(part, to, to.size(), 0, 0, cv::INTER_AREA);
    const std::vector<std::uint8_t> jpeg = encode_image("thumbnail.jpg", std::move(small).finish());
    const auto size = static_cast<int>(jpeg.size());
    std::string text(static_cast<std::size_t>(AV_BASE64_SIZE(size)), '\0');
    av_base64_encode(text.data(), static_cast<int>(text.size()), jpeg.data(), size);
    text.pop_back();  // the terminating zero
    return text;
}

Json read_report(const std::string& path) {
    ReadOptions options;
    options.stop = InterruptGuard::token();
    options.max_bytes = kMaxReport;
    Json report = parse_json<Json>(read_file(path, options), false);
    if (!report.is_object() || report.value("program", Json()) != "throng anonymize") {
        throw Error(ErrorKind::input, "is not a report of throng anonymize", path, "name the file that ends in .json");
    }
    if (const Json version = report.value("version", Json("?")); version != TH_VERSION) {
        throw Error(ErrorKind::usage, "is of version " + plain(version) + " of this program", path,
                    "run `throng anonymize` again and use the new report");
    }
    return report;
}

void check_report_settings(const Json& report, const Json& settings, const std::string& path) {
    const Json theirs = report.value("settings", Json::object());
    for (const auto& [name, value] : settings.items()) {
        if (theirs.contains(name) && theirs[name] == value) continue;
        throw Error(ErrorKind::usage,
                    fmt::format("has other settings: {} is {}, now {}", name,
                                theirs.contains(name) ? plain(theirs[name]) : "not set", plain(value)),
                    path, "use the settings of the report");
    }
}

namespace {

DecidedTrack find_track(const Json& report, std::int64_t id, const std::string& path) {
    try {
        for (const Json& file : report.at("files")) {
            for (const Json& track : file.at("tracks")) {
                if (integer_at<std::int64_t>(track, "id") != id) continue;
                DecidedTrack decided;
                decided.id = id;
                decided.input_sha256 = file.at("input_sha256").get<std::string>();
                decided.object = track.value("class", "");
                decided.samples = samples_of(track);
                if (decided.samples.empty()) break;
                return decided;
            }
        }
    } catch (const Json::exception& problem) {
        throw Error(ErrorKind::input, std::string("the report is damaged: ") + problem.what(), path);
    }
    throw Error(ErrorKind::input, fmt::format("has no track {}", id), path, "take an id from the report");
}

}  // namespace

std::vector<TrackSample> samples_of(const Json& track) {
    std::vector<TrackSample> samples;
    for (const Json& sample : track.at("samples")) {
        const auto number = [&](std::size_t i) { return sample.at(i).get<float>(); };
        samples.push_back({sample.at(0).get<double>(), {number(1), number(2), number(3), number(4)}});
    }
    return samples;
}

std::vector<DecidedTrack> read_decided_tracks(const std::vector<std::string>& keep,
                                              const std::vector<std::string>& hide, const Json& settings) {
    std::map<std::string, Json> reports;  // by path: many tracks come from one report
    std::vector<DecidedTrack> tracks;
    const auto read = [&](const std::string& text, bool keeps) {
        const Message option = Setting{keeps ? "keep" : "hide", text};
        const std::size_t at = text.find('@');
        std::int64_t id = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + std::min(at, text.size()), id);
        if (at == std::string::npos || failure != std::errc() || end != text.data() + at || at + 1 == text.size()) {
            throw Error(ErrorKind::usage, "must have the form ID@REPORT.json", option);
        }
        const std::string path = text.substr(at + 1);
        if (!reports.contains(path)) {
            Json report = read_report(path);
            check_report_settings(report, settings, path);
            reports.emplace(path, std::move(report));
        }
        DecidedTrack track = find_track(reports.at(path), id, path);
        track.keep = keeps;
        track.option = option;
        for (const DecidedTrack& other : tracks) {
            if (other.keep != keeps && other.id == id && other.input_sha256 == track.input_sha256) {
                throw Error(ErrorKind::usage, {"contradicts %1", other.option}, option, "leave one of them out");
            }
        }
        tracks.push_back(std::move(track));
    };
    for (const std::string& text : keep) read(text, true);
    for (const std::string& text : hide) read(text, false);
    return tracks;
}

}  // namespace throng
