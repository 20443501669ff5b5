// Shared by the benchmarks of a detector on one image: the image, the samples of the runs, and the output of the
// results.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/command.h"
#include "app/options/table.h"
#include "core/detect/backend.h"

namespace throng {

// Options that all of these benchmarks take.
struct ImageBenchOptions {
    int repeat = 15;  // measured runs per setting and detector
    bool no_baselines = false;
    std::string json;  // "-": standard output; empty: none
    std::string csv;

    // Returns whether standard output is free for the table, which it is unless data goes there.
    [[nodiscard]] bool prints_table() const { return json != "-" && csv != "-"; }
};

// Adds --repeat, --no-baselines, --json and --csv.
void add_image_bench_options(CLI::App& command, ImageBenchOptions& options);

// Checks the outputs against the inputs. To be called before anything is measured. image: the input file, or empty.
// Throws as RunFiles::add_output.
void check_bench_files(const CommonOptions& common, const ImageBenchOptions& options, const std::string& image,
                       const DetectorParams& detector);

// Writes the table as CSV and the document as JSON, as far as requested. Throws Error(input).
void write_results(const ImageBenchOptions& options, const TextTable& table, const nlohmann::json& document);

struct BenchImage {
    Frame frame;
    std::string source;  // the file name, or a description of the drawn image
};

// Returns the first image of a file. Throws what open_source throws, and Error(input) if the file has no image.
[[nodiscard]] BenchImage first_image(const std::string& file);

// Returns a drawn crowd. size: "WxH"; faces below 0: the default of CrowdOptions. Throws Error(usage).
[[nodiscard]] BenchImage drawn_image(const std::string& size, int faces = -1);

// Returns the selected backend and, where --backend auto selected a GPU, also the CPU.
[[nodiscard]] std::vector<std::shared_ptr<Backend>> backends_to_compare(const CommonOptions& common,
                                                                        const DetectorParams& detector);

// Returns the wall-clock time of `work` in milliseconds.
[[nodiscard]] double milliseconds_of(const std::function<void()>& work);

// Times of identical runs and of their stages, in milliseconds.
class RunSamples {
public:
    void add(double ms, const StageTimes& stages = {});

    [[nodiscard]] bool empty() const { return ms_.empty(); }
    [[nodiscard]] double median() const;  // 0 without runs
    [[nodiscard]] double least() const;   // minimum; 0 without runs
    // Returns the median of a stage as a table cell; "-" if the stage did not run.
    [[nodiscard]] std::string stage(std::string_view name, int digits) const;
    // Returns runs, median_ms, least_ms, p99_ms, stages_ms.
    [[nodiscard]] nlohmann::json json() const;

private:
    std::vector<double> ms_;
    std::map<std::string, std::vector<double>> stages_;
};

}  // namespace throng
