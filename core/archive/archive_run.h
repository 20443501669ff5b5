// Processes the inputs of one shard on several threads: each input once, outputs and records safe against a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/archive/manifest.h"
#include "core/archive/work_list.h"

namespace throng {

// Summarizes the processing of one input.
struct InputResult {
    std::uint64_t frames = 0;
    std::uint64_t faces = 0;
    std::string backend;     // that computed it: "cpu", "cuda"
    std::string incomplete;  // why the outputs cover only a part of the input; normally empty
    bool elsewhere = false;  // another process works on the item, or has finished it: nothing is written or recorded
    std::shared_ptr<void> claim{};  // kept until the record is on disk, then destroyed
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

// The SHA-256 of files that are read several times; they are hashed again after a change. Threads that ask for one file
// at the same time wait for the first of them. Thread-safe.
class FileHashes {
public:
    FileHashes();
    ~FileHashes();
    // Throws as sha256_of does.
    [[nodiscard]] std::string of(const std::string& path, const std::stop_token& stop);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

// Returns true if the file has the recorded size and SHA-256. hashes: null, or of files that are asked for repeatedly.
// Throws Error(interrupted) after a stop request.
[[nodiscard]] bool is_as_recorded(const std::filesystem::path& path, const OutputRecord& record,
                                  FileHashes* hashes = nullptr, const std::stop_token& stop = {});

struct ArchiveOptions {
    std::filesystem::path output;  // folder of the outputs; created if missing
    Shard shard;
    bool resume = false;     // skip inputs with an output of the same input bytes and settings, whichever shard made it
    bool fail_fast = false;  // end at the first input that fails
    int workers = 1;         // inputs processed at the same time
    std::string settings;    // text of everything that changes the outputs; its SHA-256 identifies the settings
    std::string version;     // of the program
    std::vector<std::string> left_out;  // names of files in the folders that are no inputs, for the report
    std::shared_ptr<FileHashes> hashes = std::make_shared<FileHashes>();  // of videos that are divided into parts
    // Returns the outputs of an input: relative paths below the output folder.
    std::function<std::vector<std::string>(const WorkItem&)> outputs_of;
    // Returns the files that an input consists of: item.path, then those that it names, such as the segments of a
    // playlist. Called when the input is processed, so that a list costs no look at its files. Default: item.path.
    std::function<std::vector<std::string>(const WorkItem&)> files_of;
    // Makes the function that worker 0 to workers - 1 calls. Called on the worker's thread, before its first input; an
    // error ends the run.
    std::function<ProcessInput(int worker)> make_worker;
    // Returns the items of the list that the shard processes. Default: select_shard.
    std::function<std::vector<WorkItem>(const std::vector<WorkItem>& list, Shard shard)> select = select_shard;
    // Called on the calling thread a few times a second. Optional.
    std::function<void(const ArchiveProgress&)> on_progress;
};

// Processes the shard's part of a list made by make_work_list. Blocks until all inputs are finished or a stop is
// requested. The largest inputs go first, so that no worker is left alone with one at the end.
//
// An output is written under a temporary name and flushed to disk; an intent that names it is written and flushed; it
// is renamed; then its line in the manifest is written and flushed. This is done in batches by a thread of its own.
// After a crash at any time, --resume finds every input either recorded with complete outputs or not recorded.
//
// Below the output folder, only files that a record or an intent names, with the recorded SHA-256, are replaced or
// removed (own_files.h). An input whose output was changed since has failed. So has one that changes while it is
// processed. An input that cannot be read keeps its earlier result.
//
// Throws Error(usage) if the shard already has records and `resume` is not set, or an output would replace an input,
// another output, or a file that no record names; Error(unavailable) if another process works on the shard;
// Error(input) if an output cannot be written; and what ProcessInput and make_worker throw. Records of finished inputs
// are on disk also after an error and after a stop.
ArchiveProgress run_archive(const std::vector<WorkItem>& list, const ArchiveOptions& options,
                            const std::stop_token& stop);

// Throws as run_archive does for a run that cannot begin. Creates the output folder and an empty manifest.
void check_archive(const std::vector<WorkItem>& list, const ArchiveOptions& options);

// Returns the hash that identifies the content of an input, with the files that it names. Throws Error(input), and
// Error(interrupted) after a stop request.
[[nodiscard]] std::string content_hash(const WorkItem& item, const ArchiveOptions& options,
                                       const std::stop_token& stop = {});

// Returns the names of the inputs that run_archive would skip with `resume`. Hashes those that have a result. Throws
// Error(interrupted) after a stop request.
[[nodiscard]] std::set<std::string> finished_inputs(const std::vector<WorkItem>& items, const ArchiveOptions& options,
                                                    const std::stop_token& stop = {});

}  // namespace throng
