// Device memory of a caller for the buffers of a scope, instead of new allocations.
#pragma once

#include <cstddef>

#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

// While it lives, each DeviceBuffer that this thread creates takes its memory from the given block, one after the other,
// aligned to 256 bytes. These buffers must be destroyed before the arena; that frees nothing. Arenas do not nest.
class MemoryArena final : public MemorySource {
public:
    // For measuring: buffers get addresses that must not be used. Fills are not enqueued.
    MemoryArena() : MemoryArena(nullptr, 0) {}
    // The block is aligned to 256 bytes.
    MemoryArena(void* d_memory, std::size_t bytes);

    // Bytes taken so far.
    [[nodiscard]] std::size_t used() const noexcept { return used_; }
    [[nodiscard]] bool measures() const noexcept override { return memory_ == nullptr; }

    // Throws Error(internal) if the block is too small.
    [[nodiscard]] void* take(std::size_t bytes) override;
    bool give_back(const void* /*d_address*/) noexcept override { return true; }

private:
    std::byte* memory_;
    std::size_t bytes_;
    std::size_t used_ = 0;
    Use use_{*this};
};

}  // namespace throng::gpu
