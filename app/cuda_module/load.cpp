#include "app/cuda_module/load.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "core/base/error.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "throng-cuda.so";

// Folders relative to the one of the program or library that contains this code: a wheel and a build tree, libraries,
// programs. The last one is absolute: a Python module is in neither folder.
constexpr const char* kFolders[] = {".", "throng", "../lib/throng", "../" TH_LIBDIR "/throng", TH_MODULE_DIR};

struct Loaded {
    const CudaModule* module = nullptr;
    std::string reason;
};

// Returns the folder of the program or shared library that contains this function.
fs::path own_folder() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return {};
    std::error_code error;
    // The name of the program itself is that of its call.
    const fs::path file = fs::path(info.dli_fname).filename() == fs::read_symlink("/proc/self/exe", error).filename()
                              ? fs::read_symlink("/proc/self/exe", error)
                              : fs::canonical(info.dli_fname, error);
    return error ? fs::path() : file.parent_path();
}

fs::path find_module() {
    if (const char* named = std::getenv("THRONG_CUDA_MODULE"); named != nullptr && *named != '\0') return named;
    const fs::path own = own_folder();
    for (const char* folder : kFolders) {
        fs::path file = own / folder / kFile;
        std::error_code error;
        if (fs::exists(file, error)) return file;
    }
    return {};
}

Loaded load() {
    const fs::path file = find_module();
    if (file.empty()) return {nullptr, TH_CUDA_REASON};
    // The symbols of its copy of core/ must not replace those of the program, nor the other way round.
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return {nullptr, std::string("the CUDA module cannot be loaded: ") + dlerror()};
    const auto* module = static_cast<const CudaModule*>(dlsym(handle, kCudaModuleSymbol));
    if (module == nullptr) return {nullptr, file.string() + " is not a CUDA module of Throng"};
    if (std::string_view(module->version) != TH_VERSION) {
        return {nullptr, file.string() + " is of version " + module->version + ", the program of version " TH_VERSION +
                             ". Install the same version of both"};
    }
    module->set_spelling(spelling());
    module->use_logger(logger());
    return {module, {}};
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
