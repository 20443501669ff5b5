#include "app/commands/merge_relink.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/options/run_files.h"
#include "core/annotations/labels.h"
#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/json_text.h"
#include "core/base/line_reader.h"
#include "core/base/log.h"
#include "core/base/output_file.h"
#include "core/redact/lookahead.h"
#include "core/sinks/json_sink.h"

namespace throng {
namespace {

using Json = nlohmann::ordered_json;

LookaheadInput input_of(const DetectionLabels& line) {
    LookaheadInput input;
    input.seconds = line.pts;
    input.width = line.width;
    for (const ScoredBox& box : line.entries) {
        Track& track = input.tracks.emplace_back();
        track.id = box.id;
        track.box = box.box;
        track.score = static_cast<float>(box.score);
        track.state = box.state;
        track.confirmed = true;
    }
    return input;
}

// Returns the tracks of each line.
std::vector<std::vector<Track>> relink_lines(const std::vector<DetectionLabels>& lines, const std::string& path) {
    std::vector<std::vector<Track>> result(lines.size());
    std::map<std::pair<std::string, std::int64_t>, std::vector<std::size_t>> sources;  // lines by name and number
    for (std::size_t i = 0; i < lines.size(); ++i) {
        sources[{lines[i].source, lines[i].source_number}].push_back(i);
    }
    for (const auto& [key, numbers] : sources) {
        const std::string& name = key.first;
        if (numbers.size() > 1 && lines[numbers.front()].pts == lines[numbers.back()].pts) {
            throw Error(ErrorKind::input, "the frames of " + name + " have no times ('pts')", path,
                        "use the lines of throng detect --track --json");
        }
        Lookahead lookahead({.linked = true});
        std::set<std::int64_t> before, after;  // ids
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const DetectionLabels& line = lines[numbers[i]];
            if (i > 0) check_order(lines[numbers[i - 1]], line, path);
            for (const ScoredBox& box : line.entries) before.insert(box.id);
            lookahead.push(input_of(line));
        }
        lookahead.finish();
        for (const std::size_t number : numbers) {
            result[number] = std::move(lookahead.pop()->tracks);
            for (const Track& track : result[number]) {
                if (track.confirmed) after.insert(track.id);
            }
        }
        logger().info("{}: {} tracks, {} before", name, after.size(), before.size());
    }
    return result;
}

}  // namespace

int run_merge_relink(const std::string& path, const std::string& out_path, const CommonOptions& common) {
    RunFiles files(common);
    files.add_input("the tracks", path);
    files.add_output("json", out_path);
    std::error_code unknown;
    if (std::filesystem::is_fifo(path, unknown)) {
        throw Error(ErrorKind::input, "is a pipe, but the tracks are read twice", path, "write them to a file");
    }
    const InputFiles input({path});
    const std::vector<std::vector<Track>> tracks = relink_lines(read_track_lines(path), path);
    // The file is read a second time, because all lines of a long video do not fit into memory.
    std::ifstream in(path);
    OutputFile out(out_path);
    const Error changed(ErrorKind::input, "the file changed while it was read", path);
    std::size_t number = 0;
    for (LineReader lines(in, path); lines.next();) {
        if (lines.line().find_last_not_of(" \t\r") == std::string_view::npos) continue;
        Json json = parse_json<Json>(lines.line(), false);
        if (!json.is_object() || number == tracks.size()) throw changed;
        json["tracks"] = parse_json<Json>(track_list(tracks[number]));
        out.write(json_text(json) + "\n");
        ++number;
    }
    input.check_unchanged();
    if (number != tracks.size()) throw changed;
    out.close();
    return 0;
}

}  // namespace throng
