#include "core/archive/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/archive/segments.h"
#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/json_integer.h"
#include "core/base/json_text.h"
#include "core/base/line_reader.h"
#include "core/base/sha256.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

}  // namespace

ArchiveMerge::ArchiveMerge(const std::vector<fs::path>& folders) {
    for (const fs::path& folder : folders) {
        std::error_code failure;
        if (!fs::is_directory(folder / kRecordFolder, failure)) {
            throw Error(ErrorKind::input, "has no records of an archive run", folder.string(),
                        {"name the folder that was given as %1", Setting{"out"}});
        }
        for (const fs::path& other : folders_) {
            if (fs::equivalent(folder, other, failure)) {
                throw Error(ErrorKind::usage, "is given twice", folder.string());
            }
        }
        folders_.push_back(folder);
        InputLists lists = read_lists(folder);
        list_.merge(lists.inputs);
        left_out_.merge(lists.left_out);
        read_manifests(folder, [&](const fs::path& manifest, ManifestEntry&& record) {
            add(folders_.size() - 1, manifest, std::move(record));
        });
    }
}

void ArchiveMerge::add(std::size_t folder, const fs::path& manifest, ManifestEntry&& record) {
    const auto [found, is_new] = entries_.try_emplace(record.input);
    Entry& entry = found->second;
    const bool failed = record.status == InputStatus::failed;
    if (!is_new && entry.manifest != manifest) {
        if (failed) return;
        if (entry.record.status != InputStatus::failed) {
            doubled_.push_back(fmt::format("processed twice: {}: in {} and {}", record.input, entry.manifest.string(),
                                           manifest.string()));
        }
    }
    entry = {folder, manifest, std::move(record)};
}

std::vector<std::string> ArchiveMerge::problems(const std::stop_token& stop) const {
    std::vector<std::string> problems;
    for (const std::string& name : list_) {
        if (entries_.contains(name)) continue;
        problems.push_back("missing: " + name);
        for (const fs::path& folder : folders_) {
            if (const std::string parts = missing_parts(folder, name); !parts.empty()) {
                problems.back() += fmt::format(": {}: {}", folder.string(), parts);
            }
        }
    }
    problems.insert(problems.end(), doubled_.begin(), doubled_.end());
    const std::vector<std::string> mixed_settings = mixed();
    problems.insert(problems.end(), mixed_settings.begin(), mixed_settings.end());
    for (const auto& [name, entry] : entries_) {
        for (const OutputRecord& output : entry.record.outputs) {
            const fs::path path = folders_[entry.folder] / output.name;
            std::error_code failure;
            const std::uintmax_t size = fs::file_size(path, failure);
            if (failure) {
                problems.push_back(fmt::format("output missing: {}: {}", path.string(), failure.message()));
            } else if (size != output.size || sha256_of(path, stop) != output.sha256) {
                problems.push_back(fmt::format("output changed: {}", path.string()));
            }
        }
    }
    return problems;
}

// Names the settings whose values differ.
std::vector<std::string> ArchiveMerge::mixed() const {
    std::vector<std::string> problems;
    struct Group {
        std::size_t inputs = 0;
        std::string example;
        std::size_t folder = 0;
    };
    std::map<std::pair<std::string, std::string>, Group> groups;  // by settings and version
    for (const auto& [name, entry] : entries_) {
        Group& group = groups[{entry.record.settings, entry.record.version}];
        if (group.inputs++ == 0) group = {1, name, entry.folder};
    }
    if (groups.size() <= 1) return problems;
    std::map<std::string, std::set<std::string>> values;  // by name of the setting
    std::map<std::pair<std::string, std::string>, Json> settings;
    for (const auto& [key, group] : groups) {
        const std::string text = read_settings(folders_[group.folder], key.first);
        settings[key] = parse_json<Json>(text, false);
        if (!settings[key].is_object()) settings[key] = Json::object();
        for (const auto& [name, value] : settings[key].items()) values[name].insert(value.dump());
    }
    for (const auto& [key, group] : groups) {
        std::string text = fmt::format("mixed settings: {} {} such as {}: version {}", group.inputs,
                                       group.inputs == 1 ? "input" : "inputs", group.example, key.second);
        for (const auto& [name, value] : settings[key].items()) {
            if (values[name].size() > 1) text += fmt::format(", {} {}", name, value.dump());
        }
        problems.push_back(std::move(text));
    }
    return problems;
}

