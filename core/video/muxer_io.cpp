#include "core/video/muxer_io.h"

#include <unistd.h>

#include <new>

namespace throng {

MuxerIo::~MuxerIo() {
    if (context_ != nullptr) av_freep(&context_->buffer);
    avio_context_free(&context_);
}

AVIOContext* MuxerIo::open() {
    constexpr int kBufferBytes = 1 << 16;
    auto* buffer = static_cast<unsigned char*>(av_malloc(kBufferBytes));
    context_ = avio_alloc_context(buffer, kBufferBytes, 1, this, nullptr, write_bytes, seek_bytes);
    if (context_ == nullptr) throw std::bad_alloc();
    context_->seekable = seek_(0, SEEK_CUR) >= 0 ? AVIO_SEEKABLE_NORMAL : 0;
    return context_;
}

int MuxerIo::write_bytes(void* self, std::uint8_t* bytes, int size) {
    auto& io = *static_cast<MuxerIo*>(self);
    try {
        io.write_({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)});
        return size;
    } catch (...) {
        if (!io.failure_) io.failure_ = std::current_exception();
        return AVERROR(EIO);
    }
}

std::int64_t MuxerIo::seek_bytes(void* self, std::int64_t offset, int whence) {
    if (whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END) return AVERROR(ENOSYS);
    return static_cast<MuxerIo*>(self)->seek_(offset, whence);
}

}  // namespace throng
