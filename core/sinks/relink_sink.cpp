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
    return bytes_of(result.raw) + bytes_of(result.kept) + (result.faces ? bytes_of(*result.faces) : 0);
}

// Without pixels and candidates.
FrameResult copy_of(const FrameResult& result) {
    FrameResult copy = without_pixels(result);
    for_each_class(copy, [](FrameResult& each) {
        std::vector<Detection>().swap(each.candidates);  // clear() would keep the memory
        each.num_unconfident = 0;
    });
    return copy;
}

}  // namespace

void RelinkSink::write(const FrameResult& result) {
    FrameResult copy = copy_of(result);
    bytes_ += bytes_of(copy);
    for (StageTime& time : copy.timings) time.name = *names_.emplace(time.name).first;
    LookaheadInput input = lookahead_input(result);
    input.tracks = result.tracks;
    if (result.faces) input.faces.front().tracks = result.faces->tracks;
    frames_.push(std::move(input), std::move(copy));
    pass_on();
    if (bytes_ <= max_bytes_) return;
    frames_.end_section();
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
        frames_.finish();
        pass_on();
    });
    for (const auto& sink : inner_) attempt([&] { sink->close(); });
    if (failure) std::rethrow_exception(failure);
}

void RelinkSink::pass_on() {
    while (auto next = frames_.pop()) {
        auto& [result, decision] = *next;
        bytes_ -= bytes_of(result);
        result.tracks = std::move(decision.tracks);
        if (result.faces) result.faces->tracks = std::move(decision.face_tracks);
        for (const auto& sink : inner_) sink->write(result);
    }
}

}  // namespace throng
