#include "gpu/runtime/kept_memory.h"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "core/base/error.h"

namespace throng::gpu {
namespace {

// A block serves requests down to this fraction of it, so that tables do not occupy the memory of images.
constexpr std::size_t kWaste = 4;
constexpr std::size_t kSmall = 1U << 20;  // bytes: waste below does not matter

}  // namespace

void* KeptMemory::take(std::size_t bytes) {
    Block* best = nullptr;
    for (Block& block : blocks_) {
        const bool fits = !block.used && block.bytes >= bytes && block.bytes <= std::max(kSmall, kWaste * bytes);
        if (fits && (best == nullptr || block.bytes < best->bytes)) best = &block;
    }
    if (best == nullptr) {
        if (bytes > 0) free_unused(bytes / kWaste, bytes - 1);  // a larger one replaces them
        best = &blocks_.emplace_back(Block{allocate(bytes), bytes, true});
    }
    best->used = true;
    return best->address;
}

void* KeptMemory::allocate(std::size_t bytes) {
    try {
        return detail::allocate_new(bytes);
    } catch (const Error&) {
        free_unused();
        return detail::allocate_new(bytes);
    }
}

bool KeptMemory::give_back(const void* d_address) noexcept {
    const auto block =
        std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& each) { return each.address == d_address; });
    if (block == blocks_.end()) return false;
    block->used = false;
    return true;
}

void KeptMemory::free_unused(std::size_t smallest, std::size_t largest) noexcept {
    std::erase_if(blocks_, [&](const Block& block) {
        if (block.used || block.bytes < smallest || block.bytes > largest) return false;
        warn_cuda(cudaFree(block.address), "cudaFree");
        return true;
    });
}

}  // namespace throng::gpu
