// The functions of the experiments. Experiments that share their input share a file.
#pragma once

#include "app/lab/experiments/experiment.h"

namespace throng {

void run_gpu_against_cpu(ExperimentBench& bench, ExperimentResult& result);  // nms_clocks.cpp
void run_growth(ExperimentBench& bench, ExperimentResult& result);           // nms_growth.cpp
void run_clock_sweep(ExperimentBench& bench, ExperimentResult& result);      // nms_clocks.cpp
void run_partitions(ExperimentBench& bench, ExperimentResult& result);       // nms_kernels.cpp
void run_crowd_video(ExperimentBench& bench, ExperimentResult& result);      // crowd_video.cpp
void run_mosaic(ExperimentBench& bench, ExperimentResult& result);           // nms_kernels.cpp
void run_accuracy(ExperimentBench& bench, ExperimentResult& result);         // accuracy.cpp
void run_agreement(ExperimentBench& bench, ExperimentResult& result);        // agreement.cpp
void run_multiprocessors(ExperimentBench& bench, ExperimentResult& result);  // multiprocessors.cpp
void run_windows(ExperimentBench& bench, ExperimentResult& result);          // cascade.cpp
void run_ablation(ExperimentBench& bench, ExperimentResult& result);         // cascade.cpp
void run_masks(ExperimentBench& bench, ExperimentResult& result);            // cascade.cpp

void run_hog(ExperimentBench& bench, ExperimentResult& result);  // hog.cpp

// Returns the figures published in the NMS paper.
[[nodiscard]] std::vector<Published> published_nms();

// Median time of an engine with a given number of multiprocessors.
struct ShareTimes {
    std::string engine;  // "paper's kernels", "one-pass", "greedy"
    std::size_t detections = 0;
    int multiprocessors = 0;
    double ms = 0;
    std::size_t kept = 0;
};
// Measures the engines with increasing numbers of multiprocessors. Throws Error(unavailable) where their number cannot
// be varied.
[[nodiscard]] std::vector<ShareTimes> time_shares(ExperimentBench& bench, const std::vector<std::size_t>& sizes);
// Adds them to a plot over the number of multiprocessors and to a table.
void add_shares(const std::vector<ShareTimes>& times, Plot& plot, ResultTable& table);

}  // namespace throng
