// Writes the results of a run: a CSV file per table, an SVG file per plot, and one HTML page with all of them.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/experiments/experiment.h"
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

// Writes one file of the report. Throws Error(usage) if `files` protects the path, Error(input) when it cannot be
// written.
void write_report_file(const std::filesystem::path& path, const std::string& text, const RunFiles& files);

// Writes NAME-TABLE.csv and NAME-PLOT.svg into the folder. Throws as write_report_file.
void write_part(const std::filesystem::path& folder, const ReportPart& part, const RunFiles& files);

// Returns one HTML page without external references.
[[nodiscard]] std::string to_html(const Report& report);

// Describes this machine: versions, CPU, GPU, driver, board, clocks, telemetry.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> describe_machine(ExperimentBench& bench);

}  // namespace throng
