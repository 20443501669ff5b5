// Runs a command over an archive: options of lists and shards, progress, totals, exit status.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/options/cli_fwd.h"
#include "app/options/command.h"
#include "core/archive/archive_run.h"
#include "core/base/message.h"
#include "core/detect/detector.h"

namespace throng {

struct ArchiveArguments {
    std::string out;                    // --out DIR
    std::string files_from;             // --files-from LIST, "-" for standard input
    std::string shard = "1/1";          // --shard I/N
    bool resume = false;                // --resume
    bool fail_fast = false;             // --fail-fast
    std::uint64_t memory = 0;           // --memory SIZE, in bytes; 0: half of the machine's
    bool json_progress = false;         // --progress json
    double segment = 0;                 // --segment SECONDS; 0: files are not divided
    const CLI::App* command = nullptr;  // set by add_archive_options

    [[nodiscard]] bool requested() const noexcept { return !out.empty(); }
};

// Adds --files-from, --shard, --segment, --resume, --fail-fast, --memory and --progress. The command has --out.
void add_archive_options(CLI::App& command, ArchiveArguments& arguments);

// Throws Error(usage) for an option that applies to archives only, if it was given without. what_to_do: "add --out
// DIR".
void reject_archive_options(const ArchiveArguments& arguments, const Message& what_to_do);

// Returns the values of all options that change results, as a JSON object, and the hash of the model: equal texts mean
// equal results on the same backend. contents: an object that replaces values by name, for options that name files. To
// be called after the configuration file is applied.
[[nodiscard]] std::string archive_settings(const CLI::App& command, const DetectorParams& detector,
                                           const nlohmann::json* contents = nullptr);

// Returns the limit of --memory in bytes.
[[nodiscard]] std::uint64_t memory_limit(const ArchiveArguments& arguments);

// Returns the spec that opens the file of an input: names such as "camera:0" and "http:..." are files here.
[[nodiscard]] std::string file_spec(const WorkItem& item);

// Holds what a command provides: settings, outputs_of, files, parts and encoded_parts of the options, and this.
struct ArchiveWork : ArchiveOptions {
    NameOfInput name_of = name_by_path;  // of inputs on the command line; those of --files-from have their path
    std::function<void(const std::vector<WorkItem>&)> use_list{};  // called with the whole list, first; optional
};

// Runs the command over files and folders, and those of --files-from. Shows the progress, prints totals of each stage.
// Returns the
// exit status: 3 if an input failed or is incomplete, 130 after an interruption. An InterruptGuard must exist. Throws
// as make_work_list and run_archive do, and Error(input) if one of `paths` does not exist.
[[nodiscard]] int run_archive_command(const std::vector<std::string>& paths, const ArchiveArguments& arguments,
                                      const ArchiveWork& work, const CommonOptions& common);

}  // namespace throng
