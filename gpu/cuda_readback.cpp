#include "gpu/cuda_readback.h"

#include <cuda_runtime_api.h>

#include <utility>

#include "core/redact/hiding.h"

namespace throng::gpu {
namespace {

// A video with hidden faces holds the most.
constexpr std::size_t kKeptImages = kFileDelay;

}  // namespace

CudaReadback::CudaReadback(int device, StreamView stream)
    : device_(device), stream_(stream), memory_(device, kKeptImages) {}

CudaReadback::~CudaReadback() {
    warn_cuda(cudaStreamSynchronize(stream_), "waiting for detections");
    warn_cuda(cudaStreamSynchronize(copies_.view()), "waiting for a frame");
}

void CudaReadback::start(const DetectionBuffer& raw, const DetectionBuffer& kept, const Frame& frame,
                         Requested requested) {
    prepare_detections(raw, kept, requested);
    start_detections();
    start_frame(frame, requested);
}

std::array<std::uint64_t, 2> CudaReadback::prepare_detections(const DetectionBuffer& raw, const DetectionBuffer& kept,
                                                              Requested requested) {
    check_cuda(cudaSetDevice(device_), "cudaSetDevice");  // the current device is a property of the calling thread
    return {reinterpret_cast<std::uintptr_t>(kept_.prepare(kept, true)),
            reinterpret_cast<std::uintptr_t>(raw_.prepare(raw, requested.raw_boxes)) | (requested.raw_boxes ? 1U : 0U)};
}

void CudaReadback::start_detections() const {
    kept_.start(stream_);
    raw_.start(stream_);
}

void CudaReadback::start_frame(const Frame& frame, Requested requested) {
    detections_.record(stream_);
    if (frame.info().memory != MemoryKind::device) return;
    if (requested.image || requested.keeps_frame) start_image(frame, requested.image);
}

void CudaReadback::start_image(const Frame& frame, bool to_host) {
    FrameInfo info = frame.info();
    info.memory = to_host ? MemoryKind::pinned : MemoryKind::device;
    const ImageMemory::Image target = memory_.take(info);
    decoded_.record(cudaStreamLegacy);  // FFmpeg's decoder writes its frames on this stream
    decoded_.make_wait(copies_.view());
    for (int p = 0; p < plane_count(info.format); ++p) {
        enqueue_plane_copy(frame.plane(p), target.writable(p), target.owner->planes[p].pitch, to_host, copies_.view());
    }
    image_done_.record(copies_.view());
    source_ = frame;
    image_ = Frame(info, target.owner->planes, target.owner, copy_to_host);
}

void CudaReadback::finish(DetectionSet& raw, DetectionSet& kept, Frame& frame) {
    check_cuda(cudaSetDevice(device_), "cudaSetDevice");  // more detections than one copy has are copied by a kernel
    detections_.synchronize();
    raw_.finish(raw, copies_.view());
    if (count_ != nullptr) count_->set(raw.total);
    kept_.finish(kept, copies_.view());
    if (!image_) return;
    image_done_.synchronize();
    source_ = {};
    frame = std::exchange(image_, {});
}

}  // namespace throng::gpu
