// The sinks of a pipeline. The detect thread writes to them in order; any thread may add and remove sinks.
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
    // Removes the sink and closes it on the calling thread. Throws the error of ResultSink::close. Does nothing for a
    // sink that is not in the list.
    void remove(const std::shared_ptr<ResultSink>& sink);
    // Throws the error of the first sink that fails; the sinks before it have received the result.
    void write(const FrameResult& result);
    // Closes all sinks, also after a failure, and empties the list. Returns the first failure.
    [[nodiscard]] std::optional<Error> close();

private:
    std::mutex mutex_;  // held during a write, so that no sink is closed while it is written
    std::vector<std::shared_ptr<ResultSink>> sinks_;
};

}  // namespace throng
