// Flushes outputs and their records to disk in batches.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/archive/manifest.h"
#include "core/archive/own_files.h"
#include "core/base/stage_thread.h"

namespace throng {

// An input that is finished: its outputs are still temporary files, in the order of entry.outputs.
struct FinishedInput {
    ManifestEntry entry;
    std::vector<std::string> temporaries;  // empty if the input failed
    std::vector<std::string> stale;        // outputs of an earlier run to remove if they are ours
    std::shared_ptr<void> held{};          // destroyed when the record is on disk: Task::held
};

// Writes intents, renames outputs and then writes the records, in this order on disk, on a thread of its own.
class Committer {
public:
    // The manifest and the stop of its use belong to the committer until close returns.
    Committer(std::filesystem::path output, Manifest& manifest, OwnFiles& own);
    ~Committer();  // as close, without errors
    Committer(const Committer&) = delete;
    Committer& operator=(const Committer&) = delete;

    // Blocks while several batches are waiting. Thread-safe. Throws the error of an earlier batch: an Error(input),
    // also for an output that would replace a file that is not ours.
    void push(FinishedInput input);

    // Writes what is waiting and ends the thread. Throws the error of a batch. Idempotent.
    void close();

private:
    void write(const std::vector<FinishedInput>& batch);
    void remove(const std::string& stale);

    const std::filesystem::path output_;
    Manifest& manifest_;
    OwnFiles& own_;
    StageThread<FinishedInput> thread_;  // last: it uses the others
};

}  // namespace throng
