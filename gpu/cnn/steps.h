// A network as a list of kernel launches: which layers share a kernel, and their weights on the device. Independent of
// sizes; network_run.h adds them.
#pragma once

#include <vector>

#include "gpu/cnn/step.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

// Tensor numbers index Network::tensors; -1: none. See StepTask.
struct Step : StepParams {
    int in = -1;
    int up = -1;
    int more = -1;
    int out = -1;
    int pooled = -1;
};

// Steps that share one launch.
using StepGroup = std::vector<Step>;

// A tensor that is some of the channels of another one: inputs of a concatenation are written in place.
struct TensorAlias {
    int whole = -1;  // -1: not part of another tensor
    int first_channel = 0;
};

struct Steps {
    std::vector<StepGroup> groups;
    StepGroup heads;  // YuNet's, one per stride (heads.h); empty: the boxes are decoded from maps that steps write
    std::vector<TensorAlias> aliases;      // one per tensor
    std::vector<bool> needs_zero_padding;  // tensors whose padding channels no step writes: zero them once
    std::vector<DeviceBuffer<std::byte>> memory;
};

// fused: off for one launch per layer. shared_memory: max bytes per block. Waits for the stream. Throws
// Error(unavailable) for a network that the kernels do not support.
[[nodiscard]] Steps make_steps(const Network& network, Precision precision, bool fused, std::size_t shared_memory,
                               StreamView stream);

}  // namespace throng::gpu
