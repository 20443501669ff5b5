// The CPU backend: detectors and NMS on host memory, with threads and SIMD.
#pragma once

#include <memory>

#include "core/detect/backend.h"

namespace throng {

// threads: 0 selects one thread per core. Any number of threads may use the backend; detectors that it has made for one
// model share it.
[[nodiscard]] std::shared_ptr<Backend> make_cpu_backend(int threads = 0);

}  // namespace throng
