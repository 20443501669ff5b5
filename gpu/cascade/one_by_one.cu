// The kernels with one thread per window, for the models that need them.
#include "gpu/cascade/first_segment.cuh"
#include "gpu/cascade/queue_segment.cuh"

namespace throng::gpu {
namespace {

// Calls use with the features of the model.
template <typename Use>
void select_features(const KernelChoice& choice, const Use& use) {
    if (choice.kind == CascadeKind::lbp)
        return choice.nodes_per_tree == 1 ? use(LbpOffsets<1>{}) : use(LbpOffsets<0>{});
    switch (choice.nodes_per_tree) {
        case 1: return use(HaarOffsets<1>{});
        case 2: return use(HaarOffsets<2>{});
        default: return use(HaarOffsets<0>{});
    }
}

}  // namespace

void launch_all_windows(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                        const WindowTiles& tiles, int stages, const WindowQueue& next, StreamView stream) {
    select_features(choice, [&](auto features) {
        single::launch<decltype(features)>(cascade, task, tiles, stages, next, EveryWindow{}, stream);
    });
}

void launch_queued_windows(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                           const WindowQueue& queue, int first, StreamView stream) {
    select_features(choice, [&](auto features) {
        launch_queue<decltype(features)>(choice, cascade, task, queue, first, cascade.geometry.stage_count,
                                         ReportWindows{}, stream);
    });
}

}  // namespace throng::gpu
