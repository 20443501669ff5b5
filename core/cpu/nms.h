// Non-maximum suppression on the CPU: every rule of NmsParams, exact, for any number of detections.
#pragma once

#include <memory>

#include "core/cpu/stop_flag.h"
#include "core/detect/nms.h"

namespace throng {

// threads: 0 selects one thread per core. The results do not depend on it. Buffers must be in host memory. An engine
// keeps its work arrays: later frames allocate nothing unless they are larger. stop: ends an enqueue with
// Error(interrupted); it must outlive the engine.
[[nodiscard]] std::unique_ptr<Nms> make_cpu_nms(int threads = 0, const StopFlag* stop = nullptr);

}  // namespace throng
