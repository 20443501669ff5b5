#include "core/sinks/relink_sink.h"

#include <exception>
#include <utility>

namespace throng {

void RelinkSink::write(const FrameResult& result) {
    queue_.push(tracker_input(result), result.tracks);
    FrameResult& copy = waiting_.emplace_back(result);
    FrameInfo info = result.frame.info();
    info.memory = MemoryKind::host;
    const PlaneView no_planes[Frame::kMaxPlanes] = {};
    copy.frame = Frame(info, no_planes, nullptr);
    copy.candidates.clear();
    for (StageTime& time : copy.timings) time.name = *names_.emplace(time.name).first;
    pass_on();
}

void RelinkSink::close() {
    std::exception_ptr failure;
    const auto attempt = [&](const auto& call) {
        try {
            call();
        } catch (...) {
            if (!failure) failure = std::current_exception();
        }
    };
    attempt([&] {
        queue_.finish();
        pass_on();
    });
    for (const auto& sink : inner_) attempt([&] { sink->close(); });
    if (failure) std::rethrow_exception(failure);
}

void RelinkSink::pass_on() {
    while (std::optional<std::vector<Track>> tracks = queue_.pop()) {
        FrameResult result = std::move(waiting_.front());
        waiting_.pop_front();
        result.tracks = *std::move(tracks);
        for (const auto& sink : inner_) sink->write(result);
    }
}

}  // namespace throng
