// The only place that chooses a backend.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/options/command.h"
#include "core/detect/backend.h"
#include "core/pipeline/engine.h"
#include "core/redact/device_redactor.h"
#include "core/video/source.h"

namespace throng {

struct BackendChoice {
    std::shared_ptr<Backend> backend;
    Message why;  // one line: "cuda: NVIDIA H200", "cpu: no NVIDIA driver is installed"
};

// Makes the backend of --backend. auto: CUDA where its module is installed, usable and able to make the detector; otherwise the
// CPU, and `why` holds the reason. detector: the detector that the backend must be able to make; null where only NMS is
// needed. The CPU backend uses its `threads`. Throws Error(unavailable) when the backend requested by name is
// unavailable.
[[nodiscard]] BackendChoice make_backend(const CommonOptions& common, const DetectorParams* detector = nullptr);

// Returns what makes the CPU's backend when `first` fails during a run (Engine). Empty if --backend names a backend, or if
// `first` is the CPU's already; null: not known yet.
[[nodiscard]] std::function<std::shared_ptr<Backend>()> make_fallback(const CommonOptions& common,
                                                                      const DetectorParams& detector,
                                                                      const Backend* first = nullptr);

// Returns an engine on the backend of --backend, with the fallback above and a detector that is ready. Throws as
// make_backend and Engine::prepare do.
[[nodiscard]] Engine make_engine(const CommonOptions& common, const PipelineSettings& settings);

// Lets a source decode on this device; its frames stay there if on_device, where a CUDA backend reads them.
void set_device(SourceOptions& source, int device, bool on_device);

// Returns what hides faces in the memory of this device. Throws Error(unavailable) without the CUDA module.
[[nodiscard]] std::unique_ptr<DeviceRedactor> make_device_redactor(int device);

// Returns why CUDA is unavailable on device `device`; empty when it is available.
[[nodiscard]] Message cuda_unavailable_reason(int device);

}  // namespace throng
