#include "core/pipeline/sink_list.h"

#include <utility>

#include "core/base/error.h"

namespace throng {

void SinkList::add(std::shared_ptr<ResultSink> sink) {
    const std::lock_guard lock(mutex_);
    sinks_.push_back(std::move(sink));
}

void SinkList::remove(const std::shared_ptr<ResultSink>& sink) {
    {
        const std::lock_guard lock(mutex_);
        if (std::erase(sinks_, sink) == 0) return;
    }
    sink->close();
}

void SinkList::write(const FrameResult& result) {
    const std::lock_guard lock(mutex_);
    for (const auto& sink : sinks_) sink->write(result);
}

std::optional<Error> SinkList::close() {
    std::vector<std::shared_ptr<ResultSink>> closing;
    {
        const std::lock_guard lock(mutex_);
        closing.swap(sinks_);
    }
    std::optional<Error> first;
    for (const auto& sink : closing) {
        try {
            sink->close();
        } catch (...) {
            if (!first) first = current_error();
        }
    }
    return first;
}

}  // namespace throng
