// GStreamer's elements of a Jetson board without one: nvarguscamerasrc and nvvidconv, which makes the frames; fakecudasrc,
// a source of CUDA's memory. What happens to each piece of memory is recorded.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/frame/device_converter.h"
#include "core/video/nv_surface.h"

namespace throng::test {

inline constexpr int kFakePitch = 512;
inline constexpr int kFakePool = 4;  // buffers of nvvidconv

// Luma of frame N of a connection is N % 200 everywhere; in CUDA's memory, the middle half of the width and height is a
// checkerboard of that and 255.
struct FakeJetson {
    static FakeJetson& get();
    void reset();  // as before a first run

    // Records a call for the memory of a surface, or of CUDA. Returns false if it is to fail.
    bool call(const std::string& name, const void* memory);
    [[nodiscard]] std::vector<std::string> calls_of(const void* memory);
    [[nodiscard]] std::vector<const void*> all_memory();
    [[nodiscard]] std::size_t count(const std::string& name);
    [[nodiscard]] std::size_t count_failed(const std::string& name);

    int frames = 100;               // of a connection
    std::string failing;            // calls that fail: "<map image><register>"
    std::size_t fails_after = 0;    // calls of each of them that work first
    std::atomic<int> num_busy = 0;  // connections from now on that end without a frame
    bool converts_to_nvmm = true;
    bool surfaces_are_known = true;  // those of nvvidconv
    bool host_is_device = true;      // CUDA's memory is on the device of the source
    bool cuda_is_live = true;        // fakecudasrc
    bool cuda_is_cropped = false;
    bool cuda_is_damaged = false;

private:
    struct Call {
        const void* memory;
        std::string name;
        bool failed;
    };
    std::mutex mutex_;
    std::vector<Call> calls_;
};

// Registers the elements, once per process.
void register_fake_jetson();

// The converter of a device whose memory is that of the host.
[[nodiscard]] std::unique_ptr<DeviceConverter> make_fake_converter(int device);

// libnvbufsurface while this object lives.
class FakeNvLibrary {
public:
    explicit FakeNvLibrary(const char* path);
    ~FakeNvLibrary();
    FakeNvLibrary(const FakeNvLibrary&) = delete;
    FakeNvLibrary& operator=(const FakeNvLibrary&) = delete;

private:
    void* handle_;
};

}  // namespace throng::test
