// Which files below an output folder are ours: a run replaces and removes no others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/archive/manifest.h"

namespace throng {

// The files that records or intents of any shard name. Thread-safe.
class OwnFiles {
public:
    explicit OwnFiles(std::filesystem::path output) : output_(std::move(output)), manifests_(output_) {}

    // Returns true if this name is free below the output folder: there is no file, folder or link.
    [[nodiscard]] bool is_free(const std::string& name) const;

    // Both read the records when they are needed first, and again for a file that they do not know: other shards add
    // to them. Throw Error(input) as ManifestReader::read does.
    // Returns true if a record or an intent names the file, whatever it holds now; with `size`, one of this size.
    [[nodiscard]] bool has_record_of(const std::string& name, std::optional<std::uint64_t> size = std::nullopt);
    // Returns true if the file also is a regular file of the recorded size and SHA-256. Reads the file:
    // it and why_kept throw Error(interrupted) after a stop request.
    [[nodiscard]] bool owns(const std::string& name, const std::stop_token& stop = {});

    // Returns why a file cannot get this name, with its path: another one must not be replaced, or the name is too long.
    // Empty if the name is free or the file ours.
    [[nodiscard]] std::string why_kept(const std::string& name, const std::stop_token& stop = {});

    // Gives a file its name. The name must be intended. Throws Error(input) if why_kept is not empty, or the file
    // cannot be renamed.
    void place(const std::filesystem::path& file, const std::string& name);

private:
    using Version = std::pair<std::uint64_t, std::string>;  // size, SHA-256
    void update();

    const std::filesystem::path output_;
    std::mutex mutex_;  // guards the members below
    ManifestReader manifests_;
    std::map<std::string, std::vector<Version>> versions_;  // by name
};

// Gives finished files beside the results, such as a common report, their names below the output folder. Records them
// first. Throws Error(input) as OwnFiles::place does; no file is replaced then unless all can be. files: path, name.
void place_beside_results(const std::filesystem::path& output,
                          const std::vector<std::pair<std::filesystem::path, std::string>>& files);

}  // namespace throng