std::string ArchiveMerge::command() const {
    for (const auto& [name, entry] : entries_) {
        const Json settings = parse_json<Json>(read_settings(folders_[entry.folder], entry.record.settings), false);
        if (!settings.is_object()) continue;
        const auto command = settings.find("command");
        return command != settings.end() && command->is_string() ? command->get<std::string>() : std::string();
    }
    return {};
}

void ArchiveMerge::for_each(const std::function<void(const ManifestEntry&, const fs::path&)>& use) const {
    for (const auto& [name, entry] : entries_) use(entry.record, folders_[entry.folder]);
}

MergeTotals ArchiveMerge::totals() const {
    MergeTotals totals;
    for (const auto& [name, entry] : entries_) {
        const ManifestEntry& record = entry.record;
        ++totals.inputs;
        totals.incomplete += record.status == InputStatus::incomplete ? 1 : 0;
        totals.failed += record.status == InputStatus::failed ? 1 : 0;
        totals.bytes += record.size;
        totals.frames += record.frames;
        totals.faces += record.faces;
        totals.seconds += record.seconds;
        if (!record.backend.empty()) ++totals.backends[record.backend];
    }
    return totals;
}

std::vector<ManifestEntry> ArchiveMerge::failures() const {
    std::vector<ManifestEntry> failures;
    for (const auto& [name, entry] : entries_) {
        if (entry.record.status != InputStatus::done) failures.push_back(entry.record);
    }
    return failures;
}

std::vector<fs::path> ArchiveMerge::files() const {
    std::vector<fs::path> files;
    for (const fs::path& folder : folders_) {
        for (const auto& record : fs::directory_iterator(folder / kRecordFolder)) files.push_back(record.path());
    }
    for (const auto& [name, entry] : entries_) {
        for (const OutputRecord& output : entry.record.outputs) files.push_back(folders_[entry.folder] / output.name);
    }
    return files;
}

bool ArchiveMerge::has(std::string_view extension) const {
    return std::any_of(entries_.begin(), entries_.end(), [&](const auto& each) {
        const std::vector<OutputRecord>& outputs = each.second.record.outputs;
        return std::any_of(outputs.begin(), outputs.end(),
                           [&](const auto& output) { return output.name == each.first + std::string(extension); });
    });
}

// Calls use(input, position of the input, path) for every output with this extension.
template <class Use>
void ArchiveMerge::for_each_output(std::string_view extension, const std::stop_token& stop, Use use) const {
    std::size_t position = 0;
    for (const auto& [name, entry] : entries_) {
        ++position;
        for (const OutputRecord& output : entry.record.outputs) {
            if (output.name != name + std::string(extension)) continue;
            if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped");
            use(name, position, folders_[entry.folder] / output.name);
        }
    }
}

// Calls use(line, position of the input, path) for every line of every output with this extension.
template <class Use>
void ArchiveMerge::for_each_line(std::string_view extension, const std::stop_token& stop, Use use) const {
    for_each_output(extension, stop, [&](const std::string&, std::size_t position, const fs::path& path) {
        std::ifstream stream(path, std::ios::binary);
        std::string line;
        for (LineReader lines(stream, path.string()); lines.next();) {
            line = lines.line();
            use(line, position, path);
        }
    });
}

