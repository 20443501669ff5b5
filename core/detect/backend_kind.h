// The kinds of backends, and their names.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "core/base/choice_names.h"

namespace throng {

enum class BackendKind : std::uint8_t {
    automatic,  // a request alone: CUDA where it is available, otherwise the CPU
    cpu,
    cuda,
};

inline constexpr std::pair<std::string_view, BackendKind> kBackendNames[] = {
    {"auto", BackendKind::automatic},
    {"cpu", BackendKind::cpu},
    {"cuda", BackendKind::cuda},
};

}  // namespace throng
