// The CUDA module of a device that does not exist: its memory is that of the host. It finds one face in the middle of
// every frame. $THRONG_FAKE_DEVICE names the calls that fail, "<detect><hide>"; without it, there is no device.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "app/cuda_module/cuda_module.h"
#include "core/base/error.h"
#include "core/detect/null_recorder.h"
#include "module_version.h"

namespace throng {
namespace {

void call(const char* name) {
    const char* failing = std::getenv("THRONG_FAKE_DEVICE");
    if (failing != nullptr && std::string(failing).find(name) != std::string::npos) {
        throw Error(ErrorKind::internal, "the device failed");
    }
}

class MiddleDetector final : public Detector {
public:
    void enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder&) override {
        call("<detect>");
        if (frame.info().memory != MemoryKind::device) throw Error(ErrorKind::internal, "not in the device's memory");
        const auto width = static_cast<float>(frame.width()), height = static_cast<float>(frame.height());
        DetectionSet found;
        found.detections.push_back({{width * 3 / 8, height * 3 / 8, width / 4, height / 4}, 10, 1, 0});
        copy_to_host_buffer(found, raw.span());
    }
    void configure(const DetectorParams&) override {}
};

class KeepingNms final : public Nms {
public:
    void enqueue(const DetectionBuffer& raw, DetectionBuffer& kept, const NmsParams&, StageRecorder&) override {
        DetectionSet all;
        copy_from_host_buffer(raw.span(), all);
        for (Detection& each : all.detections) each.hits = 100;
        copy_to_host_buffer(all, kept.span());
    }
};

class FakeDeviceBackend final : public Backend {
public:
    [[nodiscard]] BackendKind kind() const override { return BackendKind::cuda; }
    [[nodiscard]] std::string description() const override { return "a device for tests"; }
    std::unique_ptr<Detector> make_detector(const DetectorParams&) override {
        return std::make_unique<MiddleDetector>();
    }
    std::unique_ptr<Nms> make_nms() override { return std::make_unique<KeepingNms>(); }
    DetectionBuffer make_buffer(std::int32_t capacity, const OptionalFields& optional_fields) override {
        const auto buffer = std::make_shared<DetectionBuffer>(make_host_buffer(capacity, optional_fields));
        return {MemoryKind::device, buffer->span(), buffer};
    }
    std::unique_ptr<StageRecorder> make_recorder() override { return std::make_unique<NullRecorder>(); }
    void download(const DetectionBuffer& buffer, DetectionSet& out) override {
        copy_from_host_buffer(buffer.span(), out);
    }
    void upload(const DetectionSet& in, DetectionBuffer& buffer) override { copy_to_host_buffer(in, buffer.span()); }
};

class FakeDeviceConverter final : public DeviceConverter {
public:
    Frame to_nv12(FrameInfo, const PlaneView (&)[2], std::shared_ptr<const void>) override { return {}; }
    DevicePlanes register_image(void*) override { return {}; }
    bool can_read(const void*) override { return true; }
    Frame wrap(FrameInfo, const PlaneView (&)[2], std::shared_ptr<const void>) override { return {}; }
};

class FakeRedactor final : public DeviceRedactor {
public:
    void redact(const RedactImage& image, const RedactRegions& regions, const RedactOptions& options) override {
        call("<hide>");
        throng::redact(image, regions, options);
    }
};

std::string problem_of_device(int) {
    return std::getenv("THRONG_FAKE_DEVICE") != nullptr ? "" : "there is no device";
}

}  // namespace
}  // namespace throng

extern "C" __attribute__((visibility("default"))) const throng::CudaModule throng_cuda_module;
const throng::CudaModule throng_cuda_module{
    .version = TH_MODULE_VERSION,
    .set_spelling = throng::set_spelling,
    .use_logger = throng::use_logger,
    .probe = [] { return throng::gpu::CudaProbe(); },
    .problem = throng::problem_of_device,
    .make_backend = [](int) -> std::shared_ptr<throng::Backend> {
        return std::make_shared<throng::FakeDeviceBackend>();
    },
    .make_converter = [](int) -> std::unique_ptr<throng::DeviceConverter> {
        return std::make_unique<throng::FakeDeviceConverter>();
    },
    .make_redactor = [](int) -> std::unique_ptr<throng::DeviceRedactor> {
        return std::make_unique<throng::FakeRedactor>();
    },
    .host_copied_bytes = [] { return std::uint64_t{0}; },
    .ablation = nullptr,
    .time_partial_nms = nullptr,
};
