// Device memory of a caller for the buffers of a scope, instead of new allocations.
#pragma once

#include <cstddef>

namespace throng::gpu {

// While it lives, each DeviceBuffer that this thread creates takes its memory from the given block, one after the other,
// aligned to 256 bytes. These buffers must be destroyed before the arena; that frees nothing. Arenas do not nest.
class MemoryArena {
public:
    // For measuring: buffers get addresses that must not be used. Fills are not enqueued.
    MemoryArena() : MemoryArena(nullptr, 0) {}
    // The block is aligned to 256 bytes.
    MemoryArena(void* d_memory, std::size_t bytes);
    MemoryArena(const MemoryArena&) = delete;
    MemoryArena& operator=(const MemoryArena&) = delete;
    ~MemoryArena();

    // Bytes taken so far.
    [[nodiscard]] std::size_t used() const noexcept { return used_; }
    [[nodiscard]] bool measures() const noexcept { return memory_ == nullptr; }

    // Throws Error(internal) if the block is too small.
    [[nodiscard]] void* take(std::size_t bytes);
    // The arena of this thread, or null.
    [[nodiscard]] static MemoryArena* current() noexcept;

private:
    std::byte* memory_;
    std::size_t bytes_;
    std::size_t used_ = 0;
};

}  // namespace throng::gpu
