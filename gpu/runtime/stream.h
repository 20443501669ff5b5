// Move-only owners of a CUDA stream, an event and an executable graph.
#pragma once

#include <functional>
#include <memory>

#include "gpu/runtime/check.h"

struct CUevent_st;
struct CUgraphExec_st;

namespace throng::gpu {

// Destroys what a unique_ptr below owns; logs a failure.
struct DestroyHandle {
    void operator()(CUstream_st* stream) const noexcept;
    void operator()(CUevent_st* event) const noexcept;
    void operator()(CUgraphExec_st* graph) const noexcept;
};

// Neither waits for the default stream nor blocks it.
class Stream {
public:
    Stream();

    [[nodiscard]] StreamView view() const noexcept { return stream_.get(); }
    void synchronize() const;

private:
    std::unique_ptr<CUstream_st, DestroyHandle> stream_;
};

class Event {
public:
    enum class Timing : bool { off, on };
    enum class Waiting : bool { spin, block };  // how synchronize() waits on the calling thread

    explicit Event(Timing timing = Timing::on, Waiting waiting = Waiting::spin);

    void record(StreamView stream) const;
    // Makes later work on the stream wait for the recorded work; does not block the host.
    void make_wait(StreamView stream) const;
    // Returns true once the work before record() is complete, or if nothing was recorded. Does not wait.
    [[nodiscard]] bool done() const;
    void synchronize() const;

    // Returns the milliseconds between two recorded events, both complete.
    [[nodiscard]] static double elapsed_ms(const Event& begin, const Event& end);

private:
    std::unique_ptr<CUevent_st, DestroyHandle> event_;
};

// A captured sequence of launches, ready to be replayed with one call.
class Graph {
public:
    // Captures the work that work() enqueues on the stream; runs nothing. If work throws, the capture is discarded.
    [[nodiscard]] static Graph capture(StreamView stream, const std::function<void()>& work);

    // Allocates what the first launch would allocate; does not wait.
    void upload(StreamView stream) const;
    void launch(StreamView stream) const;
    [[nodiscard]] explicit operator bool() const noexcept { return exec_ != nullptr; }

private:
    std::unique_ptr<CUgraphExec_st, DestroyHandle> exec_;
};

}  // namespace throng::gpu
