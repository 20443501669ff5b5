// A backend creates detectors, NMS engines, buffers and recorders that work together. There is one for the CPU and one
// for CUDA.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/detect/backend_kind.h"
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

// The objects that process a frame, and their arguments.
struct FrameWork {
    Detector& detector;
    Nms& nms;
    FrameReadback& readback;
    const Frame& frame;
    DetectionBuffer& raw;
    DetectionBuffer& kept;
    NmsParams params{};
    FrameReadback::Requested requested{};
};

class Backend {
public:
    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    virtual ~Backend() = default;

    [[nodiscard]] virtual BackendKind kind() const = 0;  // never automatic
    // Returns the name of the kind; a test's backend may have another.
    [[nodiscard]] virtual std::string name() const;
    [[nodiscard]] virtual std::string description()
        const = 0;  // "AMD EPYC, 2 threads, AVX-512", "NVIDIA H200, device 0"

    // Throws Error(unavailable) for a kind or model that is unavailable, Error(input) for an invalid model,
    // Error(usage) for invalid parameters.
    [[nodiscard]] virtual std::unique_ptr<Detector> make_detector(const DetectorParams& params) = 0;
    [[nodiscard]] virtual std::unique_ptr<Nms> make_nms() = 0;
    [[nodiscard]] virtual DetectionBuffer make_buffer(std::int32_t capacity,
                                                      const OptionalFields& optional_fields = {}) = 0;
    [[nodiscard]] virtual std::unique_ptr<StageRecorder> make_recorder() = 0;

    // Waits until the buffer is written and copies it to the host. The only synchronization per frame.
    virtual void download(const DetectionBuffer& buffer, DetectionSet& out) = 0;
    // Writes detections into a buffer of this backend (boxes from a file) and sets its total to their number.
    virtual void upload(const DetectionSet& in, DetectionBuffer& buffer) = 0;

    // Enqueues a frame: detection, suppression and the start of the readback, by objects of this backend. The default
    // calls one after the other.
    virtual void enqueue_frame(const FrameWork& work, StageRecorder& recorder);

    // Returns the recommended number of frames in flight: enqueued, with detections not yet on the host.
    [[nodiscard]] virtual int frames_in_flight() const { return 1; }
    // Creates the readback for one frame in flight. It must not outlive the backend. The default one copies in start.
    [[nodiscard]] virtual std::unique_ptr<FrameReadback> make_readback();
    // Creates a bridge for drawing device frames with OpenGL. Returns null if the backend has no such frames.
    [[nodiscard]] virtual std::unique_ptr<GlBridge> make_gl_bridge() { return nullptr; }
    // Throws Error(internal or unavailable) if the device is lost. May synchronize with the device.
    virtual void check() {}

    // Returns the memory use of a device with its own memory. May be called from any thread.
    [[nodiscard]] virtual std::optional<DeviceMemory> device_memory() const { return std::nullopt; }
};

// Returns a view of the buffer's count with capacity 0, so that a download copies the counts alone. Does not own the
// memory.
[[nodiscard]] DetectionBuffer count_of(const DetectionBuffer& buffer);

}  // namespace throng
