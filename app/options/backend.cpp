#include "app/options/backend.h"

#include "app/cuda_module/load.h"
#include "app/options/devices.h"
#include "core/base/error.h"
#include "core/cpu/cpu_backend.h"

namespace throng {
namespace {

BackendChoice cpu_backend(const DetectorParams* detector, const Message& why) {
    return {make_cpu_backend(detector != nullptr ? detector->threads : 0), {"cpu: %1", why}};
}

// Throws Error(unavailable) when it cannot make the detector.
BackendChoice cuda_backend(int device, const DetectorParams* detector) {
    std::shared_ptr<Backend> backend = require_cuda_module(Setting{"backend", "cuda"}).make_backend(device);
    if (detector != nullptr) static_cast<void>(backend->make_detector(*detector));
    return {backend, {"cuda: %1", backend->description()}};
}

}  // namespace

Message cuda_unavailable_reason(int device) {
    const CudaModule* module = cuda_module();
    return (module != nullptr ? module->problem(device) : why_no_cuda_module()).c_str();
}

void set_device(SourceOptions& source, int device, bool on_device) {
    source.device = device;
    source.prefer_device_frames = on_device;
    const CudaModule* module = on_device ? cuda_module() : nullptr;
    source.make_converter = module != nullptr ? module->make_converter : nullptr;
}

std::unique_ptr<DeviceRedactor> make_device_redactor(int device) {
    return require_cuda_module("image.memory").make_redactor(device);
}

std::function<std::shared_ptr<Backend>()> make_fallback(const CommonOptions& common, const DetectorParams& detector,
                                                        const Backend* first) {
    if (common.backend != BackendKind::automatic || (first != nullptr && first->kind() == BackendKind::cpu)) return {};
    return [threads = detector.threads] { return make_cpu_backend(threads); };
}

BackendChoice make_backend(const CommonOptions& common, const DetectorParams* detector) {
    if (common.device == kAllDevices) {
        throw Error(ErrorKind::usage, "applies to detect --out only", Setting{"device", "all"}, "name one device");
    }
    if (common.backend == BackendKind::cpu) return cpu_backend(detector, "requested");
    Message unavailable_reason = cuda_unavailable_reason(common.device);
    if (unavailable_reason.empty()) {
        try {
            return cuda_backend(common.device, detector);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::unavailable) throw;
            unavailable_reason = error.message();
        }
    }
    if (common.backend == BackendKind::automatic) return cpu_backend(detector, unavailable_reason);
    throw Error(ErrorKind::unavailable, {"CUDA backend unavailable: %1", unavailable_reason},
                Setting{"backend", "cuda"}, {"use %1 to run on the CPU", Setting{"backend", "auto"}});
}

Engine make_engine(const CommonOptions& common, const PipelineSettings& settings) {
    const std::shared_ptr<Backend> backend = make_backend(common, &settings.detector).backend;
    Engine engine(backend, settings, make_fallback(common, settings.detector, backend.get()));
    engine.prepare();
    return engine;
}

}  // namespace throng
