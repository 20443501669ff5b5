// Move-only owners of a CUDA stream, an event and an executable graph.
#pragma once

#include <utility>

#include "gpu/runtime/check.h"

struct CUevent_st;
struct CUgraphExec_st;

namespace throng::gpu {

// Neither waits for the default stream nor blocks it.
class Stream {
public:
    Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
    Stream& operator=(Stream&& other) noexcept {
        std::swap(stream_, other.stream_);
        return *this;
    }
    ~Stream();

    [[nodiscard]] StreamView view() const noexcept { return stream_; }
    void synchronize() const;

private:
    StreamView stream_ = nullptr;
};

class Event {
public:
    enum class Timing : bool { off, on };
    enum class Waiting : bool { spin, block };  // how synchronize() waits on the calling thread

    explicit Event(Timing timing = Timing::on, Waiting waiting = Waiting::spin);
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    Event& operator=(Event&& other) noexcept {
        std::swap(event_, other.event_);
        return *this;
    }
    ~Event();

    void record(StreamView stream) const;
    // Makes later work on the stream wait for the recorded work; does not block the host.
    void make_wait(StreamView stream) const;
    // Returns true once the work before record() is complete, or if nothing was recorded. Does not wait.
    [[nodiscard]] bool done() const;
    void synchronize() const;

    // Returns the milliseconds between two recorded events, both complete.
    [[nodiscard]] static double elapsed_ms(const Event& begin, const Event& end);

private:
    CUevent_st* event_ = nullptr;
};

// A captured sequence of launches, ready to be replayed with one call.
class Graph {
public:
    Graph() = default;
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    Graph(Graph&& other) noexcept : exec_(std::exchange(other.exec_, nullptr)) {}
    Graph& operator=(Graph&& other) noexcept {
        std::swap(exec_, other.exec_);
        return *this;
    }
    ~Graph();

    // Captures the work that work() enqueues on the stream; runs nothing. If work throws, the capture is discarded.
    template <typename Work>
    [[nodiscard]] static Graph capture(StreamView stream, Work&& work) {
        Capture guard(stream);
        work();
        return guard.finish();
    }

    // Allocates what the first launch would allocate; does not wait.
    void upload(StreamView stream) const;
    void launch(StreamView stream) const;
    [[nodiscard]] explicit operator bool() const noexcept { return exec_ != nullptr; }

private:
    class Capture {
    public:
        explicit Capture(StreamView stream);
        Capture(const Capture&) = delete;
        Capture& operator=(const Capture&) = delete;
        ~Capture();
        [[nodiscard]] Graph finish();

    private:
        StreamView stream_;
        bool open_ = true;
    };

    CUgraphExec_st* exec_ = nullptr;
};

}  // namespace throng::gpu
