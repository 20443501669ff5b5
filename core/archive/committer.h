// Flushes outputs and their records to disk in batches.
#pragma once

#include <condition_variable>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/archive/manifest.h"

namespace throng {

// An input that is finished: its outputs are still temporary files, in the order of entry.outputs.
struct FinishedInput {
    ManifestEntry entry;
    std::vector<std::string> temporaries;  // empty if the input failed
    std::vector<std::string> stale;        // outputs of an earlier run to remove, relative to the output folder
    std::shared_ptr<void> claim{};         // destroyed when the record is on disk
};

// Renames outputs and then writes the records, in this order on disk, on a thread of its own.
class Committer {
public:
    // The manifest and the stop of its use belong to the committer until close returns.
    Committer(std::filesystem::path output, Manifest& manifest);
    ~Committer();  // as close, without errors
    Committer(const Committer&) = delete;
    Committer& operator=(const Committer&) = delete;

    // Blocks while several batches are waiting. Thread-safe. Throws the error of an earlier batch: an Error(input).
    void push(FinishedInput input);

    // Writes what is waiting and ends the thread. Throws the error of a batch. Idempotent.
    void close();

private:
    void run();
    void write(const std::vector<FinishedInput>& batch);

    const std::filesystem::path output_;
    Manifest& manifest_;
    std::mutex mutex_;  // guards the members below
    std::condition_variable changed_;
    std::vector<FinishedInput> waiting_;
    bool closing_ = false;
    std::exception_ptr failure_;
    std::thread thread_;
};

}  // namespace throng
