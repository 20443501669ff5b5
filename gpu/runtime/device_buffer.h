// Move-only owners of device memory and page-locked host memory. Kernels take plain addresses.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/runtime/check.h"

namespace throng::gpu {

// Provides the memory of the DeviceBuffers of a thread, instead of new allocations.
class MemorySource {
public:
    // While it lives, DeviceBuffers that this thread creates take their memory from the source, and those that it
    // destroys return it. Uses do not nest.
    class Use {
    public:
        explicit Use(MemorySource& source) noexcept;
        ~Use();
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;
    };

    MemorySource() = default;
    MemorySource(const MemorySource&) = delete;
    MemorySource& operator=(const MemorySource&) = delete;

    // Throws Error if there is not enough memory.
    [[nodiscard]] virtual void* take(std::size_t bytes) = 0;
    // Returns false for memory from elsewhere.
    virtual bool give_back(const void* d_address) noexcept = 0;
    // Returns true if the addresses must not be used.
    [[nodiscard]] virtual bool measures() const noexcept { return false; }

protected:
    ~MemorySource() = default;
};

namespace detail {
// Allocates memory of the device, not of a source.
void* allocate_new(std::size_t bytes);
// The allocators throw Error(unavailable) with the size when there is not enough memory.
void* allocate_device(std::size_t bytes);
void* allocate_pinned(std::size_t bytes);
void free_device(void* address) noexcept;
void free_pinned(void* address) noexcept;
// Enqueue on the stream; do not wait.
void fill_device(void* address, int byte, std::size_t bytes, StreamView stream);
void copy_to_device(void* d_to, const void* from, std::size_t bytes, StreamView stream, const char* what);
}  // namespace detail

// Owns count elements of T, not initialized. The destructor frees them, which waits for work that uses them.
template <typename T, void* (*allocate)(std::size_t), void (*release)(void*) noexcept>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Buffer() = default;
    explicit Buffer(std::size_t count)
        : data_(count != 0 ? static_cast<T*>(allocate(count * sizeof(T))) : nullptr), size_(count) {}
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    Buffer(Buffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~Buffer() {
        if (data_ != nullptr) release(data_);
    }

    [[nodiscard]] T* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return size_ * sizeof(T); }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

template <typename T>
using DeviceBuffer = Buffer<T, detail::allocate_device, detail::free_device>;
template <typename T>
using PinnedBuffer = Buffer<T, detail::allocate_pinned, detail::free_pinned>;

// Copies bytes to the host and waits for the copy.
void copy_to_host(void* to, const void* d_from, std::size_t bytes, StreamView stream);

// Enqueues a fill of every byte of the buffer; does not wait.
template <typename T>
void fill_bytes(const DeviceBuffer<T>& buffer, int byte, StreamView stream) {
    if (buffer.size() != 0) detail::fill_device(buffer.data(), byte, buffer.bytes(), stream);
}

// Returns a copy of the values on the device; enqueues the transfer. The values may be destroyed at once, because CUDA
// stages pageable memory before it returns. what: for the error message, as in "uploading the plan".
template <typename T, typename Stored = T>
[[nodiscard]] DeviceBuffer<Stored> uploaded(const std::vector<T>& values, StreamView stream, const char* what) {
    static_assert(sizeof(T) % sizeof(Stored) == 0);
    DeviceBuffer<Stored> buffer(values.size() * (sizeof(T) / sizeof(Stored)));
    if (!values.empty()) detail::copy_to_device(buffer.data(), values.data(), buffer.bytes(), stream, what);
    return buffer;
}
// The same, where the type of the values depends on a setting.
template <typename T>
[[nodiscard]] DeviceBuffer<std::byte> uploaded_bytes(const std::vector<T>& values, StreamView stream,
                                                     const char* what) {
    return uploaded<T, std::byte>(values, stream, what);
}

}  // namespace throng::gpu
