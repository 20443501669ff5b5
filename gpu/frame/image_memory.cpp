#include "gpu/frame/image_memory.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "core/frame/frame_pool.h"
#include "core/frame/host_copies.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {
namespace {

// Sets the planes of a frame in one block of memory, if there is memory. Returns its size.
std::size_t lay_out(const FrameInfo& info, std::uint8_t* memory, PlaneView (&planes)[Frame::kMaxPlanes]) {
    std::size_t bytes = 0;
    std::fill(std::begin(planes), std::end(planes), PlaneView{});  // may be those of a previous image
    for (int p = 0; p < plane_count(info.format); ++p) {
        planes[p] = plane_shape(info.format, info.width, info.height, p);
        planes[p].pitch = (planes[p].width + 63) / 64 * 64;
        if (memory != nullptr) planes[p].data = memory + bytes;
        bytes += static_cast<std::size_t>(planes[p].pitch) * static_cast<std::size_t>(planes[p].height);
    }
    return bytes;
}

}  // namespace

struct ImageMemory::Block : DeviceOwner {
    PinnedBuffer<std::uint8_t> host;  // or
    DeviceBuffer<std::uint8_t> on_device;

    [[nodiscard]] std::uint8_t* data() const { return on_device.size() != 0 ? on_device.data() : host.data(); }
    [[nodiscard]] std::size_t size() const { return on_device.size() + host.size(); }
};

std::shared_ptr<ImageMemory::Block> ImageMemory::acquire(std::size_t bytes, bool on_host) {
    const auto fits = [&](const Block& block) { return block.size() == bytes && (block.host.size() != 0) == on_host; };
    std::erase_if(blocks_, [&](const auto& p) { return p.use_count() == 1 && !fits(*p); });
    for (const auto& block : blocks_) {
        if (block.use_count() != 1 || !fits(*block)) continue;
        std::atomic_thread_fence(std::memory_order_acquire);  // the last reader has finished
        return block;
    }
    auto block = std::make_shared<Block>();
    block->device = device_;
    if (on_host) block->host = PinnedBuffer<std::uint8_t>(bytes);
    if (!on_host) block->on_device = DeviceBuffer<std::uint8_t>(bytes);
    if (blocks_.size() < kept_) blocks_.push_back(block);
    return block;
}

ImageMemory::Image ImageMemory::take(const FrameInfo& info) {
    const bool on_host = info.memory != MemoryKind::device;
    PlaneView measured[Frame::kMaxPlanes];
    std::shared_ptr<Block> block = acquire(lay_out(info, nullptr, measured), on_host);
    lay_out(info, block->data(), block->planes);
    std::uint8_t* const data = block->data();
    return {data, std::move(block)};
}

void enqueue_plane_copy(const PlaneView& from, std::uint8_t* to, std::ptrdiff_t pitch, bool to_host,
                        StreamView stream) {
    const auto width = static_cast<std::size_t>(from.width);
    const auto rows = static_cast<std::size_t>(from.height);
    check_cuda(cudaMemcpy2DAsync(to, static_cast<std::size_t>(pitch), from.data, static_cast<std::size_t>(from.pitch),
                                 width, rows, to_host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice, stream),
               to_host ? "copying a frame to the host" : "copying a frame within the device");
    if (to_host) count_host_copy(width * rows);
}

Frame copy_to_host(const FrameInfo& info, const void* owner) {
    const auto& memory = *static_cast<const DeviceOwner*>(owner);
    check_cuda(cudaSetDevice(memory.device), "cudaSetDevice");
    WritableFrame copy = FramePool().take(info.format, info.width, info.height);
    const Stream stream;
    const Event written(Event::Timing::off);
    written.record(cudaStreamLegacy);
    written.make_wait(stream.view());
    for (int p = 0; p < plane_count(info.format); ++p) {
        enqueue_plane_copy(memory.planes[p], copy.data(p), copy.plane(p).pitch, true, stream.view());
    }
    stream.synchronize();
    copy.info() = info;
    copy.info().memory = MemoryKind::host;
    return std::move(copy).finish();
}

}  // namespace throng::gpu
