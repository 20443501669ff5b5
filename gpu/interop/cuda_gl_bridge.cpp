#include "gpu/interop/cuda_gl_bridge.h"

// On ARM, CUDA's header needs it and does not include it.
#include <GL/gl.h>

#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "gpu/frame/convert.h"
#include "gpu/redact/redact.h"
#include "gpu/runtime/check.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {
namespace {

constexpr unsigned int kMaxDevices = 32;

// Move-only owner of the CUDA registration of an OpenGL buffer object.
class RegisteredBuffer {
public:
    // Every write replaces the whole contents, so OpenGL need not preserve the previous ones.
    explicit RegisteredBuffer(unsigned int buffer) {
        check_cuda(cudaGraphicsGLRegisterBuffer(&resource_, buffer, cudaGraphicsRegisterFlagsWriteDiscard),
                   "registering an OpenGL pixel buffer");
    }
    RegisteredBuffer(const RegisteredBuffer&) = delete;
    RegisteredBuffer& operator=(const RegisteredBuffer&) = delete;
    RegisteredBuffer(RegisteredBuffer&& other) noexcept : resource_(std::exchange(other.resource_, nullptr)) {}
    RegisteredBuffer& operator=(RegisteredBuffer&&) = delete;
    ~RegisteredBuffer() {
        if (resource_ != nullptr)
            warn_cuda(cudaGraphicsUnregisterResource(resource_), "unregistering an OpenGL pixel buffer");
    }

    [[nodiscard]] cudaGraphicsResource_t view() const noexcept { return resource_; }

private:
    cudaGraphicsResource_t resource_ = nullptr;
};

// Maps a buffer for CUDA during its lifetime. Mapping and unmapping are ordered on the stream.
class Mapping {
public:
    Mapping(const RegisteredBuffer& buffer, StreamView stream) : resource_(buffer.view()), stream_(stream) {
        check_cuda(cudaGraphicsMapResources(1, &resource_, stream_), "mapping an OpenGL pixel buffer");
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() {
        if (mapped_) warn_cuda(unmap(), "unmapping an OpenGL pixel buffer");
    }

    [[nodiscard]] std::pair<std::uint8_t*, std::size_t> memory() const {
        void* address = nullptr;
        std::size_t bytes = 0;
        check_cuda(cudaGraphicsResourceGetMappedPointer(&address, &bytes, resource_),
                   "getting the address of a pixel buffer");
        return {static_cast<std::uint8_t*>(address), bytes};
    }
    void finish() { check_cuda(unmap(), "unmapping an OpenGL pixel buffer"); }

private:
    [[nodiscard]] int unmap() {
        mapped_ = false;
        return cudaGraphicsUnmapResources(1, &resource_, stream_);
    }

    cudaGraphicsResource_t resource_;
    StreamView stream_;
    bool mapped_ = true;
};

DeviceImage image_of(const Frame& frame) {
    if (frame.info().memory != MemoryKind::device || !frame.has_luma()) {
        throw Error(ErrorKind::internal, "only 4:2:0 and gray frames in device memory can be shown by OpenGL");
    }
    const int count = plane_count(frame.info().format);
    PlaneView planes[Frame::kMaxPlanes];
    for (int p = 0; p < count; ++p) planes[p] = frame.plane(p);
    return device_image(frame.info(), planes, count);
}

class CudaGlPixelBuffers final : public GlPixelBuffers {
public:
    CudaGlPixelBuffers(int device, std::span<const unsigned int> buffers, std::size_t bytes)
        : device_(device), bytes_(bytes) {
        slots_.reserve(buffers.size());
        for (const unsigned int buffer : buffers) slots_.emplace_back(buffer);
    }

    ~CudaGlPixelBuffers() override {
        warn_cuda(cudaSetDevice(device_), "cudaSetDevice");
        // A frame released here returns to its decoder, which may overwrite it at once.
        warn_cuda(cudaStreamSynchronize(stream_.view()), "waiting for a frame conversion");
    }

    void write(std::size_t index, const Frame& frame, const Redaction* hidden) override {
        check_cuda(cudaSetDevice(device_), "cudaSetDevice");  // the current device is a property of the calling thread
        release_converted_frames();
        Slot& slot = slots_.at(index);
        const DeviceImage image = image_of(frame);
        const std::size_t pitch = std::size_t{4} * static_cast<std::size_t>(image.width);
        const std::size_t needed = pitch * static_cast<std::size_t>(image.height);
        Mapping mapping(slot.buffer, stream_.view());
        const auto [address, capacity] = mapping.memory();
        if (needed > std::min(capacity, bytes_)) {
            throw Error(ErrorKind::internal, "the frame is larger than its pixel buffer");
        }
        slot.converted.synchronize();  // returns at once unless this buffer was written just before
        slot.frame = frame;
        enqueue_rgba(image, frame.info(), address, static_cast<int>(pitch), stream_.view());
        slot.converted.record(stream_.view());  // before what may throw: the decoder gets the frame back after it
        if (hidden != nullptr) {
            redaction_.enqueue(bgra_image(address, static_cast<std::ptrdiff_t>(pitch), image.width, image.height),
                               hidden->regions, hidden->options);
        }
        mapping.finish();
    }

private:
    struct Slot {
        explicit Slot(unsigned int name) : buffer(name) {}

        RegisteredBuffer buffer;
        Event converted{Event::Timing::off};
        Frame frame;  // held until its conversion has finished
    };

    // Releases the frames whose conversion has finished: decoders have few surfaces.
    void release_converted_frames() {
        for (Slot& slot : slots_) {
            if (slot.frame && slot.converted.done()) slot.frame = {};
        }
    }

    int device_;
    std::size_t bytes_;
    std::vector<Slot> slots_;
    Stream stream_;  // a separate stream, so that no detector kernel waits for OpenGL
    DeviceRedaction redaction_{stream_.view()};
};

}  // namespace

std::string CudaGlBridge::unavailable_reason() {
    unsigned int count = 0;
    int devices[kMaxDevices] = {};
    cudaError_t status = cudaSetDevice(device_);
    if (status == cudaSuccess) status = cudaGLGetDevices(&count, devices, kMaxDevices, cudaGLDeviceListAll);
    if (status != cudaSuccess) {
        (void)cudaGetLastError();
        // For OpenGL of another vendor, such as Mesa, CUDA reports only "unknown error"; that text is omitted.
        const std::string line = "OpenGL does not render on a CUDA device";
        return status == cudaErrorUnknown ? line : line + ": " + cudaGetErrorString(status);
    }
    if (std::find(devices, devices + count, device_) != devices + count) return {};
    return "OpenGL renders on a different device than CUDA device " + std::to_string(device_);
}

std::unique_ptr<GlPixelBuffers> CudaGlBridge::attach(std::span<const unsigned int> buffers, std::size_t bytes) {
    check_cuda(cudaSetDevice(device_), "cudaSetDevice");
    return std::make_unique<CudaGlPixelBuffers>(device_, buffers, bytes);
}

}  // namespace throng::gpu
