// The only place that chooses a backend.
#pragma once

#include <memory>
#include <string>

#include "app/commands/command.h"
#include "core/detect/backend.h"

namespace throng {

struct BackendChoice {
    std::shared_ptr<Backend> backend;
    std::string why;  // one line: "cuda: NVIDIA H200", "cpu: built without CUDA"
};

// auto: CUDA where it is built, usable and (with a detector given) able to make it; else the CPU, saying why.
// Throws Error(unavailable) when the backend asked for by name is not to be had, Error(usage) for an unknown name.
// detector: what the backend must be able to make; null where only NMS is needed. Its threads go to the CPU backend.
[[nodiscard]] BackendChoice make_backend(const CommonOptions& common, const DetectorParams* detector = nullptr);

// Why CUDA is not to be had on device `device`; empty when it is.
[[nodiscard]] std::string cuda_unavailable_reason(int device);

}  // namespace throng
