#include "core/base/line_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/error.h"

namespace throng {
namespace {

constexpr std::size_t kMinBlock = std::size_t{4} << 10U;  // most files are small
constexpr std::size_t kMaxBlock = std::size_t{256} << 10U;

}  // namespace

LineReader::LineReader(std::istream& stream, std::string name, std::size_t max_line)
    : stream_(stream), name_(std::move(name)), max_line_(max_line) {}

bool LineReader::next() {
    std::size_t searched = 0;
    while (true) {
        const char* const start = buffer_.data() + begin_;
        const std::size_t size = buffer_.size() - begin_;
        const auto* const end =
            size > searched ? static_cast<const char*>(std::memchr(start + searched, '\n', size - searched)) : nullptr;
        const std::size_t length = end != nullptr ? static_cast<std::size_t>(end - start) : size;
        complete_ = end != nullptr;
        if (!complete_ && at_end_ && size == 0) return false;
        if (complete_ || at_end_ || length > max_line_) ++number_;
        if (length > max_line_) {
            throw Error(ErrorKind::input, {"the line is longer than %1 bytes", max_line_}, location(),
                        "check that it is the right file: its lines must end with line feeds");
        }
        if (complete_ || at_end_) {
            line_ = {start, length};
            begin_ += length + (complete_ ? 1 : 0);
            return true;
        }
        searched = size;
        fill();
    }
}

std::size_t LineReader::read(char* to, std::size_t count) {
    const std::size_t buffered = std::min(count, buffer_.size() - begin_);
    std::memcpy(to, buffer_.data() + begin_, buffered);
    begin_ += buffered;
    if (buffered == count) return count;
    stream_.read(to + buffered, static_cast<std::streamsize>(count - buffered));
    return buffered + static_cast<std::size_t>(stream_.gcount());
}

std::string LineReader::location() const {
    return name_ + ":" + std::to_string(number_);
}

// Appends one block of the stream to the unread part of the buffer.
void LineReader::fill() {
    buffer_.erase(0, begin_);
    begin_ = 0;
    const std::size_t kept = buffer_.size();
    block_ = std::clamp(2 * block_, kMinBlock, kMaxBlock);
    buffer_.resize(kept + block_);
    stream_.read(buffer_.data() + kept, static_cast<std::streamsize>(block_));
    buffer_.resize(kept + static_cast<std::size_t>(stream_.gcount()));
    if (!stream_ && !stream_.eof()) throw Error(ErrorKind::input, "cannot be read", name_);
    at_end_ = !stream_;
}

}  // namespace throng
