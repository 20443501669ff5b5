// Connects a muxer of FFmpeg to functions that write. FFmpeg's own file protocol neither handles stop requests nor locks
// the file.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "core/video/av.h"

namespace throng {

struct OutputContextDeleter {
    void operator()(AVFormatContext* context) const noexcept { avformat_free_context(context); }
};
using OutputContextPtr = std::unique_ptr<AVFormatContext, OutputContextDeleter>;

// Must outlive the muxer's last call. Not thread-safe.
class MuxerIo {
public:
    using Write = std::function<void(std::string_view)>;                 // throws Error
    using Seek = std::function<std::int64_t(std::int64_t offset, int)>;  // as lseek; negative after an error

    MuxerIo(Write write, Seek seek) : write_(std::move(write)), seek_(std::move(seek)) {}
    ~MuxerIo();
    MuxerIo(const MuxerIo&) = delete;
    MuxerIo& operator=(const MuxerIo&) = delete;

    // Creates the context for AVFormatContext::pb. To be called once, with the output open.
    [[nodiscard]] AVIOContext* open();
    // Returns the first exception of a function, or null. FFmpeg forwards only an error code.
    [[nodiscard]] std::exception_ptr failure() const { return failure_; }

private:
    static int write_bytes(void* self, std::uint8_t* bytes, int size);
    static std::int64_t seek_bytes(void* self, std::int64_t offset, int whence);

    Write write_;
    Seek seek_;
    AVIOContext* context_ = nullptr;
    std::exception_ptr failure_;
};

}  // namespace throng
