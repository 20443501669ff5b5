// Joins the results of all shards of an archive: checks that every input is there once, then writes one result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/archive/manifest.h"
#include "core/base/output_file.h"

namespace throng {

// The outputs of detect have the name of the input and one of these.
inline constexpr std::string_view kLinesExtension = ".jsonl";
inline constexpr std::string_view kEventsExtension = ".events.jsonl";
inline constexpr std::string_view kPerMinuteExtension = ".per-minute.csv";

struct MergeTotals {
    std::size_t inputs = 0;
    std::size_t incomplete = 0;
    std::size_t failed = 0;
    std::uint64_t bytes = 0;  // of the inputs
    std::uint64_t frames = 0;
    std::uint64_t faces = 0;
    double seconds = 0;                           // of work, over all workers
    std::map<std::string, std::size_t> backends;  // number of inputs by backend
};

class ArchiveMerge {
public:
    // Reads the records below the output folders. A later line of a manifest replaces an earlier one for the same
    // input, and a result replaces a failure. Throws Error(input) if a folder has no records or they are damaged, and
    // Error(usage) if a folder is given twice.
    explicit ArchiveMerge(const std::vector<std::filesystem::path>& folders);

    // Returns a line for every problem that makes the results incomplete or ambiguous: inputs that are missing or were
    // processed twice, results of different settings or versions, outputs that are missing or changed. Reads every
    // output. Empty if the results can be merged. Throws Error(interrupted) after a stop request.
    [[nodiscard]] std::vector<std::string> problems(const std::stop_token& stop = {}) const;

    // Returns the lines of problems() for results of different settings or versions. Opens no output.
    [[nodiscard]] std::vector<std::string> mixed() const;
    // Returns the command that made the results: "detect", "anonymize". Empty if there are none.
    [[nodiscard]] std::string command() const;

    // Calls `use` with the record of each input and the output folder that it belongs to, sorted by input.
    void for_each(const std::function<void(const ManifestEntry&, const std::filesystem::path&)>& use) const;

    // Returns the names of the files in the folders of inputs that are no inputs, and were left out.
    [[nodiscard]] const std::set<std::string>& left_out() const { return left_out_; }

    [[nodiscard]] MergeTotals totals() const;
    // Returns the entries that failed or are incomplete, sorted by input.
    [[nodiscard]] std::vector<ManifestEntry> failures() const;
    // Returns all outputs and records, to protect them from being overwritten.
    [[nodiscard]] std::vector<std::filesystem::path> files() const;

    // Returns whether inputs have an output with this extension.
    [[nodiscard]] bool has(std::string_view extension) const;

    // Write what all outputs hold, in the order of inputs. "source_number" becomes the position of the input, from 1.
    // The CSV has one row per detection, and the column "class" where the results have people and their faces; both CSV
    // have one header. Throw Error(input), and Error(interrupted) after a
    // stop request.
    void write_json(OutputFile& file, const std::stop_token& stop = {}) const;
    void write_csv(OutputFile& file, const std::stop_token& stop = {}) const;
    void write_events(OutputFile& file, const std::stop_token& stop = {}) const;
    void write_per_minute(OutputFile& file, const std::stop_token& stop = {}) const;

private:
    struct Entry {
        std::size_t folder = 0;  // index in folders_
        std::filesystem::path manifest;
        ManifestEntry record;
    };
    void add(std::size_t folder, const std::filesystem::path& manifest, ManifestEntry&& record);
    template <class Use>
    void for_each_output(std::string_view extension, const std::stop_token& stop, Use use) const;
    template <class Use>
    void for_each_line(std::string_view extension, const std::stop_token& stop, Use use) const;
    void write_numbered(std::string_view extension, OutputFile& file, const std::stop_token& stop) const;

    std::vector<std::filesystem::path> folders_;
    std::set<std::string> list_;  // names of all inputs
    std::set<std::string> left_out_;
    std::map<std::string, Entry> entries_;  // by input
    std::vector<std::string> doubled_;
};

}  // namespace throng
