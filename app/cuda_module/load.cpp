#include "app/cuda_module/load.h"

#include <cstdlib>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/shared_library.h"

namespace throng {
namespace {

struct Loaded {
    const CudaModule* module = nullptr;
    std::string reason;
};

Loaded load() {
    const char* named = std::getenv("THRONG_CUDA_MODULE");
    const std::string file = named != nullptr && *named != '\0' ? named : find_module("throng-cuda.so");
    if (file.empty()) return {nullptr, TH_CUDA_REASON};
    Loaded loaded;
    loaded.module = static_cast<const CudaModule*>(load_module(file, kCudaModuleSymbol, "CUDA module", loaded.reason));
    if (loaded.module != nullptr) {
        loaded.module->set_spelling(spelling());
        loaded.module->use_logger(logger());
    }
    return loaded;
}

const Loaded& loaded() {
    static const Loaded kLoaded = load();
    return kLoaded;
}

}  // namespace
const CudaModule* cuda_module() {
    return loaded().module;
}

const std::string& why_no_cuda_module() {
    return loaded().reason;
}

const CudaModule& require_cuda_module(const Message& where) {
    if (const CudaModule* module = cuda_module()) return *module;
    throw Error(ErrorKind::unavailable, {"CUDA is unavailable: %1", why_no_cuda_module().c_str()}, where);
}

gpu::CudaProbe probe_cuda_module() {
    if (const CudaModule* module = cuda_module()) return module->probe();
    gpu::CudaProbe probe;
    probe.reason = why_no_cuda_module();
    return probe;
}

}  // namespace throng
