#include "core/archive/manifest.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/choice_names.h"
#include "core/base/error.h"
#include "core/base/file_lock.h"
#include "core/base/input_file.h"
#include "core/base/json_integer.h"
#include "core/base/json_text.h"
#include "core/base/line_reader.h"
#include "core/base/log.h"
#include "core/base/output_file.h"
#include "core/base/sha256.h"
#include "core/base/text_encoding.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::pair<std::string_view, InputStatus> kStatusNames[] = {
    {"done", InputStatus::done}, {"incomplete", InputStatus::incomplete}, {"failed", InputStatus::failed}};

// Sets key, and key_hex if the name is not UTF-8.
void put_name(Json& json, const std::string& key, const std::string& name) {
    json[key] = is_utf8(name) ? name : name_as_text(name);
    if (is_utf8(name)) return;
    std::string digits;
    for (const char byte : name) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    json[key + "_hex"] = digits;
}

std::string get_name(const Json& json, const std::string& key) {
    const auto digits = json.find(key + "_hex");
    if (digits == json.end()) return json.at(key).get<std::string>();
    const auto& text = digits->get_ref<const std::string&>();
    std::string name;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        unsigned byte = 0;
        std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
        name += static_cast<char>(byte);
    }
    return name;
}

Json json_of(const OutputRecord& output) {
    Json record;
    put_name(record, "name", output.name);
    record["size"] = output.size;
    record["sha256"] = output.sha256;
    return record;
}

// Throws Error(input) for a name that leads out of the output folder.
OutputRecord output_of(const Json& record) {
    const std::string name = get_name(record, "name");
    const fs::path path(name);
    if (name.empty() || path.is_absolute() || name.find('\0') != std::string::npos ||
        std::find(path.begin(), path.end(), "..") != path.end()) {
        throw Error(ErrorKind::input, "names an output outside the folder: " + name);
    }
    return {name, integer_at<std::uint64_t>(record, "size"), record.at("sha256").get<std::string>()};
}

std::string lines_of(const std::vector<OutputRecord>& files) {
    std::string lines;
    for (const OutputRecord& file : files) lines += json_text(json_of(file)) + "\n";
    return lines;
}

fs::path records(const fs::path& output) {
    return output / kRecordFolder;
}

// Returns the records whose names begin and end so, sorted.
std::vector<fs::path> files_of(const fs::path& output, std::string_view begin, std::string_view end) {
    std::vector<fs::path> files;
    std::error_code failure;
    if (!fs::exists(records(output), failure) && !failure) return files;
    for (fs::directory_iterator it(records(output), failure), last; !failure && it != last; it.increment(failure)) {
        const std::string name = it->path().filename().string();
        if (name.starts_with(begin) && name.ends_with(end)) files.push_back(it->path());
    }
    if (failure) throw Error(ErrorKind::input, "cannot be read: " + failure.message(), records(output).string());
    std::sort(files.begin(), files.end());
    return files;
}

// Calls `use` with each complete line after the position, and moves the position.
template <class Use>
void for_each_line(const fs::path& path, ManifestReader::Position& position, Use use) {
    std::ifstream stream(path, std::ios::binary);
    if (position.offset > 0 && (!stream.seekg(position.offset - 1) || stream.get() != '\n')) {
        stream.clear();
        stream.seekg(0);
        position = {};
    }
    LineReader lines(stream, path.string());
    while (lines.next()) {
        if (!lines.complete()) return;
        try {
            use(lines.line());
        } catch (const Error& error) {
            throw Error(ErrorKind::input, error.problem(), fmt::format("{}:{}", path.string(), position.lines + 1),
                        {"remove the line and process its input again with %1", Setting{"resume"}});
        }
        position.offset += static_cast<std::int64_t>(lines.line().size()) + 1;
        ++position.lines;
    }
}

void write_once(const fs::path& path, const std::string& text) {
    std::error_code ignored;
    if (fs::exists(path, ignored)) return;
    write_durably(path.string(), text);
}

fs::path manifest_path(const fs::path& output, Shard shard) {
    return records(output) / fmt::format("shard-{}-of-{}.jsonl", shard.index, shard.count);
}

fs::path intents_path(const fs::path& output, const std::string& writer) {
    return records(output) / fmt::format("intents-{}.jsonl", writer);
}

// Writes all bytes from `offset` on, ends the file there, and waits until that is on disk. Returns 0 or errno.
int write_end(int file, std::string_view bytes, std::int64_t offset) {
    while (!bytes.empty()) {
        const ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), offset);
        if (written < 0 && errno != EINTR) return errno;
        if (written < 0) continue;
        offset += written;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::ftruncate(file, offset) == 0 && ::fdatasync(file) == 0 ? 0 : errno;
}

