// A network with the same results and less work for the kernels.
#pragma once

#include "core/model/network.h"

namespace throng::gpu {

// Returns the network with the activation of a concatenation moved to the convolutions that write its parts, and a large
// pool of stride 1 replaced by a smaller one of a pool's output: YOLOX's 9 x 9 and 13 x 13 become 5 x 5.
[[nodiscard]] Network simplified(Network network);

}  // namespace throng::gpu
