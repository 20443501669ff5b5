#include "app/options/backend.h"

#include "core/base/error.h"
#include "core/cpu/cpu_backend.h"
#ifdef TH_WITH_CUDA
#include "gpu/backend.h"
#include "gpu/runtime/probe.h"
#endif

namespace throng {
namespace {

BackendChoice cpu_backend(const DetectorParams* detector, const std::string& why) {
    return {make_cpu_backend(detector != nullptr ? detector->threads : 0), "cpu: " + why};
}

#ifdef TH_WITH_CUDA
// Throws Error(unavailable) when it cannot make the detector.
BackendChoice cuda_backend(int device, const DetectorParams* detector) {
    std::shared_ptr<Backend> backend = make_cuda_backend(device);
    if (detector != nullptr) static_cast<void>(backend->make_detector(*detector));
    return {backend, "cuda: " + backend->description()};
}
#endif

}  // namespace

#ifdef TH_WITH_CUDA
std::string cuda_unavailable_reason(int device) {
    const gpu::CudaProbe probe = gpu::probe_cuda();
    if (!probe.usable) return probe.reason;
    for (const gpu::DeviceInfo& found : probe.devices) {
        if (found.index == device) return found.unavailable_reason;
    }
    return "device " + std::to_string(device) + " does not exist";
}
#else
std::string cuda_unavailable_reason(int) {
    return "built without CUDA: " TH_CUDA_REASON;
}
#endif

BackendChoice make_backend(const CommonOptions& common, const DetectorParams* detector) {
    if (common.backend == "cpu") return cpu_backend(detector, "requested");
    const bool automatic = common.backend == "auto";
    if (!automatic && common.backend != "cuda") {
        throw Error(ErrorKind::usage, "unknown backend " + common.backend, "--backend", "use auto, cpu or cuda");
    }
    std::string unavailable_reason = cuda_unavailable_reason(common.device);
#ifdef TH_WITH_CUDA
    if (unavailable_reason.empty()) {
        try {
            return cuda_backend(common.device, detector);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::unavailable) throw;
            unavailable_reason = error.what();
        }
    }
#endif
    if (automatic) return cpu_backend(detector, unavailable_reason);
    throw Error(ErrorKind::unavailable, "CUDA backend unavailable: " + unavailable_reason, "--backend cuda",
                "use --backend auto to run on the CPU");
}

}  // namespace throng
