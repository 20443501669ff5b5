#include "gpu/lab/partial_nms.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <vector>

#include "core/base/rolling.h"
#include "core/detect/null_recorder.h"
#include "gpu/nms/cuda_nms.h"
#include "gpu/runtime/detection_memory.h"

namespace throng::gpu {
namespace {

constexpr int kInner = 20;  // calls between two events, enough for the host to stay ahead of the device
constexpr int kRepeats = 15;
constexpr int kWarmUp = 2;

}  // namespace

PartialNmsTime time_partial_nms(const PartialDevice& part, const DetectionSet& boxes, const NmsParams& params,
                                std::int32_t capacity) {
    const StreamView stream = part.stream();
    DetectionBuffer raw = make_device_buffer(capacity, {}, stream);
    DetectionBuffer kept = make_device_buffer(capacity, {}, stream);
    DetectionTransfer transfer;
    transfer.upload(boxes, raw, stream);
    CudaNms nms(part.info(), stream);
    NullRecorder recorder;
    const Event begin, end;
    std::vector<double> samples;
    for (int repeat = -kWarmUp; repeat < kRepeats; ++repeat) {
        begin.record(stream);
        for (int i = 0; i < kInner; ++i) nms.enqueue(raw, kept, params, recorder);
        end.record(stream);
        end.synchronize();
        if (repeat >= 0) samples.push_back(Event::elapsed_ms(begin, end) / kInner);
    }
    std::sort(samples.begin(), samples.end());
    DetectionSet result;
    transfer.download(kept, result, stream);
    return {percentile(samples, 0.5), result.detections.size()};
}

}  // namespace throng::gpu
