// A backend makes detectors, NMS engines, buffers and recorders that belong together. The CPU is one, CUDA another.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/detect/detection.h"
#include "core/detect/detector.h"
#include "core/detect/frame_readback.h"
#include "core/detect/gl_bridge.h"
#include "core/detect/nms.h"

namespace throng {

struct DeviceMemory {
    std::uint64_t used = 0;   // bytes, of all programs on the device
    std::uint64_t total = 0;  // bytes
};

class Backend {
public:
    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    virtual ~Backend() = default;

    [[nodiscard]] virtual std::string name() const = 0;  // "cpu", "cuda"
    [[nodiscard]] virtual std::string description()
        const = 0;  // "AMD EPYC, 2 threads, AVX-512", "NVIDIA H200, device 0"

    // Throws Error(unavailable) for a kind or model that is not to be had here, Error(input) for a broken model,
    // Error(usage) for parameters that make no sense.
    [[nodiscard]] virtual std::unique_ptr<Detector> make_detector(const DetectorParams& params) = 0;
    [[nodiscard]] virtual std::unique_ptr<Nms> make_nms() = 0;
    [[nodiscard]] virtual DetectionBuffer make_buffer(std::int32_t capacity,
                                                      const OptionalFields& optional_fields = {}) = 0;
    [[nodiscard]] virtual std::unique_ptr<StageRecorder> make_recorder() = 0;

    // Waits until the buffer is written and copies it to the host: the only synchronization of a frame.
    virtual void download(const DetectionBuffer& buffer, DetectionSet& out) = 0;
    // Writes detections into a buffer of this backend (boxes from a file); total becomes their number.
    virtual void upload(const DetectionSet& in, DetectionBuffer& buffer) = 0;

    // Frames that are worth having in flight: their work enqueued, their detections not yet on the host.
    [[nodiscard]] virtual int frames_in_flight() const { return 1; }
    // For one frame in flight; must not outlive the backend. As made here it copies in start.
    [[nodiscard]] virtual std::unique_ptr<FrameReadback> make_fetch();
    // For a window that draws frames of device memory with OpenGL; null where the backend has no such frames.
    [[nodiscard]] virtual std::unique_ptr<GlBridge> make_gl_bridge() { return nullptr; }
    // Throws Error(internal or unavailable) when the device is lost. May wait for it.
    virtual void check() {}

    // Of a device with memory of its own; may be called from any thread.
    [[nodiscard]] virtual std::optional<DeviceMemory> device_memory() const { return std::nullopt; }
};

// The same count with room for no box: downloads the numbers alone. Looks at the buffer's memory, owns nothing.
[[nodiscard]] DetectionBuffer count_of(const DetectionBuffer& buffer);

}  // namespace throng
