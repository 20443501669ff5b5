// The sinks of a pipeline: written in order by the detect thread, added and removed by any.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/pipeline/frame_result.h"

namespace throng {

// Thread-safe. Every sink is closed exactly once.
class SinkList {
public:
    void add(std::shared_ptr<ResultSink> sink);
    // Closes it, on the calling thread. Throws what its close throws; does nothing for a sink that is not in the list.
    void remove(const std::shared_ptr<ResultSink>& sink);
    // Throws what the first failing sink throws; those before it have the result.
    void write(const FrameResult& result);
    // Closes all and empties the list. The first failure, after all the others were closed.
    [[nodiscard]] std::optional<Error> close();

private:
    std::mutex mutex_;  // held during a write, so that nobody closes a sink that is being written
    std::vector<std::shared_ptr<ResultSink>> sinks_;
};

// The exception being handled as an Error; to be called in a catch block.
[[nodiscard]] Error current_error();

}  // namespace throng
