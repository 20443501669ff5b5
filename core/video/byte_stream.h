// Reads the bytes of inputs that may stall or break: connections, pipes and character devices.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/message.h"
#include "core/video/av.h"

namespace throng {

struct ByteLimits {
    double open_timeout = 10;  // seconds for opening, until finish_opening
    double read_timeout = 5;   // seconds without data
};

// Feeds a demuxer. Wherever the data end, the demuxer gets an end of file, as in a truncated file. Everything that
// arrived is therefore decoded, and failure() returns the reason. Not thread-safe.
class ByteStream {
public:
    ByteStream(const ByteStream&) = delete;
    ByteStream& operator=(const ByteStream&) = delete;
    virtual ~ByteStream() = default;

    // Returns the context for AVFormatContext::pb. It is valid for the lifetime of this object.
    [[nodiscard]] AVIOContext& context() { return *context_; }

    // A stop request ends the reads that follow.
    void set_stop(const std::stop_token& stop) { stop_ = stop; }
    // Ends the open time limit; from now on only the time without data is limited.
    void finish_opening() { opening_ = false; }
    // Clears failure() before the demuxer reads at another position.
    void recover();

    // Returns why the data ended early ("no data for 5 s"); empty while no data are missing.
    [[nodiscard]] const Message& failure() const { return failure_; }
    // Returns true if the sender closed the connection, cleanly or too early. Returns false after a time-out or a
    // network error.
    [[nodiscard]] virtual bool closed_by_sender() const { return failure_.empty(); }
    // Returns the size in bytes, if known.
    [[nodiscard]] virtual std::optional<std::int64_t> size() { return std::nullopt; }
    // Returns the address after redirections; empty for an input without an address.
    [[nodiscard]] virtual std::string location() { return {}; }
    // Returns FFmpeg's list of the protocols that a playlist from this input may open; empty: no additional
    // restriction.
    [[nodiscard]] virtual std::string allowed_protocols() { return {}; }

protected:
    using Clock = std::chrono::steady_clock;

    ByteStream(const ByteLimits& limits, std::stop_token stop) : limits_(limits), stop_(std::move(stop)) {}

    void make_context(bool seekable);
    // Returns the number of bytes read, 0 at the end, or a negative value after fail() or a stop request.
    virtual int read(std::uint8_t* to, int size) = 0;
    // Returns the new position or a negative value.
    virtual std::int64_t seek(std::int64_t offset, int whence) { return static_cast<void>(offset + whence), -1; }
    virtual void clear_errors() {}
    // Returns true if all bytes before this position have been received.
    [[nodiscard]] virtual bool is_received(std::int64_t position) const { return static_cast<void>(position), false; }

    int fail(Message why);  // returns a negative value
    [[nodiscard]] bool stopped() const { return stop_.stop_requested(); }
    [[nodiscard]] const std::stop_token& stop() const { return stop_; }
    // Returns the time until which an operation that begins now may wait. answered: the other side has responded.
    [[nodiscard]] Clock::time_point deadline(bool answered) const;
    // Returns the message for an operation that timed out.
    [[nodiscard]] Message timeout_message() const;
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
    Message failure_;
    bool opening_ = true;
    bool has_data_ = false;
};

// Both functions return null and set `status` to an FFmpeg error code if the input cannot be opened.

// Opens a URL of a protocol that transfers files. Removes the options that the protocol uses from the dictionary.
[[nodiscard]] std::unique_ptr<ByteStream> open_url_stream(const std::string& url, av::Dictionary& options,
                                                          const ByteLimits& limits, const std::stop_token& stop,
                                                          int& status);

// Opens a path that is neither a file nor a folder: a FIFO, /dev/stdin, a character device. Does not wait for a writer.
[[nodiscard]] std::unique_ptr<ByteStream> open_pipe_stream(const std::string& path, const ByteLimits& limits,
                                                           const std::stop_token& stop, int& status);

}  // namespace throng
