// An experiment: what it repeats, how it is run, and what comes out.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/experiments/plot.h"

namespace throng {

class ExperimentBench;

struct ResultTable {
    std::string name;  // of the file, without extension
    std::string title;
    std::vector<std::string> header;
    std::vector<std::vector<std::string>> rows;
};

// A figure of a paper or talk that is shown beside ours.
struct Published {
    std::string what;    // "1027 detections, Tesla T4"
    std::string value;   // "0.088 ms"
    std::string source;  // where it was read
};

struct ExperimentResult {
    std::vector<std::pair<std::string, std::string>> settings;  // what was measured, in words
    std::vector<ResultTable> tables;
    std::vector<Plot> plots;
    std::vector<std::string> findings;  // what the figures say, agreement and disagreement with the paper included
    std::vector<Published> published;
    std::vector<std::string> missing;  // what could not be measured here, and why
    double seconds = 0;                // that it took
};

struct Experiment {
    std::string_view name;    // for `run NAME`
    std::string_view title;   // "Latency over growing detections"
    std::string_view source;  // "NMS paper, figure 8 and table 5"
    void (*run)(ExperimentBench& bench, ExperimentResult& result);
};

// In the order of the report.
[[nodiscard]] const std::vector<Experiment>& experiments();

// Throws Error(usage) naming those that there are.
[[nodiscard]] const Experiment& find_experiment(std::string_view name);

}  // namespace throng
