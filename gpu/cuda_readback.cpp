#include "gpu/cuda_readback.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <utility>

#include "core/frame/host_copies.h"

namespace throng::gpu {
namespace {

constexpr std::size_t kKeptImages = 8;  // a video writer holds up to five, the window one

}  // namespace

struct CudaReadback::PinnedImage {
    PinnedBuffer<std::uint8_t> memory;
};

CudaReadback::CudaReadback(int device, StreamView stream, std::shared_ptr<ExpectedCount> expected)
    : device_(device), stream_(stream), expected_(std::move(expected)) {}

CudaReadback::~CudaReadback() {
    warn_cuda(cudaStreamSynchronize(copies_.view()), "waiting for a frame");
}

void CudaReadback::start(const DetectionBuffer& raw, const DetectionBuffer& kept, const Frame& frame,
                         Requested requested) {
    check_cuda(cudaSetDevice(device_), "cudaSetDevice");  // the current device is a property of the calling thread
    kept_.start(kept, true, stream_);
    raw_.start(raw, requested.raw_boxes, stream_);
    detections_.record(stream_);
    if (requested.image && frame.info().memory == MemoryKind::device) start_image(frame);
}

// Page-locking memory takes milliseconds, so images without other owners are reused.
std::shared_ptr<CudaReadback::PinnedImage> CudaReadback::acquire_memory(std::size_t bytes) {
    std::erase_if(images_, [bytes](const auto& p) { return p.use_count() == 1 && p->memory.size() != bytes; });
    for (const auto& image : images_) {
        if (image.use_count() != 1) continue;
        std::atomic_thread_fence(std::memory_order_acquire);  // the last reader has finished
        return image;
    }
    auto image = std::make_shared<PinnedImage>(PinnedImage{PinnedBuffer<std::uint8_t>(bytes)});
    if (images_.size() < kKeptImages) images_.push_back(image);
    return image;
}

void CudaReadback::start_image(const Frame& frame) {
    FrameInfo info = frame.info();
    info.memory = MemoryKind::pinned;
    PlaneView planes[Frame::kMaxPlanes];
    std::size_t bytes = 0;
    for (int p = 0; p < plane_count(info.format); ++p) {
        planes[p] = plane_shape(info.format, info.width, info.height, p);
        planes[p].pitch = (planes[p].width + 63) / 64 * 64;
        bytes += static_cast<std::size_t>(planes[p].pitch) * static_cast<std::size_t>(planes[p].height);
    }
    std::shared_ptr<PinnedImage> target = acquire_memory(bytes);
    decoded_.record(cudaStreamLegacy);  // FFmpeg's decoder writes its frames on this stream
    decoded_.make_wait(copies_.view());
    std::uint8_t* to = target->memory.data();
    for (int p = 0; p < plane_count(info.format); ++p) {
        PlaneView& plane = planes[p];
        const PlaneView& from = frame.plane(p);
        plane.data = to;
        const auto width = static_cast<std::size_t>(plane.width);
        const auto rows = static_cast<std::size_t>(plane.height);
        check_cuda(cudaMemcpy2DAsync(to, static_cast<std::size_t>(plane.pitch), from.data,
                                     static_cast<std::size_t>(from.pitch), width, rows, cudaMemcpyDeviceToHost,
                                     copies_.view()),
                   "copying a frame to the host");
        count_host_copy(width * rows);
        to += static_cast<std::size_t>(plane.pitch) * rows;
    }
    image_done_.record(copies_.view());
    source_ = frame;
    image_ = Frame(info, planes, std::move(target));
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
