#include <fmt/format.h>

#include <algorithm>

#include "app/lab/experiments/all.h"
#include "core/base/error.h"

namespace throng {

const std::vector<Experiment>& experiments() {
    static const std::vector<Experiment> kAll = {
        {"fig7", "GPU and CPU over clock rates", "NMS paper, figure 7", run_gpu_against_cpu},
        {"fig8", "Latency over growing detections", "NMS paper, figure 8 and table 5", run_growth},
        {"fig9", "Latency over clock rates", "NMS paper, figure 9", run_clock_sweep},
        {"fig11", "Partitions of the reduction", "NMS paper, figure 11", run_partitions},
        {"fig12", "A crowd video, frame by frame", "NMS paper, figure 12", run_crowd_video},
        {"fig13", "Map and reduce separately, on a mosaic of four crowds", "NMS paper, figure 13 and table 6",
         run_mosaic},
        {"table7", "Accuracy of the rules", "NMS paper, table 7", run_accuracy},
        {"agreement", "One-pass compared with exact greedy", "property of the NMS paper's rule", run_agreement},
        {"cores", "Latency against multiprocessors", "NMS paper, scaling with cores", run_multiprocessors},
        {"windows", "Windows alive after each stage", "cascade talk, GTC 2015", run_windows},
        {"ablation", "Optimizations added one by one", "cascade talk, GTC 2015", run_ablation},
        {"masks", "Masks of candidate windows", "cascade talk, GTC 2015", run_masks},
        {"hog", "The four kernels of HOG, before and after", "HOG talk, GTC 2016", run_hog},
    };
    return kAll;
}

const Experiment& find_experiment(std::string_view name) {
    const auto& all = experiments();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Experiment& e) { return e.name == name; });
    if (found != all.end()) return *found;
    std::string known;
    for (const Experiment& experiment : all) known += fmt::format("{}{}", known.empty() ? "" : ", ", experiment.name);
    throw Error(ErrorKind::usage, "unknown experiment", std::string(name), "use one of " + known);
}

}  // namespace throng
