// The hand-over of decoded frames from the decode thread to the detect thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stop_token>
#include <string>

#include "core/frame/frame.h"
#include "core/pipeline/frame_places.h"

namespace throng {

struct DecodedFrame {
    Frame frame;
    std::string source;        // the file shown
    int source_number = 1;     // see FrameResult
    double decode_ms = 0;      // time spent reading it
    FramePlaces::Place place;  // of a file's frame, until its boxes are there

    [[nodiscard]] DecodedFrame without_place() const { return {frame, source, source_number, decode_ms, nullptr}; }
};

// One thread puts, one takes; every member is thread-safe.
class Handover {
public:
    enum class Policy : std::uint8_t {
        keep_newest,  // one frame: a newer one replaces it when nobody took it, and that is counted
        keep_all,     // as many as have a place (see FramePlaces)
    };
    enum class Taken : std::uint8_t {
        frame,
        poked,    // somebody called poke: settings changed while no frame came
        ended,    // finish was called and all frames before it were taken; reported once
        stopped,  // the stop token asked
    };

    explicit Handover(Policy policy) : policy_(policy) {}

    void put(DecodedFrame frame);  // never waits
    // No more frames for now; a later put or clear takes it back.
    void finish();
    // Forgets the frames nobody took (after a seek); they do not count as dropped.
    void clear();
    void poke();

    [[nodiscard]] Taken take(DecodedFrame& frame, const std::stop_token& stop);
    // A frame that is there already; never waits.
    [[nodiscard]] bool try_take(DecodedFrame& frame);
    [[nodiscard]] std::uint64_t dropped() const;

private:
    const Policy policy_;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<DecodedFrame> frames_;
    std::uint64_t dropped_ = 0;
    bool finished_ = false;
    bool poked_ = false;
};

}  // namespace throng
