// The run loop in one thread: takes the frames of a source through an engine. Pipeline is its form with two threads.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>

#include "core/pipeline/engine.h"
#include "core/video/source.h"

namespace throng {

struct RunOptions {
    std::string name;                                      // FrameResult::source; empty: the source's own names
    std::int64_t max_frames = 0;                           // 0: all
    double end = std::numeric_limits<double>::infinity();  // seconds: frames from here on are left out
    // Read already: the frame before the run, and the one with which it begins. The run keeps neither: the decoder may
    // have few surfaces.
    FrameInfo before = {.index = -1};
    std::optional<Frame> first = std::nullopt;
};

// Passes the result of each frame to `write`, in order; no frame is dropped. If the device fails, frames that it held
// are read again on the host. Returns the number of results. Throws what source, engine and write throw, and
// Error(interrupted) after a stop request; no frame is in flight then.
std::uint64_t run(VideoSource& source, Engine& engine, RunOptions options,
                  const std::function<void(const FrameResult&)>& write, const std::stop_token& stop);

}  // namespace throng
