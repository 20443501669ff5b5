// Hides faces in images in device memory.
#pragma once

#include "core/redact/redact.h"

namespace throng {

// Not thread-safe.
class DeviceRedactor {
public:
    DeviceRedactor() = default;
    DeviceRedactor(const DeviceRedactor&) = delete;
    DeviceRedactor& operator=(const DeviceRedactor&) = delete;
    virtual ~DeviceRedactor() = default;

    // Changes an image in place as throng::redact does, byte for byte. Its planes are addresses of the device's memory,
    // complete or written by work of the default stream. Blocks until the image is hidden. Throws Error(internal or
    // unavailable) if the device fails; the image is then not hidden.
    virtual void redact(const RedactImage& image, const RedactRegions& regions, const RedactOptions& options) = 0;
};

}  // namespace throng
