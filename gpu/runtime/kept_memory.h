// Device memory that outlives its buffers: what depends on the frame size is built again for another size in the
// memory of the previous one, without freeing and allocating hundreds of megabytes.
#pragma once

#include <cstddef>
#include <vector>

namespace throng::gpu {

// The blocks grow to those of the largest frames. They are freed for a larger one of their owner, by free_unused(), and
// if their owner runs out of memory; nobody else can have them. All work that uses them is enqueued on one stream, or
// joins it: its order keeps a new user of a block after the previous one. Not thread-safe.
class KeptMemory {
public:
    // While it lives, DeviceBuffers that this thread creates take their memory from here, and those that it destroys
    // return it. Every buffer from here is destroyed during a Use, or with the owner of the memory. Uses do not nest.
    class Use {
    public:
        explicit Use(KeptMemory& memory);
        ~Use();
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;
    };

    KeptMemory() = default;
    KeptMemory(const KeptMemory&) = delete;
    KeptMemory& operator=(const KeptMemory&) = delete;
    ~KeptMemory() { free_unused(); }

    // For the allocator of DeviceBuffer. Returns an unused block of a suitable size, or null; then add() one.
    [[nodiscard]] void* take(std::size_t bytes);
    void add(void* d_address, std::size_t bytes);
    // Returns false for memory from elsewhere.
    bool give_back(const void* d_address) noexcept;
    // Frees the blocks that no buffer has, which waits for work that uses them.
    void free_unused() noexcept { free_unused(0, static_cast<std::size_t>(-1)); }
    // Returns that of this thread's Use, or null.
    [[nodiscard]] static KeptMemory* current() noexcept;

private:
    struct Block {
        void* address;
        std::size_t bytes;
        bool used;
    };

    // Those of [smallest, largest] bytes.
    void free_unused(std::size_t smallest, std::size_t largest) noexcept;

    std::vector<Block> blocks_;
};

}  // namespace throng::gpu
