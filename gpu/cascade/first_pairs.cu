#include "gpu/cascade/first_pairs.cuh"

namespace throng::gpu {

void launch_window_pairs(const PairTables& tables, const KernelChoice& choice, const CascadeTables& cascade,
                         const WindowTask& task, const WindowTiles& tiles, int stages, const WindowQueue& next,
                         int max_step, StreamView stream) {
    pairs::launch_for(tables, choice, cascade, task, tiles, stages, next, max_step, EveryWindow{}, stream);
}

}  // namespace throng::gpu
