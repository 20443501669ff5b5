// The results of a run as files: CSV for every table, SVG for every plot, and one HTML page that holds all of it.
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
    std::string failure;  // why there is no result; empty: there is
};

struct Report {
    std::vector<std::pair<std::string, std::string>> machine;  // "GPU" "NVIDIA H200, …"
    std::vector<ReportPart> parts;
};

// Writes one file of the report. Throws Error(usage) where `files` protects it, Error(input) when it cannot be written.
void write_report_file(const std::filesystem::path& path, const std::string& text, const RunFiles& files);

// Writes NAME-TABLE.csv and NAME-PLOT.svg into the folder. Throws as write_report_file.
void write_part(const std::filesystem::path& folder, const ReportPart& part, const RunFiles& files);

// One page without references to anything outside it.
[[nodiscard]] std::string to_html(const Report& report);

// What this machine is: versions, processor, GPU, driver, board, clocks, telemetry.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> describe_machine(ExperimentBench& bench);

}  // namespace throng
