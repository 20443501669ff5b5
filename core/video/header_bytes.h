// Reads numbers from the bytes of a file that may be cut or damaged.
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace throng {

// Bounds-checked bytes: reads outside return 0.
class HeaderBytes {
public:
    explicit HeaderBytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    [[nodiscard]] std::size_t size() const { return bytes_.size(); }
    [[nodiscard]] std::uint32_t at(std::size_t i) const { return i < bytes_.size() ? bytes_[i] : 0U; }
    [[nodiscard]] std::uint32_t big16(std::size_t i) const { return at(i) << 8 | at(i + 1); }
    [[nodiscard]] std::uint32_t big32(std::size_t i) const { return big16(i) << 16 | big16(i + 2); }
    [[nodiscard]] std::uint32_t little16(std::size_t i) const { return at(i + 1) << 8 | at(i); }
    [[nodiscard]] std::uint32_t little24(std::size_t i) const { return at(i + 2) << 16 | little16(i); }
    [[nodiscard]] std::uint32_t little32(std::size_t i) const { return little16(i + 2) << 16 | little16(i); }
    [[nodiscard]] bool holds(std::size_t i, std::string_view text) const {
        return i <= size() && text.size() <= size() - i &&
               std::memcmp(bytes_.data() + i, text.data(), text.size()) == 0;
    }
    // Returns where the text is next, from i on; size() if it is nowhere.
    [[nodiscard]] std::size_t find(std::size_t i, std::string_view text) const {
        const auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(std::min(i, size()));
        return static_cast<std::size_t>(std::search(from, bytes_.end(), text.begin(), text.end()) - bytes_.begin());
    }
    // Returns the bytes of [begin, begin + length) that exist.
    [[nodiscard]] HeaderBytes part(std::size_t begin, std::size_t length) const {
        const std::size_t first = std::min(begin, size());
        return HeaderBytes(bytes_.subspan(first, std::min(length, size() - first)));
    }
    [[nodiscard]] std::span<const std::uint8_t> span() const { return bytes_; }

private:
    std::span<const std::uint8_t> bytes_;
};

// The bytes of a file in memory or on the disk, of any size. Not thread-safe.
class FileBytes {
public:
    // bytes: must outlive it.
    explicit FileBytes(std::span<const std::uint8_t> bytes) : block_(bytes), size_(bytes.size()) {}
    // file: a regular file; must outlive it. at_most: the bytes after these are ignored.
    explicit FileBytes(std::FILE* file, std::size_t at_most = SIZE_MAX) : file_(file) {
        struct stat status {};
        if (::fstat(::fileno(file), &status) == 0) size_ = std::min(at_most, static_cast<std::size_t>(status.st_size));
    }
    FileBytes(const FileBytes&) = delete;
    FileBytes& operator=(const FileBytes&) = delete;

    [[nodiscard]] std::size_t size() const { return size_; }
    // Returns the bytes of [begin, begin + length) that exist and can be read; valid until the next call.
    [[nodiscard]] HeaderBytes part(std::size_t begin, std::size_t length) {
        begin = std::min(begin, size_);
        length = std::min(length, size_ - begin);
        if (begin < begin_ || begin + length > begin_ + block_.size()) read(begin, length);
        return HeaderBytes(block_).part(begin - begin_, length);
    }

private:
    void read(std::size_t begin, std::size_t length) {
        constexpr std::size_t kBlock = std::size_t{1} << 16;
        // A multiple of the length, so that reads that advance by little are mostly of bytes already read.
        buffer_.resize(std::min(std::max(2 * length, kBlock), size_ - begin));
        const bool found = file_ != nullptr && ::fseeko(file_, static_cast<off_t>(begin), SEEK_SET) == 0;
        buffer_.resize(found ? std::fread(buffer_.data(), 1, buffer_.size(), file_) : 0);
        begin_ = begin;
        block_ = buffer_;
    }

    std::FILE* file_ = nullptr;
    std::vector<std::uint8_t> buffer_;
    std::size_t begin_ = 0;  // of block_
    std::span<const std::uint8_t> block_;
    std::size_t size_ = 0;
};

// Reads big-endian fields one after another; 0 after the end.
class FieldReader {
public:
    explicit FieldReader(const HeaderBytes& bytes) : bytes_(bytes) {}

    // length: 0 to 8 bytes.
    std::uint64_t number(int length) {
        std::uint64_t value = 0;
        for (int i = 0; i < length; ++i) value = value << 8 | bytes_.at(at_++);
        return value;
    }
    std::uint32_t u8() { return static_cast<std::uint32_t>(number(1)); }
    std::uint32_t u16() { return static_cast<std::uint32_t>(number(2)); }
    std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
    void skip(std::size_t length) { at_ += length; }
    [[nodiscard]] bool ended() const { return at_ >= bytes_.size(); }
    [[nodiscard]] HeaderBytes rest() const { return bytes_.part(at_, bytes_.size()); }

private:
    HeaderBytes bytes_;
    std::size_t at_ = 0;
};

}  // namespace throng
