// Reads numbers from the bytes of a file that may be cut or damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

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
    // Returns the bytes of [begin, begin + length) that exist.
    [[nodiscard]] HeaderBytes part(std::size_t begin, std::size_t length) const {
        const std::size_t first = begin < size() ? begin : size();
        return HeaderBytes(bytes_.subspan(first, length < size() - first ? length : size() - first));
    }
    [[nodiscard]] std::span<const std::uint8_t> span() const { return bytes_; }

private:
    std::span<const std::uint8_t> bytes_;
};

}  // namespace throng
