// What the benchmarks of a detector on one image share: the image, the samples of its runs, and where the figures
// go.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/command.h"
#include "app/options/table.h"
#include "core/detect/backend.h"

namespace throng {

// Options that all of them take.
struct ImageBenchOptions {
    int repeat = 15;  // measured runs of each
    bool no_baselines = false;
    std::string json;  // "-": standard output; empty: none
    std::string csv;

    // Standard output is for people, not for data.
    [[nodiscard]] bool prints_table() const { return json != "-" && csv != "-"; }
};

// Adds --repeat, --no-baselines, --json and --csv.
void add_image_bench_options(CLI::App& command, ImageBenchOptions& options);

// To be called before anything is measured. image: the file measured on, or empty. Throws as RunFiles::add_output.
void check_bench_files(const CommonOptions& common, const ImageBenchOptions& options, const std::string& image,
                       const DetectorParams& detector);

// Writes the table as CSV and the document, where they were asked for. Throws Error(input).
void write_results(const ImageBenchOptions& options, const TextTable& table, const nlohmann::json& document);

struct BenchImage {
    Frame frame;
    std::string source;  // the file, or what was drawn
};

// The first image of a file. Throws what open_source throws, Error(input) where there is none.
[[nodiscard]] BenchImage first_image(const std::string& file);

// A drawn crowd; size: "WxH", faces below 0: as many as crowds have. Throws Error(usage).
[[nodiscard]] BenchImage drawn_image(const std::string& size, int faces = -1);

// The chosen backend; where the program chose a GPU by itself, the CPU beside it.
[[nodiscard]] std::vector<std::shared_ptr<Backend>> backends_to_compare(const CommonOptions& common,
                                                                        const DetectorParams& detector);

// Milliseconds of some work, by the clock on the wall.
[[nodiscard]] double milliseconds_of(const std::function<void()>& work);

// Milliseconds of equal runs, and of their stages.
class RunSamples {
public:
    void add(double ms, const StageTimes& stages = {});

    [[nodiscard]] bool empty() const { return ms_.empty(); }
    [[nodiscard]] double median() const;  // 0: no runs
    [[nodiscard]] double least() const;   // likewise
    // The median of a stage as a cell of a table; "-" where it did not run.
    [[nodiscard]] std::string stage(std::string_view name, int digits) const;
    // runs, median_ms, least_ms, p99_ms, stages_ms.
    [[nodiscard]] nlohmann::json json() const;

private:
    std::vector<double> ms_;
    std::map<std::string, std::vector<double>> stages_;
};

}  // namespace throng
