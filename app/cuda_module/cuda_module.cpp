#include "app/cuda_module/cuda_module.h"

#include <algorithm>
#include <vector>

#include "app/cuda_module/ablation.h"
#include "core/base/rolling.h"
#include "core/detect/null_recorder.h"
#include "core/frame/host_copies.h"
#include "gpu/backend.h"
#include "gpu/frame/device_converter.h"
#include "gpu/nms/cuda_nms.h"
#include "gpu/redact/redact.h"
#include "gpu/runtime/detection_memory.h"
#include "gpu/runtime/partial_device.h"
#include "gpu/runtime/replay.h"
#include "module_version.h"

namespace throng {
namespace {

// Does not replay a graph, because its nodes might not stay in the partition.
PartialDeviceTime time_on_partition(int device, int multiprocessors, const DetectionSet& boxes, const NmsParams& params,
                                    std::int32_t capacity) {
    constexpr int kInner = 20;  // calls between two events, enough for the host to stay ahead of the device
    constexpr int kRepeats = 15;
    const gpu::PartialDevice part(gpu::use_device(device), multiprocessors);
    const gpu::StreamView stream = part.stream();
    DetectionBuffer raw = gpu::make_device_buffer(capacity, {}, stream);
    DetectionBuffer kept = gpu::make_device_buffer(capacity, {}, stream);
    gpu::DetectionTransfer transfer;
    transfer.upload(boxes, raw, stream);
    gpu::CudaNms nms(part.info(), stream);
    NullRecorder recorder;
    std::vector<double> samples = gpu::time_calls(
        stream, kRepeats, [&] { nms.enqueue(raw, kept, params, recorder); }, kInner);
    std::sort(samples.begin(), samples.end());
    DetectionSet result;
    transfer.download(kept, result, stream);
    return {part.info().multiprocessors, percentile(samples, 0.5), result.detections.size()};
}

}  // namespace
}  // namespace throng

extern "C" __attribute__((visibility("default"))) const throng::CudaModule throng_cuda_module;
const throng::CudaModule throng_cuda_module{
    .version = TH_MODULE_VERSION,
    .set_spelling = throng::set_spelling,
    .use_logger = throng::use_logger,
    .probe = throng::gpu::probe_cuda,
    .problem = throng::cuda_problem,
    .make_backend = throng::make_cuda_backend,
    .make_converter = throng::gpu::make_device_converter,
    .make_redactor = throng::gpu::make_device_redactor,
    .host_copied_bytes = throng::host_copied_bytes,
    .ablation = throng::cuda_ablation,
    .time_partial_nms = throng::time_on_partition,
};
