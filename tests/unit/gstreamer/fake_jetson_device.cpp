// What a board has beside its elements: libnvbufsurface and a device that reads its surfaces; the record of all calls.
#include <dlfcn.h>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <string_view>

#include "core/base/error.h"
#include "tests/unit/gstreamer/fake_jetson.h"

namespace throng::test {
namespace {

int call_library(const char* name, NvSurface* surface) {
    if (!FakeJetson::get().call(name, surface)) return -1;
    NvMapping& mapping = surface->images->mapping;
    const std::string_view call(name);
    if (call == "map image") mapping.egl_image = surface;
    if (call == "unmap image") mapping.egl_image = nullptr;
    return 0;
}

class FakeConverter final : public DeviceConverter {
public:
    Frame to_nv12(FrameInfo, const PlaneView (&)[2], std::shared_ptr<const void>) override { return {}; }

    DevicePlanes register_image(void* egl_image) override {
        auto* surface = static_cast<NvSurface*>(egl_image);
        if (!FakeJetson::get().call("register", surface)) throw Error(ErrorKind::unavailable, "register");
        DevicePlanes planes;
        const NvPlanes& image = surface->images->planes;
        const bool is_small = !FakeJetson::get().call("shape", surface);
        for (int p = 0; p < 2; ++p) {
            planes.planes[p] = {static_cast<std::uint8_t*>(surface->images->data) + image.offset[p], kFakePitch,
                                is_small ? 1 : static_cast<int>(image.width[p] * image.bytes_per_pixel[p]),
                                static_cast<int>(image.height[p])};
        }
        planes.owner = std::shared_ptr<const void>(
            surface, [](const void* registered) { FakeJetson::get().call("unregister", registered); });
        return planes;
    }

    bool can_read(const void*) override { return FakeJetson::get().host_is_device; }

    Frame wrap(FrameInfo info, const PlaneView (&planes)[2], std::shared_ptr<const void> owner) override {
        info.format = PixelFormat::nv12;
        info.memory = MemoryKind::device;
        return {info, {planes[0], planes[1]}, std::move(owner)};
    }
};

}  // namespace

FakeJetson& FakeJetson::get() {
    static auto& board = *new FakeJetson();
    return board;
}

void FakeJetson::reset() {
    const std::lock_guard lock(mutex_);
    calls_.clear();
    frames = 100;
    failing.clear();
    converts_to_nvmm = surfaces_are_known = host_is_device = cuda_is_live = true;
    cuda_is_cropped = cuda_is_damaged = false;
    fails_after = 0;
    num_busy = 0;
}

bool FakeJetson::call(const std::string& name, const void* memory) {
    const std::lock_guard lock(mutex_);
    const auto before =
        std::count_if(calls_.begin(), calls_.end(), [&](const Call& call) { return call.name == name; });
    const bool failed =
        failing.find("<" + name + ">") != std::string::npos && static_cast<std::size_t>(before) >= fails_after;
    calls_.push_back({memory, name, failed});
    return !failed;
}

std::vector<std::string> FakeJetson::calls_of(const void* memory) {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> found;
    for (const Call& call : calls_) {
        if (call.memory == memory) found.push_back(call.name);
    }
    return found;
}

std::vector<const void*> FakeJetson::all_memory() {
    const std::lock_guard lock(mutex_);
    std::set<const void*> found;
    for (const Call& call : calls_) found.insert(call.memory);
    return {found.begin(), found.end()};
}

std::size_t FakeJetson::count(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::count_if(calls_.begin(), calls_.end(), [&name](const Call& call) { return call.name == name; }));
}

std::size_t FakeJetson::count_failed(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count_if(
        calls_.begin(), calls_.end(), [&name](const Call& call) { return call.name == name && call.failed; }));
}

std::unique_ptr<DeviceConverter> make_fake_converter(int) {
    return std::make_unique<FakeConverter>();
}

FakeNvLibrary::FakeNvLibrary(const char* path) : handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    auto** call =
        handle_ != nullptr ? static_cast<int (**)(const char*, NvSurface*)>(dlsym(handle_, "fake_nv_call")) : nullptr;
    if (call == nullptr) throw std::runtime_error(dlerror());
    *call = call_library;
}

FakeNvLibrary::~FakeNvLibrary() {
    dlclose(handle_);
}

}  // namespace throng::test
