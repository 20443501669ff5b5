#include "core/pipeline/run.h"

#include <chrono>
#include <utility>

#include "core/base/stopwatch.h"

namespace throng {
namespace {

class Run {
public:
    Run(VideoSource& source, Engine& engine, RunOptions& options, const std::function<void(const FrameResult&)>& write,
        const std::stop_token& stop)
        : source_(source),
          engine_(engine),
          options_(options),
          write_(write),
          stop_(stop),
          fell_back_(engine.fell_back()),
          last_(options.before) {}

    std::uint64_t all() {
        while (more_ || engine_.in_flight() > 0) {
            if (stop_.stop_requested()) throw Error(ErrorKind::interrupted, "stopped", source_.info().name);
            if (more_ && engine_.has_free_slot()) {
                submit_next();
            } else {
                collect();
            }
            if (engine_.fell_back() && !fell_back_) read_again();
        }
        return written_;
    }

private:
    void submit_next() {
        if (options_.max_frames > 0 && submitted_ == static_cast<std::uint64_t>(options_.max_frames)) {
            more_ = false;
            return;
        }
        DecodedFrame decoded;
        const auto start = std::chrono::steady_clock::now();
        if (options_.first) {
            decoded.frame = *std::exchange(options_.first, std::nullopt);
        } else {
            const ReadStatus status = read(decoded.frame);
            if (status == ReadStatus::timeout) return;
            more_ = status != ReadStatus::end;
        }
        if (!more_ || decoded.frame.info().pts >= options_.end) {
            more_ = false;
            return;
        }
        ++submitted_;
        on_device_ = decoded.frame.info().memory == MemoryKind::device;
        decoded.decode_ms = source_.decode_ms().value_or(milliseconds_since(start));
        decoded.source = options_.name.empty() ? source_.current_name() : options_.name;
        engine_.submit(std::move(decoded));
    }

    ReadStatus read(Frame& frame) {
        std::optional<Error> failure;
        ReadStatus status = ReadStatus::end;
        try {
            status = source_.read(frame, stop_);
        } catch (const Error& error) {
            failure = error;
        }
        if (!failure && status != ReadStatus::end) return status;
        engine_.check();
        source_failed_ = engine_.fell_back() && !fell_back_;
        if (source_failed_) return ReadStatus::timeout;
        if (failure) throw Error(*failure);
        return status;
    }

    void collect() {
        const Engine::Outcome outcome = engine_.collect(true);
        if (!outcome.result) return;
        ++written_;
        last_ = outcome.result->frame.info();
        write_(*outcome.result);
    }

    // The device of the decoder has failed as well: its frames come again, in host memory.
    void read_again() {
        fell_back_ = true;
        const std::size_t unreadable = engine_.take_unreadable();
        if (!on_device_ && !source_failed_ && unreadable == 0) return;
        engine_.discard();
        if (!source_.resume_on_host(last_.index, last_.pts)) {
            throw Error(ErrorKind::unavailable, engine_.notice(), source_.info().name,
                        {"use %1 or %2", Setting{"decoder", "software"}, Setting{"backend", "cpu"}});
        }
        submitted_ = written_;
        more_ = true;
    }

    VideoSource& source_;
    Engine& engine_;
    RunOptions& options_;
    const std::function<void(const FrameResult&)>& write_;
    const std::stop_token& stop_;
    bool more_ = true;        // frames to read
    bool on_device_ = false;  // the last frame
    bool source_failed_ = false;
    bool fell_back_;  // before this run, or handled in it
    std::uint64_t submitted_ = 0, written_ = 0;
    FrameInfo last_;  // of the last result
};

}  // namespace

std::uint64_t run(VideoSource& source, Engine& engine, RunOptions options,
                  const std::function<void(const FrameResult&)>& write, const std::stop_token& stop) {
    try {
        return Run(source, engine, options, write, stop).all();
    } catch (...) {
        engine.discard();
        throw;
    }
}

}  // namespace throng
