// Several arrays in one block of memory.
#pragma once

#include <cstddef>

#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

// Divides a block into arrays whose addresses are aligned for vector loads. The block is aligned to kAlignment.
class ArrayLayout {
public:
    static constexpr std::size_t kAlignment = 256;

    // memory: null measures, and the arrays are null.
    explicit ArrayLayout(void* memory) : base_(static_cast<std::byte*>(memory)) {}

    template <typename T>
    T* take(std::size_t count) {
        T* address = base_ != nullptr ? reinterpret_cast<T*>(base_ + size_) : nullptr;
        size_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
        return address;
    }
    template <typename T>
    void take(T*& array, std::size_t count) {
        array = take<T>(count);
    }
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    std::byte* base_;
    std::size_t size_ = 0;
};

// Returns one block of device memory for the arrays that take_arrays(layout) takes, after it took them from the block.
template <class TakeArrays>
[[nodiscard]] DeviceBuffer<std::byte> allocate_arrays(const TakeArrays& take_arrays) {
    ArrayLayout measured(nullptr);
    take_arrays(measured);
    DeviceBuffer<std::byte> memory(measured.size());
    ArrayLayout layout(memory.data());
    take_arrays(layout);
    return memory;
}

}  // namespace throng::gpu
