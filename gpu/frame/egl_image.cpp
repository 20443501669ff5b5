#include "gpu/frame/egl_image.h"

#include <cuda_runtime_api.h>

#include <system_error>
#include <thread>

#include "core/base/error.h"
#include "core/base/log.h"
#if __has_include(<EGL/eglext.h>)
#include <cuda_egl_interop.h>
#endif

namespace throng::gpu {

#if __has_include(<EGL/eglext.h>)
namespace {

void require(cudaError_t status, const std::string& call) {
    if (status == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());
    throw Error(ErrorKind::unavailable, call + ": " + cudaGetErrorString(status));
}

class RegisteredImage {
public:
    RegisteredImage(int device, void* image) : device_(device) {
        require(cudaGraphicsEGLRegisterImage(&resource_, image, cudaGraphicsRegisterFlagsReadOnly),
                "cudaGraphicsEGLRegisterImage");
    }
    RegisteredImage(const RegisteredImage&) = delete;
    RegisteredImage& operator=(const RegisteredImage&) = delete;
    ~RegisteredImage() {
        // Changes nothing that is current on this thread: it may be one of GStreamer's.
        const auto unregister = [this] {
            cudaError_t status = cudaSetDevice(device_);
            if (status == cudaSuccess) status = cudaGraphicsUnregisterResource(resource_);
            // The loss of a device is reported elsewhere; each surface would repeat it.
            if (status != cudaSuccess) logger().debug("unregistering an EGLImage: {}", cudaGetErrorString(status));
        };
        try {
            std::thread(unregister).join();
        } catch (const std::system_error&) {  // no thread could be started
            unregister();
        }
    }

    [[nodiscard]] cudaEglFrame frame() const {
        cudaEglFrame frame{};
        require(cudaGraphicsResourceGetMappedEglFrame(&frame, resource_, 0, 0),
                "cudaGraphicsResourceGetMappedEglFrame");
        return frame;
    }

private:
    int device_;
    cudaGraphicsResource_t resource_ = nullptr;
};

}  // namespace

std::string read_egl_frame(const cudaEglFrame& frame, PlaneView (&planes)[2]) {
    if (frame.frameType != cudaEglFrameTypePitch) return "the image is block linear, not pitch linear";
    switch (frame.eglColorFormat) {
        case cudaEglColorFormatYUV420SemiPlanar:
        case cudaEglColorFormatYUV420SemiPlanar_ER:
        case cudaEglColorFormatYUV420SemiPlanar_709:
        case cudaEglColorFormatYUV420SemiPlanar_2020: break;
        default: return "the image is not NV12: color format " + std::to_string(frame.eglColorFormat);
    }
    if (frame.planeCount != 2) return "the image has " + std::to_string(frame.planeCount) + " planes, not 2";
    for (unsigned p = 0; p < 2; ++p) {
        const cudaPitchedPtr& memory = frame.frame.pPitch[p];
        const cudaEglPlaneDesc& plane = frame.planeDesc[p];
        const unsigned bytes = plane.width * (p + 1);  // chroma comes in pairs
        const std::size_t pitch = memory.pitch != 0 ? memory.pitch : plane.pitch;
        if (memory.ptr == nullptr || plane.numChannels != p + 1 || pitch < bytes) {
            return "plane " + std::to_string(p) + " is not that of NV12";
        }
        planes[p] = {static_cast<const std::uint8_t*>(memory.ptr), static_cast<std::ptrdiff_t>(pitch),
                     static_cast<int>(bytes), static_cast<int>(plane.height)};
    }
    return {};
}

DevicePlanes register_egl_image(int device, void* egl_image) {
    auto image = std::make_shared<RegisteredImage>(device, egl_image);
    DevicePlanes result;
    const std::string problem = read_egl_frame(image->frame(), result.planes);
    if (!problem.empty()) throw Error(ErrorKind::unavailable, problem);
    result.owner = std::move(image);
    return result;
}
#else
DevicePlanes register_egl_image(int, void*) {
    throw Error(ErrorKind::unavailable, "built without the headers of EGL (libegl-dev)");
}
#endif

}  // namespace throng::gpu
