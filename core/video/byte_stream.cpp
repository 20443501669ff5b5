#include "core/video/byte_stream.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

#include "core/base/input_file.h"
#include "core/video/media_input.h"
#include "core/video/watchdog.h"

extern "C" {
#include <libavutil/opt.h>
}

namespace throng {
namespace {

constexpr int kBufferBytes = 1 << 15;

std::string size_text(std::int64_t bytes) {
    if (bytes < 10'000) return fmt::format("{} bytes", bytes);
    if (bytes < 1'000'000) return short_number(static_cast<double>(bytes) / 1e3) + " kB";
    return short_number(static_cast<double>(bytes) / 1e6) + " MB";
}

}  // namespace

void ByteStream::ContextDeleter::operator()(AVIOContext* context) const noexcept {
    av_freep(&context->buffer);
    avio_context_free(&context);
}

void ByteStream::make_context(bool seekable) {
    auto* buffer = static_cast<unsigned char*>(av_malloc(kBufferBytes));
    if (buffer == nullptr) throw std::bad_alloc();
    context_.reset(avio_alloc_context(buffer, kBufferBytes, 0, this, read_packet, nullptr, seek_to));
    if (!context_) {
        av_free(buffer);
        throw std::bad_alloc();
    }
    context_->seekable = seekable ? AVIO_SEEKABLE_NORMAL : 0;
}

int ByteStream::read_packet(void* self, std::uint8_t* to, int size) {
    auto& stream = *static_cast<ByteStream*>(self);
    if (stream.stopped()) return AVERROR_EXIT;
    if (!stream.failure_.empty()) return AVERROR_EOF;
    const int count = stream.read(to, size);
    if (count > 0) {
        stream.last_data_ = Clock::now();
        stream.has_data_ = true;
        return count;
    }
    return count < 0 && stream.stopped() ? AVERROR_EXIT : AVERROR_EOF;
}

std::int64_t ByteStream::seek_to(void* self, std::int64_t offset, int whence) {
    auto& stream = *static_cast<ByteStream*>(self);
    if ((whence & AVSEEK_SIZE) != 0) return stream.size().value_or(AVERROR(ENOSYS));
    if (stream.stopped()) return AVERROR_EXIT;
    // A demuxer may also read the end of a file while it opens it. If that fails, the beginning may be sufficient.
    const bool returns = stream.opening_ && whence == SEEK_SET && stream.is_received(offset);
    if (!stream.failure_.empty() && !returns) return AVERROR(EIO);
    if (!stream.failure_.empty()) stream.recover();
    return stream.seek(offset, whence);
}

int ByteStream::fail(Message why) {
    failure_ = std::move(why);
    return -1;
}

void ByteStream::recover() {
    failure_ = {};
    clear_errors();
    context_->error = 0;
    context_->eof_reached = 0;
}

ByteStream::Clock::time_point ByteStream::deadline(bool answered) const {
    const auto after = [](Clock::time_point start, double seconds) {
        return start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    };
    const Clock::time_point silent = after(Clock::now(), limits_.read_timeout);
    if (!opening_) return silent;
    const Clock::time_point open = after(opened_, limits_.open_timeout);
    return answered || has_data_ ? std::min(open, silent) : open;
}

Message ByteStream::timeout_message() const {
    const double silence = std::chrono::duration<double>(Clock::now() - last_data_).count();
    if (opening_ && has_data_ && silence < 0.9 * std::min(limits_.open_timeout, limits_.read_timeout)) {
        return {"the data arrive too slowly: not opened within %1 s", short_number(limits_.open_timeout)};
    }
    const double limit = opening_ ? std::min(limits_.open_timeout, limits_.read_timeout) : limits_.read_timeout;
    return {"no data for %1 s", short_number(limit)};
}

namespace {

class UrlStream final : public ByteStream {
public:
    UrlStream(const std::string& url, av::Dictionary& options, const ByteLimits& limits, const std::stop_token& stop,
              int& status)
        : ByteStream(limits, stop) {
        arm();
        const AVIOInterruptCB interrupt{Watchdog::interrupt, &watchdog_};
        AVIOContext* context = nullptr;
        const av::LogScope scope(log_);
        status = avio_open2(&context, url.c_str(), AVIO_FLAG_READ, &interrupt, options.address());
        if (status < 0 && watchdog_.expired()) status = AVERROR(ETIMEDOUT);
        connection_.reset(context);
        if (connection_) make_context(connection_->seekable != 0);
    }

