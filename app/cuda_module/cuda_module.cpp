#include "app/cuda_module/cuda_module.h"

#include "app/cuda_module/ablation.h"
#include "core/frame/host_copies.h"
#include "gpu/backend.h"
#include "gpu/frame/device_converter.h"
#include "gpu/lab/partial_nms.h"
#include "gpu/runtime/partial_device.h"

namespace throng {
namespace {

PartialDeviceTime time_on_partition(int device, int multiprocessors, const DetectionSet& boxes, const NmsParams& params,
                                    std::int32_t capacity) {
    const gpu::PartialDevice part(gpu::use_device(device), multiprocessors);
    const gpu::PartialNmsTime time = gpu::time_partial_nms(part, boxes, params, capacity);
    return {part.info().multiprocessors, time.median_ms, time.kept};
}

}  // namespace
}  // namespace throng

extern "C" __attribute__((visibility("default"))) const throng::CudaModule throng_cuda_module;
const throng::CudaModule throng_cuda_module{
    .version = TH_VERSION,
    .set_spelling = throng::set_spelling,
    .use_logger = throng::use_logger,
    .probe = throng::gpu::probe_cuda,
    .problem = throng::cuda_problem,
    .make_backend = throng::make_cuda_backend,
    .make_converter = throng::gpu::make_device_converter,
    .host_copied_bytes = throng::host_copied_bytes,
    .ablation = throng::cuda_ablation,
    .time_partial_nms = throng::time_on_partition,
};
