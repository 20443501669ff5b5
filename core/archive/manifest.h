// The records of a run over an archive, in the folder .throng below the output folder:
//
//     shard-I-of-N.jsonl    the manifest of a shard: one JSON line per processed input
//     intents-I-of-N.jsonl  outputs that are about to get their names: one JSON line each
//     intents-report.jsonl  the same for files beside the results: the common report
//     list-HASH.jsonl       the names of all inputs of the whole list, one JSON line each, and of what was left out
//     settings-HASH.json    the settings whose hash the lines name
//     tmp-I-of-N/           outputs that are not complete yet
//
// Nothing here holds the time of day, so clocks that differ between machines have no effect.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/archive/work_list.h"

namespace throng {

inline constexpr std::string_view kRecordFolder = ".throng";

enum class InputStatus : std::uint8_t {
    done,
    incomplete,  // the readable part of a damaged input was processed; its outputs exist
    failed,      // no outputs
};

struct OutputRecord {
    std::string name;        // relative path below the output folder
    std::uint64_t size = 0;  // bytes
    std::string sha256;
};

// One line of a manifest.
struct ManifestEntry {
    std::string input;       // WorkItem::name
    std::uint64_t size = 0;  // bytes of the input
    std::string sha256;      // of the input; empty if it could not be read
    std::vector<OutputRecord> outputs;
    std::string settings;  // hash of the settings
    std::string version;   // of the program
    std::string backend;   // "cpu", "cuda"; empty if the input failed before
    std::uint64_t frames = 0;
    std::uint64_t faces = 0;
    double seconds = 0;  // of work on the input
    InputStatus status = InputStatus::done;
    std::string error;  // why the input failed or is incomplete; otherwise empty
};

// Returns the line with its line feed. A name that is not UTF-8 is as name_as_text returns it, with its bytes in
// hexadecimal digits in the key "input_hex" or "name_hex".
[[nodiscard]] std::string manifest_line(const ManifestEntry& entry);

// Throws Error(input) if the line is not one of manifest_line.
[[nodiscard]] ManifestEntry parse_manifest_line(std::string_view line);

// The manifest of one shard, open for appending. Not thread-safe.
class Manifest {
public:
    // Opens or creates the manifest below the output folder and locks it until the object is destroyed or the process
    // dies. Removes a last line that a crash cut short. Throws Error(unavailable) if another process works on this
    // shard: job engines try again. Throws Error(input) if the file cannot be written.
    Manifest(const std::filesystem::path& output, Shard shard);
    ~Manifest();
    Manifest(const Manifest&) = delete;
    Manifest& operator=(const Manifest&) = delete;

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    // Returns the folder for incomplete outputs: exists and is empty after construction.
    [[nodiscard]] const std::filesystem::path& temporary_folder() const noexcept { return temporary_; }

    // Appends lines and waits until they are on disk. Throws Error(input) on failure, and leaves no part of the lines.
    void append(std::string_view lines);

    // Records files that are about to get their names, and waits until that is on disk. Replaces the files of the last
    // call, whose lines must be appended by now. Files that an earlier process left there remain. Throws Error(input).
    void intend(const std::vector<OutputRecord>& files);
    // Forgets the files of the last call. To be called after their lines are appended.
    void forget_intents();

private:
    std::filesystem::path path_;
    std::filesystem::path temporary_;
    std::filesystem::path intents_path_;
    int file_ = -1;
    int intents_ = -1;
    std::int64_t size_ = 0;           // bytes
    std::int64_t intents_begin_ = 0;  // bytes of an earlier process
};

// Returns the files of all intents below the output folder. Skips lines that a crash cut short: their files have no
// names yet.
[[nodiscard]] std::vector<OutputRecord> read_intents(const std::filesystem::path& output);
// Replaces the intents of a writer that is no shard. On disk on return. Throws Error(input).
void write_intents(const std::filesystem::path& output, const std::string& writer,
                   const std::vector<OutputRecord>& files);

// Returns the folder for the incomplete outputs of a shard. Its manifest empties it when it is opened.
[[nodiscard]] std::filesystem::path temporary_folder(const std::filesystem::path& output, Shard shard);

// Returns true while a process has the manifest of the shard open. Throws Error(input) if that cannot be found out.
[[nodiscard]] bool is_at_work(const std::filesystem::path& output, Shard shard);

// Writes the list and the settings below the output folder, unless they are there. left_out: names of files that are no
// inputs. Throws Error(input).
void write_list(const std::filesystem::path& output, const std::vector<WorkItem>& list,
                const std::vector<std::string>& left_out);
void write_settings(const std::filesystem::path& output, const std::string& hash, const std::string& settings);

// Reads the manifests below the output folder while shards append to them. Not thread-safe.
class ManifestReader {
public:
    using Use = std::function<void(const std::filesystem::path& manifest, ManifestEntry&&)>;

    explicit ManifestReader(std::filesystem::path output) : output_(std::move(output)) {}

    // Calls `use` with each line that was appended since the last call, in the order of file names and lines. A last
    // line that is not complete is left to the next call: its writer is at work or was killed. Reads a manifest from its
    // start again if a failed append was removed from it. Throws Error(input) for a damaged line or an unreadable file;
    // returns without a call if there are no records.
    void read(const Use& use);

    struct Position {
        std::int64_t offset = 0;  // bytes
        std::size_t lines = 0;
    };

private:
    std::filesystem::path output_;
    std::map<std::filesystem::path, Position> positions_;  // by manifest
};

// Reads all lines once, as ManifestReader does.
void read_manifests(const std::filesystem::path& output, const ManifestReader::Use& use);

struct InputLists {
    std::set<std::string> inputs;    // names
    std::set<std::string> left_out;  // of files in their folders
};
// Returns what is in all lists below the output folder. Throws Error(input) as read_manifests.
[[nodiscard]] InputLists read_lists(const std::filesystem::path& output);

// Returns the text of settings-HASH.json; empty if the file does not exist.
[[nodiscard]] std::string read_settings(const std::filesystem::path& output, const std::string& hash);

// Flushes a file or folder to disk. Throws Error(input).
void sync_path(const std::filesystem::path& path);

}  // namespace throng
