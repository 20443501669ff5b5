#include "gpu/cascade/first_pairs.cuh"

namespace throng::gpu {

void launch_window_pairs(const CascadeLaunch& work, const PairTables& tables, int stages, const WindowQueue& next) {
    pairs::launch(work, tables, stages, next, EveryWindow{});
}

}  // namespace throng::gpu
