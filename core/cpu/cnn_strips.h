// The inputs of a network from a frame that is read in strips.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/cpu/cnn_input.h"
#include "core/cpu/thread_pool.h"
#include "core/detect/stage.h"
#include "core/frame/frame.h"
#include "core/model/cnn_plan.h"
#include "core/model/network.h"

namespace throng {

// Bytes of the inputs that are made at the same time, about. Inputs that do not fit are made when the frame is read again.
inline constexpr std::size_t kMaxStripInputs = std::size_t{1} << 30;

// Makes the input of every pass, bit for bit that of CnnInputMaker, and calls on_input with the number of the pass: by the
// rows of the frame, not in the order of the passes. The planes are valid during the call. frame: with rows(). max_bytes:
// for tests; at least one column of tiles is made at a time. Timed as stage::kPreprocess. Throws as RowReader.
void make_strip_inputs(const Frame& frame, const std::vector<CnnPass>& passes, const NetworkInput& input,
                       ThreadPool& pool, StageRecorder& recorder,
                       const std::function<void(std::size_t pass, const CnnPlanes& planes)>& on_input,
                       std::size_t max_bytes = kMaxStripInputs);

}  // namespace throng