void ArchiveMerge::write_numbered(std::string_view extension, OutputFile& file, const std::stop_token& stop) const {
    BlockWriter writer(file);
    for_each_line(extension, stop, [&](std::string& line, std::size_t position, const fs::path&) {
        // Quotes within the source are escaped, so this is the key.
        constexpr std::string_view kKey = ",\"source_number\":";
        if (const std::size_t key = line.find(kKey); key != std::string::npos) {
            const std::size_t begin = key + kKey.size();
            line.replace(begin, line.find_first_not_of("0123456789", begin) - begin, std::to_string(position));
        }
        line += '\n';
        writer.write(line, stop);
    });
    writer.flush(stop);
}

void ArchiveMerge::write_json(OutputFile& file, const std::stop_token& stop) const {
    write_numbered(kLinesExtension, file, stop);
}

void ArchiveMerge::write_events(OutputFile& file, const std::stop_token& stop) const {
    write_numbered(kEventsExtension, file, stop);
}

void ArchiveMerge::write_per_minute(OutputFile& file, const std::stop_token& stop) const {
    BlockWriter writer(file);
    bool has_header = false;
    for_each_output(
        kPerMinuteExtension, stop, [&](const std::string& name, std::size_t position, const fs::path& path) {
            ReadOptions options;
            options.stop = stop;
            const std::string rows = read_file(path, options);
            const auto reject = [&] { throw Error(ErrorKind::input, "is not a table of counts", path.string()); };
            const std::size_t first = rows.find('\n') + 1;
            if (first == 0) reject();  // not even the line of names
            if (!std::exchange(has_header, true)) writer.write(rows.substr(0, first), stop);
            // A source may contain line feeds; what follows it does not.
            const std::string source = csv_cell(name) + ',';
            for (std::size_t begin = first; begin < rows.size();) {
                const std::size_t number = begin + source.size();
                const std::size_t next =
                    rows.compare(begin, source.size(), source) == 0 ? rows.find(',', number) : rows.npos;
                const std::size_t end = rows.find('\n', number);
                if (next > end || end == rows.npos) reject();
                writer.write(fmt::format("{}{}{}\n", source, position, std::string_view(rows).substr(next, end - next)),
                             stop);
                begin = end + 1;
            }
        });
    writer.flush(stop);
}

void ArchiveMerge::write_csv(OutputFile& file, const std::stop_token& stop) const {
    BlockWriter writer(file);
    constexpr const char* kHeader = "input,frame,pts,x,y,w,h,score,hits";
    std::optional<bool> two_classes;  // the lines have people and their faces
    for_each_line(kLinesExtension, stop, [&](const std::string& line, std::size_t, const fs::path& path) {
        try {
            const Json json = parse_json<Json>(line);
            const Json* const faces = object_in(json, "faces");
            const bool has_faces = faces != nullptr;
            if (!two_classes) writer.write(fmt::format("{}{}\n", kHeader, has_faces ? ",class" : ""), stop);
            if (two_classes.value_or(has_faces) != has_faces) {
                throw Error(ErrorKind::input, "has faces of people where other results have one class", path.string(),
                            "merge the results of one kind of detector");
            }
            two_classes = has_faces;
            const std::string begin =
                fmt::format("{},{},{}", csv_cell(json.at("source").get<std::string>()),
                            integer_at<std::int64_t>(json, "frame"), json.at("pts").get<double>());
            const auto write_box = [&](const Json& box, const char* name) {
                std::string row = begin;
                // The numbers are the shortest that parse back to the same float.
                for (const char* key : {"x", "y", "w", "h", "score"}) {
                    row += fmt::format(",{}", static_cast<float>(box.at(key).get<double>()));
                }
                row += fmt::format(",{}{}\n", integer_at<std::int64_t>(box, "hits"), name);
                writer.write(row, stop);
            };
            for (const Json& box : json.at("kept")) write_box(box, has_faces ? ",person" : "");
            if (!has_faces) return;
            for (const Json& box : faces->at("kept")) write_box(box, ",face");
        } catch (const Json::exception& error) {
            throw Error(ErrorKind::input, std::string("is not a line of detections: ") + error.what(), path.string());
        }
    });
    if (!two_classes) writer.write(fmt::format("{}\n", kHeader), stop);
    writer.flush(stop);
}

}  // namespace throng