// Tries again for a moment: is_at_work locks a manifest for an instant.
bool lock_soon(int file) {
    constexpr int kAttempts = 5;
    for (int i = 0; i < kAttempts; ++i) {
        if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (const FileLock lock = try_lock(file); lock != FileLock::elsewhere) return lock == FileLock::held;
    }
    return false;
}

}  // namespace

std::string manifest_line(const ManifestEntry& entry) {
    Json json;
    put_name(json, "input", entry.input);
    json["size"] = entry.size;
    json["sha256"] = entry.sha256;
    json["outputs"] = Json::array();
    for (const OutputRecord& output : entry.outputs) json["outputs"].push_back(json_of(output));
    json["settings"] = entry.settings;
    json["version"] = entry.version;
    json["backend"] = entry.backend;
    json["frames"] = entry.frames;
    json["faces"] = entry.faces;
    json["seconds"] = entry.seconds;
    json["status"] = name_of(kStatusNames, entry.status);
    json["error"] = entry.error;
    return json_text(json) + "\n";
}

ManifestEntry parse_manifest_line(std::string_view line) {
    try {
        const Json json = parse_json<Json>(line);
        ManifestEntry entry;
        entry.input = get_name(json, "input");
        entry.size = integer_at<std::uint64_t>(json, "size");
        entry.sha256 = json.at("sha256").get<std::string>();
        for (const Json& output : json.at("outputs")) entry.outputs.push_back(output_of(output));
        entry.settings = json.at("settings").get<std::string>();
        entry.version = json.at("version").get<std::string>();
        entry.backend = json.at("backend").get<std::string>();
        entry.frames = integer_at<std::uint64_t>(json, "frames");
        entry.faces = integer_at<std::uint64_t>(json, "faces");
        entry.seconds = json.at("seconds").get<double>();
        const auto name = json.at("status").get<std::string>();
        const std::optional<InputStatus> status = choice_of(kStatusNames, name);
        if (!status) throw Error(ErrorKind::input, "unknown status " + name);
        entry.status = *status;
        entry.error = json.at("error").get<std::string>();
        return entry;
    } catch (const Json::exception& error) {
        throw Error(ErrorKind::input, std::string("is not a line of a manifest: ") + error.what());
    }
}

fs::path temporary_folder(const fs::path& output, Shard shard) {
    return records(output) / fmt::format("tmp-{}-of-{}", shard.index, shard.count);
}

bool is_at_work(const fs::path& output, Shard shard) {
    const fs::path path = manifest_path(output, shard);
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) return false;
    if (file < 0) throw system_error("cannot open the manifest", path, errno);
    const bool locked = try_lock(file, true) == FileLock::elsewhere;
    ::close(file);
    return locked;
}

Manifest::Manifest(const fs::path& output, Shard shard)
    : path_(manifest_path(output, shard)),
      temporary_(throng::temporary_folder(output, shard)),
      intents_path_(intents_path(output, fmt::format("{}-of-{}", shard.index, shard.count))) {
    std::error_code failure;
    fs::create_directories(records(output), failure);
    if (failure) throw system_error("cannot create the folder", records(output).string(), failure.value());
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) throw system_error("cannot create the manifest", path_.string(), errno);
    try {
        if (!lock_soon(file_)) {
            if (errno != EWOULDBLOCK) throw system_error("cannot lock the manifest", path_.string(), errno);
            throw Error(ErrorKind::unavailable, "another process works on this shard", path_.string(),
                        {"wait for it, or choose another %1 or %2", Setting{"shard"}, Setting{"out"}});
        }
        const std::string text = read_file(path_);
        size_ = static_cast<std::int64_t>(text.rfind('\n') + 1);  // npos + 1 is 0
        if (size_ < static_cast<std::int64_t>(text.size())) {
            logger().warn("{}: removed the last line, which is not complete", path_.string());
            if (::ftruncate(file_, size_) != 0)
                throw system_error("cannot truncate the manifest", path_.string(), errno);
        }
        fs::remove_all(temporary_, failure);
        fs::create_directories(temporary_, failure);
        if (failure) throw system_error("cannot create the folder", temporary_.string(), failure.value());
    } catch (...) {
        ::close(file_);
        throw;
    }
}

