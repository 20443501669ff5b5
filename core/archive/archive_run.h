// Processes the inputs of one shard on several threads: each input once, outputs and records safe against a crash.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/archive/manifest.h"
#include "core/archive/segments.h"
#include "core/archive/work_list.h"
#include "core/base/input_file.h"

namespace throng {

// Summarizes the processing of one input.
struct InputResult {
    std::uint64_t frames = 0;
    std::uint64_t faces = 0;
    std::string backend;     // that computed it: "cpu", "cuda"
    std::string incomplete;  // why the outputs cover only a part of the input; normally empty
};

// Reads item.path and writes its outputs to `outputs`: temporary files in the order of ArchiveOptions::outputs_of and
// with their extensions. It must close them before it returns. It may report frames at any time through `add_frames`.
//
// Throws Error(input), an Error whose where() is one of `outputs`, or an exception that is no Error, for an input that
// cannot be processed: the run records it and goes on. A DiskError whose where() is one of `outputs` means that nothing
// can be written there, and ends the run, as other Errors of kind usage, unavailable or internal do. After a stop
// request it throws Error(interrupted), or returns: the result is discarded.
using ProcessInput =
    std::function<InputResult(const WorkItem& item, const std::vector<std::string>& outputs,
                              const std::function<void(std::uint64_t)>& add_frames, const std::stop_token& stop)>;

// The work of a run on an item.
enum class Stage : std::uint8_t {
    part,          // finds the detections of a part of a video
    file,          // processes a file as a whole, or joins the parts of a video
    encoded_part,  // encodes a part of a video
};
// Returns what a stage processes: "segment", "file", "encoded segment".
[[nodiscard]] const char* name_of(Stage stage);

// A value for each stage.
template <typename T>
struct PerStage {
    std::array<T, 3> values{};
    [[nodiscard]] T& operator[](Stage stage) { return values.at(static_cast<std::size_t>(stage)); }
    [[nodiscard]] const T& operator[](Stage stage) const { return values.at(static_cast<std::size_t>(stage)); }
};

struct ArchiveProgress {
    std::size_t inputs = 0;      // in the shard
    std::size_t finished = 0;    // done, incomplete, failed or skipped
    std::size_t skipped = 0;     // their outputs exist (--resume), or another process makes them
    std::size_t incomplete = 0;  // with those that were skipped
    std::size_t failed = 0;
    std::uint64_t frames = 0;  // processed in this run
    std::uint64_t faces = 0;
    std::uint64_t bytes = 0;           // of the inputs in the shard
    std::uint64_t finished_bytes = 0;  // of the inputs that are finished
};

using ArchiveTotals = PerStage<ArchiveProgress>;

// The SHA-256 of files that are read several times; they are hashed again after a change. Threads that ask for one file
// at the same time wait for the first of them. Thread-safe.
class FileHashes {
public:
    // Throws as sha256_of does.
    [[nodiscard]] std::string of(const std::string& path, const std::stop_token& stop);

private:
    std::mutex mutex_;  // guards the members below
    std::condition_variable_any hashed_;
    std::set<std::string> in_work_;                                    // paths
    std::map<std::string, std::pair<FileState, std::string>> hashes_;  // by path
};

// Returns true if the file has the recorded size and SHA-256. hashes: null, or of files that are asked for repeatedly.
// Throws Error(interrupted) after a stop request.
[[nodiscard]] bool is_as_recorded(const std::filesystem::path& path, const OutputRecord& record,
                                  FileHashes* hashes = nullptr, const std::stop_token& stop = {});

// How the items of a stage are processed.
struct StageWork {
    // Returns how many of so many items are processed at the same time.
    std::function<int(std::size_t items)> workers = [](std::size_t) { return 1; };
    // Makes the function that one of the workers calls. Called on the worker's thread, before its first item of the
    // stage; an error ends the run.
    std::function<ProcessInput(int worker, int workers)> make_worker{};
};

struct ArchiveOptions {
    std::filesystem::path output;  // folder of the outputs; created if missing
    Shard shard;
    bool resume = false;     // skip inputs with an output of the same input bytes and settings, whichever shard made it
    bool fail_fast = false;  // end at the first input that fails
    std::string settings;    // text of everything that changes the outputs; its SHA-256 identifies the settings
    std::string version;     // of the program
    std::vector<std::string> left_out;  // names of files in the folders that are no inputs, for the report
    // Returns the outputs of an input: relative paths below the output folder.
    std::function<std::vector<std::string>(const WorkItem&)> outputs_of;
    // Returns the files that an input consists of: item.path, then those that it names, such as the segments of a
    // playlist. Called when the input is processed, so that a list costs no look at its files. Default: item.path.
    std::function<std::vector<std::string>(const WorkItem&)> files_of;
    StageWork files;  // with `segment` also videos that are joined: item.split is set, and its parts are all there
    // Length of the parts of videos in seconds; 0: files are not divided.
    double segment = 0;
    // Returns into how many parts a file is divided.
    std::function<Division(const WorkItem&, const std::stop_token&)> divide{};
    StageWork parts;          // item.part is set; one output in the folder of parts
    StageWork encoded_parts;  // likewise; without make_worker, parts with detections are joined
    // Called on the calling thread a few times a second. Optional.
    std::function<void(const ArchiveTotals&)> on_progress{};
};

// Processes the shard's part of a list made by make_work_list. Blocks until all inputs are finished or a stop is
// requested. The largest inputs go first, so that no worker is left alone with one at the end.
//
// With `segment`, each worker takes the next piece of work that this process can do (work_queue.h): a part of the shard,
// a file of the shard that is not divided, a video to join whose parts are all there, whichever shards made them, or any
// part to encode that nobody has. So the last of all shards to finish its parts finds all of them there. A video that
// waits for parts of other shards is reported, and is no failure.
//
// An output is written under a temporary name and flushed to disk; an intent that names it is written and flushed; it
// is renamed; then its line in the manifest is written and flushed. This is done in batches by a thread of its own.
// After a crash at any time, --resume finds every input either recorded with complete outputs or not recorded.
//
// Below the output folder, only files that a record or an intent names, with the recorded SHA-256, are replaced or
// removed (own_files.h). An input whose output was changed since has failed. So has one that changes while it is
// processed. An input that cannot be read keeps its earlier result.
//
// Throws Error(usage) if no output folder is named, the shard already has records and `resume` is not set, or an output
// would replace an input, another output, or a file that no record names; Error(unavailable) if another process works on
// the shard; Error(input) if an output cannot be written; and what ProcessInput and make_worker throw. Records of
// finished inputs are on disk also after an error and after a stop.
ArchiveTotals run_archive(const std::vector<WorkItem>& list, const ArchiveOptions& options,
                          const std::stop_token& stop);

}  // namespace throng
