// The bytes of inputs that may stop coming in the middle: connections, pipes and character devices.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/video/av.h"

namespace throng {

struct ByteLimits {
    double open_timeout = 10;  // seconds, for everything until finish_opening
    double read_timeout = 5;   // seconds without data
};

// Feeds a demuxer. Wherever the data stop, the demuxer sees an end, as in a file that was cut there: so everything that
// arrived is decoded, and the reason is kept here. Used from one thread.
class ByteStream {
public:
    ByteStream(const ByteStream&) = delete;
    ByteStream& operator=(const ByteStream&) = delete;
    virtual ~ByteStream() = default;

    // For AVFormatContext::pb; lives as long as this object.
    [[nodiscard]] AVIOContext& context() { return *context_; }

    // A request ends the reads that follow.
    void set_stop(const std::stop_token& stop) { stop_ = stop; }
    // From now on only the time without data is limited.
    void finish_opening() { opening_ = false; }
    // Forgets why the data ended: the demuxer is about to read at another position.
    void recover();

    // Why the data ended before their end ("no data for 5 s"); empty while nothing is missing.
    [[nodiscard]] const std::string& failure() const { return failure_; }
    // The sender closed the connection, in good order or too early: not a time limit and not the network.
    [[nodiscard]] virtual bool closed_by_sender() const { return failure_.empty(); }
    // In bytes, where it is known.
    [[nodiscard]] virtual std::optional<std::int64_t> size() { return std::nullopt; }
    // Where a redirection led; empty for what has no address.
    [[nodiscard]] virtual std::string location() { return {}; }
    // FFmpeg's list of the protocols that a playlist from here may open; empty: no restriction of its own.
    [[nodiscard]] virtual std::string allowed_protocols() { return {}; }

protected:
    using Clock = std::chrono::steady_clock;

    ByteStream(const ByteLimits& limits, std::stop_token stop) : limits_(limits), stop_(std::move(stop)) {}

    void make_context(bool seekable);
    // Gives the number of bytes read, 0 at the end, or a negative value after fail() or a stop request.
    virtual int read(std::uint8_t* to, int size) = 0;
    // Gives the new position or a negative value.
    virtual std::int64_t seek(std::int64_t offset, int whence) { return static_cast<void>(offset + whence), -1; }
    virtual void clear_errors() {}
    // All bytes before this position have come.
    [[nodiscard]] virtual bool has_come(std::int64_t position) const { return static_cast<void>(position), false; }

    int fail(std::string why);  // gives a negative value
    [[nodiscard]] bool stopped() const { return stop_.stop_requested(); }
    [[nodiscard]] const std::stop_token& stop() const { return stop_; }
    // Until when an operation that begins now may wait; answered: the other side is there.
    [[nodiscard]] Clock::time_point deadline(bool answered) const;
    // What to report when it waited in vain.
    [[nodiscard]] std::string timeout_message() const;
    [[nodiscard]] const ByteLimits& limits() const { return limits_; }

private:
    static int read_packet(void* self, std::uint8_t* to, int size);
    static std::int64_t seek_to(void* self, std::int64_t offset, int whence);
    struct ContextDeleter {
        void operator()(AVIOContext* context) const noexcept;
    };

    const ByteLimits limits_;
    const Clock::time_point opened_ = Clock::now();
    Clock::time_point last_data_ = opened_;
    std::unique_ptr<AVIOContext, ContextDeleter> context_;
    std::stop_token stop_;
    std::string failure_;
    bool opening_ = true;
    bool has_data_ = false;
};

// Both give null and an error code of FFmpeg's in `status` where the input cannot be opened.

// An address of a protocol that carries files; takes the options that the protocol knows out of the dictionary.
[[nodiscard]] std::unique_ptr<ByteStream> open_url_stream(const std::string& url, av::Dictionary& options,
                                                          const ByteLimits& limits, const std::stop_token& stop,
                                                          int& status);

// A path that is neither a file nor a folder: a FIFO, /dev/stdin, a character device. Does not wait for a writer.
[[nodiscard]] std::unique_ptr<ByteStream> open_pipe_stream(const std::string& path, const ByteLimits& limits,
                                                           const std::stop_token& stop, int& status);

}  // namespace throng
