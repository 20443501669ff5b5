// The CUDA backend as a module, throng-cuda.so: the only part of the program that contains CUDA code. The program and
// the C library load it at run time, so that one program serves machines with and without a GPU.
//
// The module contains its own copy of core/ and shares C++ types with the program that loads it. Both must be built
// of the same headers: the packages require one version, and load_module() compares both. Objects cross the border
// through virtual functions and plain structs; exceptions and dynamic_cast work, because libstdc++ compares types by
// name. State that exists once per copy must not cross it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/log.h"
#include "core/base/message.h"
#include "core/detect/backend.h"
#include "core/frame/device_converter.h"
#include "core/redact/device_redactor.h"
#include "gpu/runtime/probe.h"

namespace throng {

// One step of an ablation (app/lab/measure/ablation.h), measured on one frame.
struct CudaAblationStep {
    std::string name;
    std::vector<double> ms;    // per frame, gray image in device memory to raw detections
    std::int64_t windows = 0;  // candidates on all levels
    std::uint32_t detections = 0;
    // Cascades only.
    std::vector<std::int64_t> queued;  // windows that passed each segment except the last
    // People only.
    std::vector<std::pair<std::string, std::vector<double>>> kernels_ms;  // each kernel alone
    double memory_mb = 0;                                                 // of the device
};

// Time of NMS on a partition of the device's multiprocessors.
struct PartialDeviceTime {
    int multiprocessors = 0;  // of the partition: the requested number, rounded up to the hardware's groups
    double median_ms = 0;     // per call
    std::size_t kept = 0;
};

// Table of the functions of the module. They throw as the functions that they call.
struct CudaModule {
    const char* version;
    void (*set_spelling)(Spell spell);           // of the module's messages
    void (*use_logger)(spdlog::logger& logger);  // for the module's lines
    gpu::CudaProbe (*probe)();
    std::string (*problem)(int device);
    std::shared_ptr<Backend> (*make_backend)(int device);
    MakeDeviceConverter make_converter;
    std::unique_ptr<DeviceRedactor> (*make_redactor)(int device);
    std::uint64_t (*host_copied_bytes)();  // by the module's copy of core/frame/host_copies.h

    // Measurements (app/lab).
    // Calls show_step before each step.
    std::vector<CudaAblationStep> (*ablation)(const Frame& frame, const DetectorParams& params, int device, int repeats,
                                              const std::function<void(const std::string& step)>& show_step);
    PartialDeviceTime (*time_partial_nms)(int device, int multiprocessors, const DetectionSet& boxes,
                                          const NmsParams& params, std::int32_t capacity);
};

// Name of the module's only exported symbol: `extern "C" const throng::CudaModule throng_cuda_module`.
inline constexpr const char* kCudaModuleSymbol = "throng_cuda_module";

}  // namespace throng
