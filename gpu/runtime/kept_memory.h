// Device memory that outlives its buffers: what depends on the frame size is built again for another size in the
// memory of the previous one, without freeing and allocating hundreds of megabytes.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

// The blocks grow to those of the largest frames. They are freed for a larger one of their owner, by free_unused(), and
// if their owner runs out of memory; nobody else can have them. All work that uses them is enqueued on one stream, or
// joins it: its order keeps a new user of a block after the previous one. Every buffer from here is destroyed during a
// Use, or with the owner of the memory. Not thread-safe.
class KeptMemory final : public MemorySource {
public:
    ~KeptMemory() { free_unused(); }

    // Returns an unused block of a suitable size, or a new one.
    [[nodiscard]] void* take(std::size_t bytes) override;
    bool give_back(const void* d_address) noexcept override;
    // Frees the blocks that no buffer has, which waits for work that uses them.
    void free_unused() noexcept { free_unused(0, static_cast<std::size_t>(-1)); }

private:
    struct Block {
        void* address;
        std::size_t bytes;
        bool used;
    };

    [[nodiscard]] void* allocate(std::size_t bytes);
    // Those of [smallest, largest] bytes.
    void free_unused(std::size_t smallest, std::size_t largest) noexcept;

    std::vector<Block> blocks_;
};

}  // namespace throng::gpu
