#include "app/measure/image_bench.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "app/options/backend.h"
#include "app/options/run_files.h"
#include "app/options/values.h"
#include "core/base/error.h"
#include "core/base/output_file.h"
#include "core/base/rolling.h"
#include "core/base/secrets.h"
#include "core/synth/crowd.h"
#include "core/video/source.h"

namespace throng {
namespace {

double percentile_of(std::vector<double> samples, double share) {
    std::sort(samples.begin(), samples.end());
    return percentile(samples, share);
}

}  // namespace

void add_image_bench_options(CLI::App& command, ImageBenchOptions& options) {
    command.add_option("--repeat", options.repeat, "Measured runs per setting and detector")
        ->check(whole_range(1, 100000))
        ->capture_default_str();
    command.add_flag("--no-baselines", options.no_baselines, "Do not measure OpenCV");
    command.add_flag("--no-peers", options.no_baselines, "Deprecated name of --no-baselines")->group("");
    command.add_option("--json", options.json, "Write the measurements as JSON ('-': standard output)")
        ->type_name("FILE");
    command.add_option("--csv", options.csv, "Write the table as CSV ('-': standard output)")->type_name("FILE");
}

void check_bench_files(const CommonOptions& common, const ImageBenchOptions& options, const std::string& image,
                       const DetectorParams& detector) {
    RunFiles files(common);
    if (!image.empty()) files.add_source(image);
    files.add_model(detector);
    files.add_output("--csv", options.csv);
    files.add_output("--json", options.json);
}

void write_results(const ImageBenchOptions& options, const TextTable& table, const nlohmann::json& document) {
    if (!options.csv.empty()) write_file(options.csv, table.csv());
    if (!options.json.empty()) write_file(options.json, document.dump(2) + "\n");
}

BenchImage first_image(const std::string& file) {
    BenchImage image{{}, mask_credentials(file)};
    const auto source = open_source(file);
    ReadStatus status = ReadStatus::timeout;
    while (status == ReadStatus::timeout) status = source->read(image.frame, {});
    if (status == ReadStatus::end) throw Error(ErrorKind::input, "contains no image", file);
    return image;
}

BenchImage drawn_image(const std::string& size, int faces) {
    CrowdOptions options;
    if (faces >= 0) options.faces = faces;
    parse_crowd_size(size, options);
    return {Crowd(options).frame(0), fmt::format("crowd of {}", options.faces)};
}

std::vector<std::shared_ptr<Backend>> backends_to_compare(const CommonOptions& common, const DetectorParams& detector) {
    std::vector<std::shared_ptr<Backend>> backends{make_backend(common, &detector).backend};
    if (common.backend == "auto" && backends.front()->name() != "cpu") {
        CommonOptions cpu = common;
        cpu.backend = "cpu";
        backends.push_back(make_backend(cpu, &detector).backend);
    }
    return backends;
}

double milliseconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void RunSamples::add(double ms, const StageTimes& stages) {
    ms_.push_back(ms);
    for (const StageTime& time : stages) stages_[std::string(time.name)].push_back(time.ms);
}

double RunSamples::median() const {
    return percentile_of(ms_, 0.5);
}

double RunSamples::least() const {
    return percentile_of(ms_, 0);
}

std::string RunSamples::stage(std::string_view name, int digits) const {
    const auto found = stages_.find(std::string(name));
    return found == stages_.end() ? "-" : fmt::format("{:.{}f}", percentile_of(found->second, 0.5), digits);
}

nlohmann::json RunSamples::json() const {
    nlohmann::json item = {{"runs", ms_.size()},
                           {"median_ms", median()},
                           {"least_ms", least()},
                           {"p99_ms", percentile_of(ms_, 0.99)},
                           {"stages_ms", nlohmann::json::object()}};
    for (const auto& [stage, samples] : stages_) item["stages_ms"][stage] = percentile_of(samples, 0.5);
    return item;
}

}  // namespace throng
