// Chooses the GPUs of a run: one, or with --device all every usable one.
#pragma once

#include <vector>

#include "app/options/command.h"
#include "gpu/runtime/probe.h"

namespace throng {

inline constexpr int kAllDevices = -1;  // CommonOptions::device of --device all

// Returns the indices of the devices among which workers are divided in turn; at least one. Without a usable device it
// is the first, so that make_backend reports the reason or falls back to the CPU.
[[nodiscard]] inline std::vector<int> devices_of(const CommonOptions& common, const gpu::CudaProbe& probe) {
    if (common.device != kAllDevices) return {common.device};
    std::vector<int> devices;
    for (const gpu::DeviceInfo& device : probe.devices) {
        if (probe.usable && device.unavailable_reason.empty()) devices.push_back(device.index);
    }
    if (devices.empty()) devices.push_back(0);
    return devices;
}

}  // namespace throng
