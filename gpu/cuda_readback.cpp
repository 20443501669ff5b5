#include "gpu/cuda_readback.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <utility>

#include "core/frame/host_copies.h"
#include "core/redact/hiding.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {
namespace {

// A video with hidden faces holds the most.
constexpr std::size_t kKeptImages = kFileDelay;

// Sets the planes of a frame in one block of memory, if there is memory. Returns its size.
std::size_t lay_out(const FrameInfo& info, std::uint8_t* memory, PlaneView (&planes)[Frame::kMaxPlanes]) {
    std::size_t bytes = 0;
    for (int p = 0; p < plane_count(info.format); ++p) {
        planes[p] = plane_shape(info.format, info.width, info.height, p);
        planes[p].pitch = (planes[p].width + 63) / 64 * 64;
        if (memory != nullptr) planes[p].data = memory + bytes;
        bytes += static_cast<std::size_t>(planes[p].pitch) * static_cast<std::size_t>(planes[p].height);
    }
    return bytes;
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

}  // namespace

// Memory for a frame. Page-locking or allocating it takes milliseconds, so it is reused once it has no other owner.
struct CudaReadback::Image {
    PinnedBuffer<std::uint8_t> host;  // or
    DeviceBuffer<std::uint8_t> on_device;
    int device;

    [[nodiscard]] std::uint8_t* data() const { return on_device.size() != 0 ? on_device.data() : host.data(); }
    [[nodiscard]] std::size_t size() const { return on_device.size() + host.size(); }

    // Frame::HostCopy of a frame in on_device.
    static Frame host_copy(const FrameInfo& info, const void* owner) {
        const auto& image = *static_cast<const Image*>(owner);
        check_cuda(cudaSetDevice(image.device), "cudaSetDevice");
        PlaneView planes[Frame::kMaxPlanes];
        lay_out(info, image.data(), planes);
        WritableFrame copy = FramePool().take(info.format, info.width, info.height);
        const Stream stream;
        for (int p = 0; p < plane_count(info.format); ++p) {
            enqueue_plane_copy(planes[p], copy.data(p), copy.plane(p).pitch, true, stream.view());
        }
        stream.synchronize();
        copy.info() = info;
        copy.info().memory = MemoryKind::host;
        return std::move(copy).finish();
    }
};

CudaReadback::CudaReadback(int device, StreamView stream, std::shared_ptr<ExpectedCount> expected)
    : device_(device), stream_(stream), expected_(std::move(expected)) {}

CudaReadback::~CudaReadback() {
    warn_cuda(cudaStreamSynchronize(stream_), "waiting for detections");
    warn_cuda(cudaStreamSynchronize(copies_.view()), "waiting for a frame");
}

void CudaReadback::start(const DetectionBuffer& raw, const DetectionBuffer& kept, const Frame& frame,
                         Requested requested) {
    check_cuda(cudaSetDevice(device_), "cudaSetDevice");  // the current device is a property of the calling thread
    kept_.start(kept, true, stream_);
    raw_.start(raw, requested.raw_boxes, stream_);
    detections_.record(stream_);
    if (frame.info().memory != MemoryKind::device) return;
    if (requested.image || requested.keeps_frame) start_image(frame, requested.image);
}

std::shared_ptr<CudaReadback::Image> CudaReadback::acquire_memory(std::size_t bytes, bool on_host) {
    const auto fits = [&](const Image& image) { return image.size() == bytes && (image.host.size() != 0) == on_host; };
    std::erase_if(images_, [&](const auto& p) { return p.use_count() == 1 && !fits(*p); });
    for (const auto& image : images_) {
        if (image.use_count() != 1 || !fits(*image)) continue;
        std::atomic_thread_fence(std::memory_order_acquire);  // the last reader has finished
        return image;
    }
    auto image = std::make_shared<Image>();
    image->device = device_;
    if (on_host) image->host = PinnedBuffer<std::uint8_t>(bytes);
    if (!on_host) image->on_device = DeviceBuffer<std::uint8_t>(bytes);
    if (images_.size() < kKeptImages) images_.push_back(image);
    return image;
}

void CudaReadback::start_image(const Frame& frame, bool to_host) {
    FrameInfo info = frame.info();
    info.memory = to_host ? MemoryKind::pinned : MemoryKind::device;
    PlaneView planes[Frame::kMaxPlanes];
    std::shared_ptr<Image> target = acquire_memory(lay_out(info, nullptr, planes), to_host);
    lay_out(info, target->data(), planes);
    decoded_.record(cudaStreamLegacy);  // FFmpeg's decoder writes its frames on this stream
    decoded_.make_wait(copies_.view());
    std::uint8_t* to = target->data();
    for (int p = 0; p < plane_count(info.format); ++p) {
        enqueue_plane_copy(frame.plane(p), to + (planes[p].data - planes[0].data), planes[p].pitch, to_host,
                           copies_.view());
    }
    image_done_.record(copies_.view());
    source_ = frame;
    image_ = Frame(info, planes, std::move(target), to_host ? nullptr : &Image::host_copy);
}

void CudaReadback::finish(DetectionSet& raw, DetectionSet& kept, Frame& frame) {
    detections_.synchronize();
    raw_.finish(raw, copies_.view());
    expected_->set(raw.total);
    kept_.finish(kept, copies_.view());
    if (!image_) return;
    image_done_.synchronize();
    source_ = {};
    frame = std::exchange(image_, {});
}

}  // namespace throng::gpu
