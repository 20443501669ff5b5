#include "gpu/caller_nms/caller_nms.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/detect/null_recorder.h"
#include "gpu/caller_nms/convert.h"
#include "gpu/caller_nms/one_launch.h"
#include "gpu/nms/cuda_nms.h"
#include "gpu/runtime/array_layout.h"
#include "gpu/runtime/memory_arena.h"

namespace throng::gpu {
namespace {

bool orders_by_index(const CallerNmsRules& rules) {
    return rules.torchvision || rules.params.ties == Ties::index;
}

// The parameters of the engine: PairGate has the order of equal scores, and float64 corners in torchvision's mode.
NmsParams engine_params(const CallerNmsRules& rules, CallerType type) {
    NmsParams params = rules.params;
    if (orders_by_index(rules)) params.ties = Ties::total;
    if (rules.torchvision) {
        params = {};
        params.min_hits = rules.params.min_hits;
        params.theta = static_cast<float>(rules.theta);
        params.compare = static_cast<double>(params.theta) > rules.theta ? Compare::at_least : Compare::above;
        // Boxes contain the corners' ones, and a side is at most a thousandth longer: their IoU may be that much less.
        if (type == CallerType::float64) params.theta *= 0.9F;
    }
    return params;
}

// A call by the engines of gpu/nms, with its arrays in the workspace: they are taken from an arena.
class CallerRun {
public:
    // sorts: by image.
    CallerRun(const DeviceInfo& device, const CallerNmsRules& rules, std::int32_t size, bool sorts, StreamView stream)
        : device_(device), rules_(rules), stream_(stream) {
        const auto n = static_cast<std::size_t>(std::max(size, 1));
        memory_ = allocate_arrays([&](ArrayLayout& layout) {
            for (DetectionSpan* span : {&input_.raw, &kept_}) {
                layout.take(span->count, 1);
                layout.take(span->boxes, n);
                layout.take(span->scores, n);
                span->capacity = size;
            }
            layout.take(kept_.hits, n);
            layout.take(kept_.source, n);
            if (rules.torchvision) layout.take(corners_, n * 4);
            if (orders_by_index(rules)) layout.take(input_.order, n);
        });
        engine_.emplace(device, stream,
                        orders_by_index(rules) || size > kMatrixBest ? FastEngine::grid : FastEngine::matrix);
        engine_->prepare(size, size, engine_params(rules, CallerType::float32), &input_.clear);
        if (sorts) sort_.emplace(static_cast<std::int32_t>(n));
    }

    void launch(const CallerNmsTask& task) {
        const LaunchChain chain(device_, stream_);
        if (task.size > 0) launch_engine(task, chain);
        launch_results(task, kept_, sort_ ? sort_->launch(task, kept_, chain, stream_) : nullptr, chain);
    }

private:
    void launch_engine(const CallerNmsTask& task, const LaunchChain& chain) {
        const bool has_ids = task.class_ids != nullptr || task.image_ids != nullptr;
        const NmsParams params = engine_params(rules_, task.type);
        if (has_ids && task.max_output > 0) {
            throw Error(ErrorKind::unavailable, "does not apply in device memory to boxes with ids",
                        Setting{"max_output"}, "use a host handle");
        }
        if (has_ids && is_soft(params.rule) && params.score_min < 0) {
            throw Error(ErrorKind::unavailable, "is negative, and the boxes have ids: not available in device memory",
                        Setting{"score_min"}, "use a host handle");
        }
        input_.raw.density = const_cast<float*>(task.density);  // only read
        input_.raw.features = const_cast<float*>(task.features);
        input_.raw.feature_size = task.feature_size;
        PairGate gate{task.class_ids, task.image_ids, task.ids_are_int64};
        gate.boxes_are_corners = rules_.torchvision;
        gate.order = input_.order;
        if (rules_.torchvision && task.type == CallerType::float64) {
            gate.corners = input_.corners = corners_;
            gate.least = least_above<double>(rules_.theta);
        }
        launch_engine_input(task, input_, chain);
        const DetectionBuffer raw(MemoryKind::device, input_.raw, nullptr);
        DetectionBuffer kept(MemoryKind::device, kept_, nullptr);
        engine_->set_gate(gate);
        NullRecorder recorder;
        engine_->enqueue(raw, kept, params, recorder);
    }

    const DeviceInfo& device_;
    const CallerNmsRules& rules_;
    StreamView stream_;
    EngineInput input_;
    DetectionSpan kept_;
    double* corners_ = nullptr;
    DeviceBuffer<std::byte> memory_;  // of these arrays
    std::optional<CudaNms> engine_;
    std::optional<ImageSort> sort_;
};

}  // namespace

std::size_t caller_nms_workspace(const DeviceInfo& device, const CallerNmsRules& rules, std::int32_t size) {
    const MemoryArena arena;
    const CallerRun run(device, rules, size, true, nullptr);
    return std::max(arena.used(), kOneLaunchWorkspace);
}

void launch_caller_nms(const DeviceInfo& device, const CallerNmsTask& task, void* workspace,
                       std::size_t workspace_bytes, StreamView stream) {
    const LaunchChain chain(device, stream);
    if (launch_at_once(device, task, workspace, chain)) return;
    const MemoryArena arena(workspace, workspace_bytes);
    CallerRun(device, task.rules, task.size, task.image_ids != nullptr && task.size > 0, stream).launch(task);
}

}  // namespace throng::gpu
