#include "gpu/backend.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "gpu/cascade/cascade_detector.h"
#include "gpu/detection_memory.h"
#include "gpu/nms/cuda_nms.h"
#include "gpu/runtime/event_recorder.h"
#include "gpu/runtime/stream.h"

namespace throng {
namespace {

using namespace gpu;

class CudaBackend final : public Backend {
public:
    explicit CudaBackend(int index) : device_(use_device(index)) {}

    [[nodiscard]] std::string name() const override { return "cuda"; }

    [[nodiscard]] std::string description() const override {
        return device_.name + ", device " + std::to_string(device_.index);
    }

    [[nodiscard]] std::unique_ptr<Detector> make_detector(const DetectorParams& params) override {
        make_current();
        if (params.kind == "haar" || params.kind == "lbp") {
            return make_cascade_detector(stream_.view(), device_, params);
        }
        check_params(params);
        throw Error(ErrorKind::unavailable, "the CUDA backend has no such detector", params.kind, "use --backend cpu");
    }

    [[nodiscard]] std::unique_ptr<Nms> make_nms() override {
        make_current();
        return std::make_unique<CudaNms>(device_, stream_.view());
    }

    [[nodiscard]] DetectionBuffer make_buffer(std::int32_t capacity, const DetectionExtras& extras) override {
        make_current();
        return make_device_buffer(capacity, extras, stream_.view());
    }

    [[nodiscard]] std::unique_ptr<StageRecorder> make_recorder() override {
        make_current();
        return std::make_unique<EventRecorder>(stream_.view());
    }

    void download(const DetectionBuffer& buffer, DetectionSet& out) override {
        make_current();
        transfer_.download(buffer, out, stream_.view());
    }

    void upload(const DetectionSet& in, DetectionBuffer& buffer) override {
        make_current();
        transfer_.upload(in, buffer, stream_.view());
    }

private:
    // The device is a property of the calling thread.
    void make_current() const { check_cuda(cudaSetDevice(device_.index), "cudaSetDevice"); }

    DeviceInfo device_;
    Stream stream_;
    DetectionTransfer transfer_;
};

}  // namespace

std::shared_ptr<Backend> make_cuda_backend(int device) {
    return std::make_shared<CudaBackend>(device);
}

}  // namespace throng
