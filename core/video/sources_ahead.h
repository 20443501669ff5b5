// Opens the sources of a list on threads, ahead of the thread that takes them.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/video/source.h"

namespace throng {

// Opening a decoder takes as long as decoding hundreds of frames, so the next sources are opened while others run. All
// members must be called from one thread; each source is opened on a thread of its own, or by take if none can be started.
class SourcesAhead {
public:
    // Opens the source with this index in the list. Called on several threads.
    using Open = std::function<std::unique_ptr<VideoSource>(std::size_t index, const std::stop_token& stop)>;

    // stop: ends all that is being opened.
    SourcesAhead(std::vector<std::string> list, Open open, std::stop_token stop);
    ~SourcesAhead() = default;  // ends all that is being opened
    SourcesAhead(const SourcesAhead&) = delete;
    SourcesAhead& operator=(const SourcesAhead&) = delete;

    // Begins to open sources until `now` of those not taken are open or being opened, and then up to `early` more as long
    // as they are regular files. Devices, pipes and addresses are not opened early: their data do not wait. Those among
    // the first `now` are opened at once, before it is known whether the sources ahead of them open.
    // A file that is opened early may get a software decoder because those that run use all of the hardware.
    void open(std::size_t now, std::size_t early);
    // Stops the opening of what was not taken, and closes it. It is opened again when it is asked for; what a pipe has
    // delivered is lost.
    void close();

    [[nodiscard]] bool has_next() const noexcept { return next_ < list_.size(); }
    [[nodiscard]] std::size_t next() const noexcept { return next_; }  // index of the source that take returns
    // Blocks until take would not wait, at most for this time. Returns false if it would. Requires that open has begun to
    // open the next source.
    [[nodiscard]] bool wait(std::chrono::milliseconds timeout) const;
    // Returns the next source of the list. One that failed early, when memory, descriptors or decoders may have been short,
    // is opened once more, after the files opened early behind it are closed. Throws what its opening threw; the source
    // counts as taken then, too.
    [[nodiscard]] std::unique_ptr<VideoSource> take();

private:
    struct Opening {
        std::future<std::unique_ptr<VideoSource>> source;
        bool early = false;  // when it began
    };
    // Holds the sources from next_ on that are open, failed, or being opened; they are stopped together.
    struct Openings {
        explicit Openings(const std::stop_token& stop) : callback(stop, [this] { source.request_stop(); }) {}
        ~Openings() { source.request_stop(); }
        Openings(const Openings&) = delete;
        Openings& operator=(const Openings&) = delete;

        std::stop_source source;
        std::stop_callback<std::function<void()>> callback;
        std::deque<Opening> list;  // last member: waits for the threads
    };

    const std::vector<std::string> list_;
    const Open open_;
    const std::stop_token stop_;
    std::size_t next_ = 0;
    std::optional<Openings> openings_;  // never empty
};

}  // namespace throng
