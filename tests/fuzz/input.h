// Defines what the fuzz functions share: their head, conditions, files in memory, values from bytes.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

// Begins the function of a target, whose input is `size` bytes at `data`: that of libFuzzer, which allows one per program,
// or one of the program `fuzz`.
#ifdef TH_LIBFUZZER
#define TH_FUZZ(target) extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
#else
#define TH_FUZZ(target)                                                                    \
    static int fuzz_##target(const std::uint8_t* data, std::size_t size);                  \
    static const throng::fuzz::Registration registration_##target(#target, fuzz_##target); \
    static int fuzz_##target(const std::uint8_t* data, std::size_t size)
#endif

namespace throng::fuzz {

struct Target {
    const char* name;
    int (*run)(const std::uint8_t* data, std::size_t size);
};

// Returns the targets of this program.
inline std::vector<Target>& targets() {
    static std::vector<Target> all;
    return all;
}

struct Registration {
    Registration(const char* name, int (*run)(const std::uint8_t* data, std::size_t size)) {
        targets().push_back({name, run});
    }
};

// Ends the program, which is a finding, unless the condition holds.
inline void require(bool condition, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    if (condition) return;
    std::fprintf(stderr, "%s:%d: the condition does not hold\n", file, line);
    std::abort();
}

// A file in memory, for readers that open a path.
class MemoryFile {
public:
    MemoryFile() : file_(memfd_create("fuzz", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(file_)) {}

    // Replaces the content.
    const std::string& put(std::string_view bytes) const {
        require(::ftruncate(file_, 0) == 0);
        require(::pwrite(file_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
        return path_;
    }

private:
    int file_;
    std::string path_;
};

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

// Takes values from the front of the input; 0 after its end.
class Bytes {
public:
    Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    [[nodiscard]] std::size_t size() const { return size_; }

    template <class T>
    T take() {
        T value{};
        const std::size_t count = std::min(sizeof value, size_);
        if (count > 0) std::memcpy(&value, data_, count);
        data_ += count;
        size_ -= count;
        return value;
    }
    int take_byte() { return take<std::uint8_t>(); }
    // Returns a number in [low, high], which are less than 256 apart.
    int take_in(int low, int high) { return low + take_byte() % (high - low + 1); }
    std::string_view rest() const { return text_of(data_, size_); }

private:
    const std::uint8_t* data_;
    std::size_t size_;
};

}  // namespace throng::fuzz
