#include "app/options/backend.h"

#include "core/base/error.h"
#include "core/cpu/cpu_backend.h"

namespace throng {
namespace {

BackendChoice cpu_backend(const DetectorParams* detector, const std::string& why) {
    return {make_cpu_backend(detector != nullptr ? detector->threads : 0), "cpu: " + why};
}

}  // namespace

std::string cuda_trouble(int device) {
    static_cast<void>(device);
    return "built without CUDA";
}

BackendChoice make_backend(const CommonOptions& common, const DetectorParams* detector) {
    if (common.backend == "cpu") return cpu_backend(detector, "asked for");
    if (common.backend != "auto" && common.backend != "cuda") {
        throw Error(ErrorKind::usage, "unknown backend " + common.backend, "--backend", "use auto, cpu or cuda");
    }
    const std::string trouble = cuda_trouble(common.device);
    if (common.backend == "cuda" && !trouble.empty()) {
        throw Error(ErrorKind::unavailable, "the CUDA backend is not to be had: " + trouble, "--backend cuda",
                    "use --backend auto to run on the CPU");
    }
    return cpu_backend(detector, trouble);
}

}  // namespace throng
