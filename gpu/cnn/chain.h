// How a chain of kernels is launched, each of which reads what the one before wrote.
#pragma once

#include <cstddef>

#include "gpu/runtime/check.h"

namespace throng::gpu {

// From compute capability 9.0 on a kernel may start while the one before finishes (programmatic dependent launch): it
// fetches its weights meanwhile. overlap must be off where the device cannot, and for a chain's first kernel.
struct Chain {
    StreamView stream = nullptr;
    bool overlap = false;
};

// What the choice of tiles depends on.
struct TileLimits {
    int multiprocessors = 1;
    std::size_t shared_memory = 48U << 10;  // bytes a block may have
};

}  // namespace throng::gpu
