// Suppression of a caller's arrays in device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "app/api/throng_nms.h"
#include "core/detect/nms.h"

namespace throng::api {

class DeviceNms {
public:
    virtual ~DeviceNms() = default;

    // arguments and params are two forms of the same parameters; params is ignored in torchvision's mode.
    [[nodiscard]] virtual std::size_t workspace_bytes(const throng_nms_params& arguments, const NmsParams& params,
                                                      std::int64_t num_boxes) = 0;
    // Enqueues on `stream` (a cudaStream_t). Arguments are checked (check_arguments). Throws Error(usage) for a
    // workspace that is too small or misaligned, Error(unavailable) for what the device does not have.
    virtual void run(const throng_nms_params& arguments, const NmsParams& params, const throng_nms_input& input,
                     const throng_nms_output& output, void* workspace, std::size_t workspace_bytes, void* stream) = 0;
};

// Throws Error(unavailable) if the library is built without CUDA, or if the device cannot be used.
[[nodiscard]] std::unique_ptr<DeviceNms> make_device_nms(int device);

}  // namespace throng::api
