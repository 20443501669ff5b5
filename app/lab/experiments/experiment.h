// An experiment: what it reproduces, its function, and its result.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/lab/experiments/plot.h"
#include "app/lab/measure/result_list.h"

namespace throng {

class ExperimentBench;

struct ResultTable {
    std::string name;  // file name without extension
    std::string title;
    ResultList rows;  // columns only
};

// A published figure of a paper or talk, shown next to the measurement.
struct Published {
    std::string what;    // "1027 detections, Tesla T4"
    std::string value;   // "0.088 ms"
    std::string source;  // publication
};

struct ExperimentResult {
    std::vector<std::pair<std::string, std::string>> settings;  // settings of the measurement, as text
    std::vector<ResultTable> tables;
    std::vector<Plot> plots;
    std::vector<std::string> findings;  // conclusions, including agreement and disagreement with the paper
    std::vector<Published> published;
    std::vector<std::string> missing;  // what could not be measured on this machine, and why
    double seconds = 0;                // duration of the experiment

    void add(ResultTable table, Plot plot) {
        tables.push_back(std::move(table));
        plots.push_back(std::move(plot));
    }
};

struct Experiment {
    std::string_view name;    // for `run NAME`
    std::string_view title;   // "Latency over growing detections"
    std::string_view source;  // "NMS paper, figure 8 and table 5"
    void (*run)(ExperimentBench& bench, ExperimentResult& result);
};

// Returns all experiments, in the order of the report.
[[nodiscard]] const std::vector<Experiment>& experiments();

// Returns the experiment of this name. Throws Error(usage) that lists the existing names.
[[nodiscard]] const Experiment& find_experiment(std::string_view name);

}  // namespace throng
