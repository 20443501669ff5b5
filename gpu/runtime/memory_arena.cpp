#include "gpu/runtime/memory_arena.h"

#include <cstdint>
#include <string>

#include "core/base/error.h"

namespace throng::gpu {
namespace {

constexpr std::size_t kAlignment = 256;

}  // namespace

MemoryArena::MemoryArena(void* d_memory, std::size_t bytes)
    : memory_(static_cast<std::byte*>(d_memory)), bytes_(bytes) {}

void* MemoryArena::take(std::size_t bytes) {
    const std::size_t at = used_;
    used_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (measures()) return reinterpret_cast<void*>(kAlignment + at);
    if (used_ > bytes_) {
        throw Error(ErrorKind::internal, "needs " + std::to_string(used_) + " of " + std::to_string(bytes_) + " bytes",
                    "memory arena");
    }
    return memory_ + at;
}

}  // namespace throng::gpu
