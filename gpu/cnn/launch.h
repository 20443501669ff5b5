// Arguments of all launchers of layers. From compute capability 9.0 on a kernel may start while the previous one finishes,
// and load its weights meanwhile (gpu/runtime/launch.cuh).
#pragma once

#include <cstddef>

#include "gpu/runtime/check.h"

namespace throng::gpu {

class LaunchChain;

// Device properties that determine the choice of tiles.
struct TileLimits {
    int multiprocessors = 1;
    std::size_t shared_memory = 48U << 10;                    // max bytes per block
    std::size_t shared_memory_of_multiprocessor = 64U << 10;  // bytes
};

}  // namespace throng::gpu
