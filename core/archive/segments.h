// The parts of a long video: names and times, pure functions of the video and the length of a part, and what is
// recorded about them.
//
// Parts have a folder and records of their own, .throng/parts below the output folder, as if it were the output folder
// of an archive: they are no results, so `throng merge` does not read them.
//
//     clip.mp4.150s/00002-of-00012.jsonl          the detections of a part
//     clip.mp4.150s/HASH/00002-of-00012.part      its encoded frames. HASH identifies the detections of all parts
//     locks                                       byte ranges that are locked by those who encode and join
//     divisions/                                  into how many parts each file is divided
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/archive/manifest.h"
#include "core/archive/own_files.h"
#include "core/archive/work_list.h"

namespace throng {

// The files of the parts of a video do not add up to its frames.
class PartsDoNotJoin : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Part p, from 1 to `parts`, has the frames with begin_of(p) <= pts < end_of(p).
struct SplitVideo {
    std::string name;  // WorkItem::name of the video
    double seconds = 0;
    int parts = 1;
    std::filesystem::path folder;  // of all parts of the archive
    std::string detections{};      // of encoded parts: identifies what they were made by; empty: parts with detections

    [[nodiscard]] double begin_of(int part) const { return (part - 1) * seconds; }
    [[nodiscard]] double end_of(int part) const;  // of the last part: infinity
    // Returns the folder of the video's parts, relative to `folder`.
    [[nodiscard]] std::string subfolder() const;
    [[nodiscard]] std::string name_of(int part) const;    // WorkItem::name of the part
    [[nodiscard]] std::string output_of(int part) const;  // relative to `folder`
    [[nodiscard]] std::filesystem::path file_of(int part) const;
    [[nodiscard]] std::vector<std::filesystem::path> files() const;  // of all parts, in order
    [[nodiscard]] std::string text_of(int part) const;               // "segment 2 of 12", "encoded segment 2 of 12"
};

// Returns the folder of all parts of an archive.
[[nodiscard]] std::filesystem::path parts_folder(const std::filesystem::path& output);

// Returns the parts as items. video.split must be set.
[[nodiscard]] std::vector<WorkItem> parts_of(const WorkItem& video);

// Returns the shard of each part by its name, from the list of all parts.
[[nodiscard]] std::map<std::string, int> shards_of(const std::vector<WorkItem>& parts, int count);

// The records of all parts of an archive that were made with the same settings and version. Const members may be called
// by several threads at once.
class PartRecords {
public:
    // Throws as update does.
    PartRecords(const std::filesystem::path& output, std::string settings_hash, std::string version);

    // Adds what was recorded since. Throws Error(input) as ManifestReader::read does.
    void update();

    // Returns which parts are not there yet, and why: "2 of 12 segments: 3 (missing), 7 (other settings)". Empty if all
    // are recorded, failed ones included.
    [[nodiscard]] std::string missing(const SplitVideo& video) const;

    // Returns the numbers of these parts. sha256: only records of this content count; empty: those of any content.
    [[nodiscard]] std::vector<int> missing_parts(const SplitVideo& video, const std::string& sha256 = {}) const;

    // Returns true if this part of this content is recorded, and its file exists.
    [[nodiscard]] bool has(const SplitVideo& video, int part, const std::string& sha256) const;

    // Returns the content that all parts have a result of; empty if there is none.
    [[nodiscard]] std::string content_of(const SplitVideo& video) const;

    // Returns the recorded files of all parts. Throws Error(input) if a part failed, or belongs to another content of the
    // video than sha256. The parts must not be missing.
    [[nodiscard]] std::vector<OutputRecord> results(const SplitVideo& video, const std::string& sha256) const;

    // Returns the encoded parts that are made by the parts of this content. Throws as results.
    [[nodiscard]] std::shared_ptr<const SplitVideo> encoded(const SplitVideo& video, const std::string& sha256) const;

    // Returns what the parts of this content lack of the video, failed ones included; normally empty. Parts may be missing.
    [[nodiscard]] std::string incomplete(const SplitVideo& video, const std::string& sha256) const;

private:
    [[nodiscard]] const ManifestEntry* result_of(const std::string& part, const std::string& sha256) const;

    ManifestReader manifests_;
    std::string settings_hash_;
    std::string version_;
    std::map<std::string, std::vector<ManifestEntry>> entries_;  // by name of the part
    std::map<std::string, std::string> others_;  // parts with other settings or of another version: which
};

// Returns what missing() would return for a video whose list of parts is below the output folder, for any settings.
// Empty if it has no list of parts.
[[nodiscard]] std::string missing_parts(const std::filesystem::path& output, const std::string& name);

// Removes all parts of a video and its plan, at once for other processes. Keeps them, with a warning, if their folder has
// a file that no record names. own: of the folder of parts. shard: of the caller, which has a folder for files that are
// removed after a crash. Throws Error(input) if records cannot be read.
void discard_parts(const SplitVideo& video, Shard shard, OwnFiles& own);

// Claims of work against other processes, and within this one. One open file holds any number of them: each is a byte
// range of its own, at a place that the name decides. Thread-safe.
class WorkClaims {
public:
    // Held until it is destroyed or the process dies; null: another one has it. May outlive the WorkClaims.
    using Claim = std::shared_ptr<void>;

    // folder: of all parts; created with its file of locks. Throws Error(unavailable) if that fails.
    explicit WorkClaims(const std::filesystem::path& folder);

    // name: of a video to join, or of a part to encode. Throws Error(unavailable) if locking fails for another reason
    // than that somebody has the lock.
    [[nodiscard]] Claim claim(const std::string& name);

private:
    class File;
    std::shared_ptr<File> file_;
};

// Into how many parts a file is divided.
struct Division {
    int parts = 1;
    std::string why_whole;  // why there is only one part: "its format cannot seek"
    bool expected = true;   // the reason is no surprise: the file is short, or no video
};

// What the shards find out about the files of a list before they divide them: each file is opened by one of them,
// whichever comes first. Not thread-safe.
class SharedDivisions {
public:
    // folder: of all parts. seconds: the length of a part. Throws as Manifest does.
    SharedDivisions(const std::filesystem::path& folder, Shard shard, double seconds, std::string version);
    ~SharedDivisions();

    // Returns what a shard found for this state of the file, if it is known. Looks for news of the others at most once
    // a second.
    [[nodiscard]] std::optional<Division> find(const WorkItem& item);
    // Records what was found.
    void add(const WorkItem& item, const Division& division);

private:
    void update();
    void flush();

    Manifest manifest_;
    ManifestReader reader_;
    std::string settings_;
    std::string version_;
    std::map<std::string, std::pair<std::string, Division>> known_;  // by name: state of the file
    std::string lines_;                                              // not recorded yet
    std::optional<std::chrono::steady_clock::time_point> updated_;
};

}  // namespace throng