Manifest::~Manifest() {
    std::error_code ignored;
    fs::remove_all(temporary_, ignored);
    if (intents_ >= 0) ::close(intents_);
    ::close(file_);
}

void Manifest::append(std::string_view lines) {
    const int code = write_end(file_, lines, size_);
    if (code != 0) {
        static_cast<void>(!::ftruncate(file_, size_));
        throw system_error("cannot write the manifest", path_.string(), code);
    }
    size_ += static_cast<std::int64_t>(lines.size());
}

void Manifest::intend(const std::vector<OutputRecord>& files) {
    if (files.empty()) return;
    const bool is_new = intents_ < 0;
    if (is_new) {
        intents_ = ::open(intents_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (intents_ < 0) throw system_error("cannot create the file of intents", intents_path_.string(), errno);
        intents_begin_ = ::lseek(intents_, 0, SEEK_END);
    }
    // A crash may have cut the line before.
    const int code = write_end(intents_, (intents_begin_ > 0 ? "\n" : "") + lines_of(files), intents_begin_);
    if (code != 0) throw system_error("cannot write the file of intents", intents_path_.string(), code);
    if (!is_new) return;
    // The manifest, too, must be found after a crash.
    sync_path(path_.parent_path());
    sync_path(path_.parent_path().parent_path());
}

void Manifest::forget_intents() {
    if (intents_ < 0) return;
    static_cast<void>(!::ftruncate(intents_, intents_begin_));
    std::error_code ignored;
    if (intents_begin_ > 0) return;
    fs::remove(intents_path_, ignored);
    ::close(std::exchange(intents_, -1));
}

std::vector<OutputRecord> read_intents(const fs::path& output) {
    std::vector<OutputRecord> files;
    for (const fs::path& path : files_of(output, "intents-", ".jsonl")) {
        std::ifstream stream(path, std::ios::binary);
        if (!stream) continue;  // removed by its process
        for (LineReader lines(stream, path.string()); lines.next();) {
            const Json record = parse_json<Json>(lines.line(), false);
            try {
                files.push_back(output_of(record));
            } catch (const std::exception&) {  // cut short
            }
        }
    }
    return files;
}

void write_intents(const fs::path& output, const std::string& writer, const std::vector<OutputRecord>& files) {
    write_durably(intents_path(output, writer).string(), lines_of(files));
}

void write_list(const fs::path& output, const std::vector<WorkItem>& list, const std::vector<std::string>& left_out) {
    std::string lines;
    const auto add = [&](const std::string& key, const std::string& name) {
        Json json;
        put_name(json, key, name);
        lines += json_text(json) + "\n";
    };
    for (const WorkItem& item : list) add("input", item.name);
    for (const std::string& name : std::set<std::string>(left_out.begin(), left_out.end())) add("left_out", name);
    write_once(records(output) / ("list-" + sha256_of_text(lines) + ".jsonl"), lines);
}

void write_settings(const fs::path& output, const std::string& hash, const std::string& settings) {
    write_once(records(output) / ("settings-" + hash + ".json"), settings);
}

void ManifestReader::read(const Use& use) {
    for (const fs::path& path : files_of(output_, "shard-", ".jsonl")) {
        for_each_line(path, positions_[path], [&](std::string_view line) { use(path, parse_manifest_line(line)); });
    }
}

void read_manifests(const fs::path& output, const ManifestReader::Use& use) {
    ManifestReader(output).read(use);
}

InputLists read_lists(const fs::path& output) {
    InputLists lists;
    for (const fs::path& path : files_of(output, "list-", ".jsonl")) {
        ManifestReader::Position start;
        for_each_line(path, start, [&](std::string_view line) {
            try {
                const Json json = parse_json<Json>(line);
                const bool left_out = json.contains("left_out");
                (left_out ? lists.left_out : lists.inputs).insert(get_name(json, left_out ? "left_out" : "input"));
            } catch (const Json::exception& error) {
                throw Error(ErrorKind::input, std::string("is not a line of a list: ") + error.what());
            }
        });
    }
    return lists;
}

std::string read_settings(const fs::path& output, const std::string& hash) {
    const fs::path path = records(output) / ("settings-" + hash + ".json");
    std::error_code ignored;
    return fs::exists(path, ignored) ? read_file(path) : std::string();
}

void sync_path(const fs::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    int code = file < 0 ? errno : 0;
    if (file >= 0 && ::fsync(file) != 0 && errno != EINVAL) code = errno;
    if (file >= 0) ::close(file);
    if (code != 0) throw system_error("cannot write to disk", path.string(), code);
}

}  // namespace throng
