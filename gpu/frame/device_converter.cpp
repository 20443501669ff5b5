#include "gpu/frame/device_converter.h"

#include <cuda_runtime_api.h>

#include <utility>

#include "gpu/frame/convert.h"
#include "gpu/frame/egl_image.h"
#include "gpu/frame/image_memory.h"

namespace throng::gpu {
namespace {

constexpr std::size_t kKeptImages = 8;  // a source has few frames at a time

// Keeps another owner's memory.
struct WrappedMemory : DeviceOwner {
    std::shared_ptr<const void> owner;
};

// Everything runs on the default stream, where FFmpeg's decoder writes its frames and where readers of its frames wait.
class CudaConverter final : public DeviceConverter {
public:
    explicit CudaConverter(int device) : device_(device), memory_(device, kKeptImages) {}

    Frame to_nv12(FrameInfo info, const PlaneView (&from)[2], std::shared_ptr<const void> owner) override {
        check_cuda(cudaSetDevice(device_), "cudaSetDevice");  // the current device is a property of the calling thread
        info.format = PixelFormat::nv12;
        info.memory = MemoryKind::device;
        const ImageMemory::Image image = memory_.take(info);
        for (int p = 0; p < 2; ++p)
            enqueue_narrow(from[p], p, image.owner->planes[p], image.writable(p), cudaStreamLegacy);
        // The decoder may write its frame again once it has no owner: it needs one as long as it may be read.
        auto owners = std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
            image.owner, std::move(owner));
        return {info, image.owner->planes, std::shared_ptr<const void>(owners, image.owner.get()), copy_to_host};
    }

    DevicePlanes register_image(void* egl_image) override {
        check_cuda(cudaSetDevice(device_), "cudaSetDevice");
        return register_egl_image(device_, egl_image);
    }

    bool can_read(const void* address) override {
        cudaPointerAttributes found{};
        // Without the first call, the second one makes a context on the current device: number 0 on a new thread.
        if (cudaSetDevice(device_) == cudaSuccess && cudaPointerGetAttributes(&found, address) == cudaSuccess) {
            return found.type == cudaMemoryTypeDevice && found.device == device_;
        }
        static_cast<void>(cudaGetLastError());
        return false;
    }

    Frame wrap(FrameInfo info, const PlaneView (&planes)[2], std::shared_ptr<const void> owner) override {
        info.format = PixelFormat::nv12;
        info.memory = MemoryKind::device;
        std::shared_ptr<const DeviceOwner> memory =
            std::make_shared<WrappedMemory>(WrappedMemory{{device_, {planes[0], planes[1]}}, std::move(owner)});
        return {info, memory->planes, memory, copy_to_host};
    }

private:
    int device_;
    ImageMemory memory_;
};

}  // namespace

std::unique_ptr<DeviceConverter> make_device_converter(int device) {
    return std::make_unique<CudaConverter>(device);
}

}  // namespace throng::gpu
