// Writes the results of a run: a CSV file per table, and results.json, of which report.py makes an SVG file per plot and
// one HTML page.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/lab/experiments/experiment.h"
#include "app/options/run_files.h"

namespace throng {

struct ReportPart {
    const Experiment* experiment = nullptr;
    ExperimentResult result;
    std::string failure;  // why there is no result; empty on success
};

struct Report {
    std::vector<std::pair<std::string, std::string>> machine;  // "GPU" "NVIDIA H200, …"
    std::vector<ReportPart> parts;
};

// Writes NAME-TABLE.csv into the folder. Throws Error(usage) if `files` protects a path, Error(input) when it cannot be
// written.
void write_tables(const std::filesystem::path& folder, const ReportPart& part, const RunFiles& files);

// Writes results.json into the folder. Throws as write_tables.
void write_results(const std::filesystem::path& folder, const Report& report, const RunFiles& files);

// Writes NAME-PLOT.svg and report.html beside results.json. Throws Error(unavailable) that names what report.py lacks,
// and as write_tables.
void draw_report(const std::filesystem::path& folder, const RunFiles& files);

// Describes this machine: versions, CPU, GPU, driver, board, clocks, telemetry.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> describe_machine(ExperimentBench& bench);

}  // namespace throng
