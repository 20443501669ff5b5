#include "core/sinks/relink_sink.h"

#include <exception>
#include <utility>

namespace throng {

namespace {

std::size_t bytes_of(const DetectionSet& set) {
    return set.detections.size() * sizeof(Detection) + set.landmarks.size() * sizeof(DetectionSet::Landmarks) +
           (set.density.size() + set.features.size()) * sizeof(float);
}

std::size_t bytes_of(const FrameResult& result) {
    return bytes_of(result.raw) + bytes_of(result.kept);
}

}  // namespace

void RelinkSink::write(const FrameResult& result) {
    queue_.push(tracker_input(result), result.tracks);
    FrameResult& copy = waiting_.emplace_back(result);
    bytes_ += bytes_of(copy);
    FrameInfo info = result.frame.info();
    info.memory = MemoryKind::host;
    const PlaneView no_planes[Frame::kMaxPlanes] = {};
    copy.frame = Frame(info, no_planes, nullptr);
    std::vector<Detection>().swap(copy.candidates);  // clear() would keep the memory
    for (StageTime& time : copy.timings) time.name = *names_.emplace(time.name).first;
    pass_on();
    if (bytes_ <= max_bytes_) return;
    queue_.end_section();
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
        bytes_ -= bytes_of(result);
        result.tracks = *std::move(tracks);
        for (const auto& sink : inner_) sink->write(result);
    }
}

}  // namespace throng
