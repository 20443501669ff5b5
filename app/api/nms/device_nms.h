// Suppression of a caller's arrays in device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "app/api/throng_nms.h"

namespace throng::api {

class DeviceNms {
public:
    virtual ~DeviceNms() = default;

    [[nodiscard]] virtual std::size_t workspace_bytes(std::int64_t num_boxes) const = 0;
    // Enqueues on `stream` (a cudaStream_t). Arguments are checked (check_arguments). Throws Error(usage) for a
    // workspace that is too small or misaligned, Error(unavailable) for a rule that the device does not have.
    virtual void run(const throng_nms_params& params, const throng_nms_input& input, const throng_nms_output& output,
                     void* workspace, std::size_t workspace_bytes, void* stream) = 0;
};

// Throws Error(unavailable) if the library is built without CUDA, or if the device cannot be used.
[[nodiscard]] std::unique_ptr<DeviceNms> make_device_nms(int device);

}  // namespace throng::api
