#include "core/base/shared_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "module_version.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

// Folders relative to the one of the program or library that contains this code: a wheel, libraries, programs, a Python
// module in a build tree. The last one is absolute: an installed Python module is in none of them.
constexpr const char* kModuleFolders[] = {
    ".", "throng", "../lib/throng", ("../" TH_LIBDIR "/throng"), "../../lib/throng", TH_MODULE_DIR};

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

}  // namespace

SharedLibrary::SharedLibrary(std::string name) : name_(std::move(name)) {
    // Its symbols must not replace those of the program, nor the other way round: a module contains a copy of core/.
    handle_ = dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL);
    const char* error = handle_ != nullptr ? nullptr : dlerror();
    problem_ = error != nullptr ? error : "";
}

SharedLibrary::SharedLibrary(SharedLibrary&& other) noexcept
    : name_(std::move(other.name_)),
      problem_(std::move(other.problem_)),
      handle_(std::exchange(other.handle_, nullptr)) {}

SharedLibrary& SharedLibrary::operator=(SharedLibrary&& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(problem_, other.problem_);
    std::swap(handle_, other.handle_);
    return *this;
}

SharedLibrary::~SharedLibrary() {
    if (handle_ != nullptr) dlclose(handle_);
}

void* SharedLibrary::address(const char* symbol) const noexcept {
    return handle_ != nullptr ? dlsym(handle_, symbol) : nullptr;
}

void SharedLibrary::throw_missing(const char* symbol) const {
    if (handle_ == nullptr) {
        throw Error(ErrorKind::unavailable, {"a required library cannot be loaded: %1", problem_}, name_,
                    "install the package that contains it");
    }
    throw Error(ErrorKind::unavailable, {"the library has no function %1", symbol}, name_,
                "install the version for this program");
}

std::string find_module(const std::string& file) {
    const fs::path own = own_folder();
    for (const char* folder : kModuleFolders) {
        fs::path path = own / folder / file;
        std::error_code error;
        if (fs::exists(path, error)) return path;
    }
    return {};
}

const void* load_module(const std::string& path, const char* symbol, const char* what, std::string& reason) {
    SharedLibrary module(path);
    if (!module) {
        reason = std::string("the ") + what + " cannot be loaded: " + module.problem();
        return nullptr;
    }
    const char* const* table = module.find<const char* const>({symbol});
    if (table == nullptr) {
        reason = path + " is not a " + what + " of Throng";
        return nullptr;
    }
    if (std::string_view(*table) != TH_MODULE_VERSION) {
        reason = path + " is of version " + *table +
                 ", the program of version " TH_MODULE_VERSION ". Install the same version of both, of one build";
        return nullptr;
    }
    module.keep_loaded();  // its threads may run until the process ends
    return table;
}

}  // namespace throng
