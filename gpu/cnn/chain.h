// Launching a chain of kernels, each of which reads what the previous kernel wrote.
#pragma once

#include <cstddef>

#include "gpu/runtime/check.h"

namespace throng::gpu {

// From compute capability 9.0 on a kernel may start while the previous one finishes (programmatic dependent launch) and
// load its weights meanwhile. overlap must be off if the device does not support it, and for a chain's first kernel.
struct Chain {
    StreamView stream = nullptr;
    bool overlap = false;
};

// Device properties that determine the choice of tiles.
struct TileLimits {
    int multiprocessors = 1;
    std::size_t shared_memory = 48U << 10;  // max bytes per block
};

}  // namespace throng::gpu
