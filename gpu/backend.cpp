#include "gpu/backend.h"

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/detect/detector_kinds.h"
#include "gpu/cnn/batching_detector.h"
#include "gpu/cuda_readback.h"
#include "gpu/frame/cuda_detector.h"
#include "gpu/interop/cuda_gl_bridge.h"
#include "gpu/lab/cascade_steps.h"
#include "gpu/lab/hog_steps.h"
#include "gpu/nms/cuda_nms.h"
#include "gpu/runtime/detection_memory.h"
#include "gpu/runtime/event_recorder.h"
#include "gpu/runtime/stream.h"

namespace throng {
namespace {

using namespace gpu;

// Maps each of detector_kinds() to its factory function. A new detector needs one line here.
struct DetectorFactory {
    DetectorId kind;
    std::unique_ptr<Detector> (*make)(StreamView stream, const DeviceInfo& device, const DetectorParams& params);
};

constexpr DetectorFactory kFactories[] = {
    {DetectorId::haar, make_cascade_detector}, {DetectorId::lbp, make_cascade_detector},
    {DetectorId::hog, make_hog_detector},      {DetectorId::cnn, make_cnn_detector},
    {DetectorId::person, make_cnn_detector},   {DetectorId::face_and_person, make_cnn_detector},
};

class CudaBackend final : public Backend {
public:
    explicit CudaBackend(int index) : device_(use_device(index)) {}

    [[nodiscard]] BackendKind kind() const override { return BackendKind::cuda; }

    [[nodiscard]] std::string description() const override {
        return device_.name + ", device " + std::to_string(device_.index);
    }

    [[nodiscard]] std::unique_ptr<Detector> make_detector(const DetectorParams& params) override {
        make_current();
        check_params(params);
        for (const DetectorFactory& factory : kFactories) {
            if (factory.kind == params.kind) return factory.make(stream_.view(), device_, params);
        }
        throw Error(ErrorKind::unavailable, "detector not supported by the CUDA backend",
                    std::string(detector_kind(params.kind).name), {"use %1", Setting{"backend", "cpu"}});
    }

    [[nodiscard]] std::unique_ptr<Nms> make_nms() override {
        make_current();
        return std::make_unique<CudaNms>(device_, stream_.view(), FastEngine::choose, uploaded_);
    }

    [[nodiscard]] DetectionBuffer make_buffer(std::int32_t capacity, const OptionalFields& optional_fields) override {
        make_current();
        return make_device_buffer(capacity, optional_fields, stream_.view());
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
        uploaded_->set(static_cast<std::uint32_t>(in.detections.size()));
    }

    // From the detector to the readback as one graph (gpu/frame/frame_graphs.h).
    void enqueue_frame(const FrameWork& work, StageRecorder& recorder) override {
        auto* const detector = dynamic_cast<CudaDetector*>(&work.detector);
        auto* const nms = dynamic_cast<CudaNms*>(&work.nms);
        auto* const readback = dynamic_cast<CudaReadback*>(&work.readback);
        if (detector == nullptr || nms == nullptr || readback == nullptr) {
            Backend::enqueue_frame(work, recorder);
            return;
        }
        make_current();
        const std::uint64_t launches = nms->prepare_launches(work.raw, work.kept, work.params);
        readback->report_count(nms->recent_count());
        const auto [kept, raw] = readback->prepare_detections(work.raw, work.kept, work.requested);
        const auto following = [&](StageRecorder& stages) {
            nms->enqueue(work.raw, work.kept, work.params, stages);
            const ScopedStage stage(stages, stage::kDownload);
            readback->start_detections();
        };
        detector->enqueue_with(work.frame, work.raw, recorder, {following, work.kept.span(), {launches, kept, raw}});
        readback->start_frame(work.frame, work.requested);
    }

    // The kernels of one frame run while the results of the previous frame are copied to the host.
    [[nodiscard]] int frames_in_flight() const override { return 2; }

    [[nodiscard]] std::unique_ptr<FrameReadback> make_readback() override {
        make_current();
        return std::make_unique<CudaReadback>(device_.index, stream_.view());
    }

    [[nodiscard]] std::unique_ptr<GlBridge> make_gl_bridge() override {
        return std::make_unique<CudaGlBridge>(device_.index);
    }

    void check() override {
        make_current();
        stream_.synchronize();
    }

    [[nodiscard]] std::optional<DeviceMemory> device_memory() const override {
        std::size_t free = 0;
        std::size_t total = 0;
        const bool known = cudaSetDevice(device_.index) == cudaSuccess && cudaMemGetInfo(&free, &total) == cudaSuccess;
        if (known) return DeviceMemory{total - free, total};
        (void)cudaGetLastError();
        return std::nullopt;
    }

private:
    // The current device is a property of the calling thread.
    void make_current() const { check_cuda(cudaSetDevice(device_.index), "cudaSetDevice"); }

    DeviceInfo device_;
    Stream stream_;
    DetectionTransfer transfer_;
    std::shared_ptr<ExpectedCount> uploaded_ = std::make_shared<ExpectedCount>();  // for what no readback reports
};

}  // namespace

std::shared_ptr<Backend> make_cuda_backend(int device) {
    return std::make_shared<CudaBackend>(device);
}

std::string cuda_problem(int device) {
    try {
        static_cast<void>(use_device(device));
        return {};
    } catch (const Error& error) {
        return error.problem().text();
    }
}

}  // namespace throng
