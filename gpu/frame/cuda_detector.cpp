#include "gpu/frame/cuda_detector.h"

#include <cuda_runtime_api.h>

#include "core/base/error.h"
#include "gpu/runtime/check.h"

namespace throng::gpu {

void begin_frame(int device, const DetectionBuffer& raw) {
    if (raw.memory() != MemoryKind::device) {
        throw Error(ErrorKind::internal, "the CUDA detector needs a detection buffer in device memory");
    }
    check_cuda(cudaSetDevice(device), "cudaSetDevice");  // the current device is a property of the calling thread
}

void clear_detections(const DetectionSpan& raw, StreamView stream) {
    check_cuda(cudaMemsetAsync(raw.count, 0, sizeof(DetectionCount), stream), "clearing the detections");
}

void finish_frames(StreamView stream) noexcept {
    warn_cuda(cudaStreamSynchronize(stream), "waiting for the detector's last frame");
}

}  // namespace throng::gpu