    [[nodiscard]] std::optional<std::int64_t> size() override {
        const std::int64_t bytes = avio_size(connection_.get());
        return bytes > 0 ? std::optional(bytes) : std::nullopt;
    }
    [[nodiscard]] bool closed_by_sender() const override { return ByteStream::closed_by_sender() || truncated_chunk_; }
    [[nodiscard]] std::string location() override {
        std::uint8_t* text = nullptr;
        if (av_opt_get(connection_.get(), "location", AV_OPT_SEARCH_CHILDREN, &text) < 0) return {};
        std::string result(text != nullptr ? reinterpret_cast<const char*>(text) : "");
        av_free(text);
        return result;
    }
    [[nodiscard]] std::string allowed_protocols() override {
        const char* list = connection_->protocol_whitelist;
        return list != nullptr ? list : "";
    }

private:
    struct Closer {
        void operator()(AVIOContext* context) const noexcept { avio_closep(&context); }
    };

    void arm() { watchdog_.arm_until(deadline(false), stop()); }

    int read(std::uint8_t* to, int size) override {
        arm();
        const av::LogScope scope(log_);
        const int count = avio_read_partial(connection_.get(), to, size);
        if (count > 0) {
            received_until_ = std::max(received_until_, avio_tell(connection_.get()));
            return count;
        }
        if (stopped()) return -1;
        if (watchdog_.expired() || count == AVERROR_EXIT || count == AVERROR(ETIMEDOUT)) {
            return fail(timeout_message());
        }
        const std::optional<std::int64_t> whole = this->size();
        const std::int64_t position = avio_tell(connection_.get());
        if (whole && position < *whole) {
            return fail("the connection broke after " + size_text(position) + " of " + size_text(*whole));
        }
        // Without a length, the end of the connection is the end of the data. FFmpeg returns EIO in this case.
        if (count == 0 || count == AVERROR_EOF || count == AVERROR(EIO)) {
            // A complete chunked body ends with an empty chunk.
            truncated_chunk_ = !whole && log_.http_chunk.value_or(0) > 0;
            return truncated_chunk_ ? fail("the connection broke after " + size_text(position)) : 0;
        }
        return fail("the connection broke: " + av::message(count));
    }

    std::int64_t seek(std::int64_t offset, int whence) override {
        arm();
        const av::LogScope scope(log_);
        const std::int64_t position = avio_seek(connection_.get(), offset, whence);
        if (position >= 0 || stopped()) return position;
        if (watchdog_.expired()) {
            fail(timeout_message());
        } else if (position == AVERROR(EIO) || position == AVERROR(ECONNREFUSED) || position == AVERROR(ECONNRESET)) {
            fail("the connection broke: " + av::message(static_cast<int>(position)));
        }
        return position;
    }

    void clear_errors() override {
        truncated_chunk_ = false;
        connection_->error = 0;
        connection_->eof_reached = 0;
    }

    [[nodiscard]] bool is_received(std::int64_t position) const override { return position < received_until_; }

    Watchdog watchdog_;
    std::unique_ptr<AVIOContext, Closer> connection_;
    av::InputLog log_;
    bool truncated_chunk_ = false;
    std::int64_t received_until_ = 0;
};

class PipeStream final : public ByteStream {
public:
    PipeStream(const std::string& path, const ByteLimits& limits, const std::stop_token& stop, int& status)
        : ByteStream(limits, stop), file_(path) {
        status = file_.error() != 0 ? AVERROR(file_.error()) : 0;
        if (file_.error() == 0) make_context(false);
    }

private:
    int read(std::uint8_t* to, int size) override {
        bool had_writer = file_.had_writer();
        Clock::time_point until = deadline(had_writer);
        while (!stopped()) {
            const std::optional<std::size_t> count = file_.read(to, static_cast<std::size_t>(size));
            if (file_.error() != 0) {
                return fail("reading failed: " + std::generic_category().message(file_.error()));
            }
            if (count) return static_cast<int>(*count);
            if (file_.had_writer() && !std::exchange(had_writer, true)) until = deadline(true);
            if (Clock::now() >= until) {
                return fail(had_writer ? timeout_message()
                                       : "no writer within " + short_number(limits().open_timeout) + " s");
            }
        }
        return -1;
    }

    InputFile file_;
};

}  // namespace

std::unique_ptr<ByteStream> open_url_stream(const std::string& url, av::Dictionary& options, const ByteLimits& limits,
                                            const std::stop_token& stop, int& status) {
    auto stream = std::make_unique<UrlStream>(url, options, limits, stop, status);
    return status >= 0 ? std::move(stream) : nullptr;
}

std::unique_ptr<ByteStream> open_pipe_stream(const std::string& path, const ByteLimits& limits,
                                             const std::stop_token& stop, int& status) {
    auto stream = std::make_unique<PipeStream>(path, limits, stop, status);
    return status >= 0 ? std::move(stream) : nullptr;
}

}  // namespace throng
