// Optional instrumentation of an NMS engine, for measurements. An engine that supports it also implements NmsProfiling
// (dynamic_cast<NmsProfiling*>(nms.get())).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/detect/nms.h"

namespace throng {

class NmsProfiling {
public:
    NmsProfiling() = default;
    NmsProfiling(const NmsProfiling&) = delete;
    NmsProfiling& operator=(const NmsProfiling&) = delete;
    virtual ~NmsProfiling() = default;

    // Returns the number of box pairs whose overlap the last enqueue computed, if the engine counts them.
    [[nodiscard]] virtual std::optional<std::uint64_t> pair_tests() const { return std::nullopt; }

    // Returns the milliseconds of each of `repeats` runs of the same work by the engine's fastest method (CUDA: a
    // replayed graph, timed by events). Empty if that method is enqueue. Warm-up is not included.
    [[nodiscard]] virtual std::vector<double> replay(const DetectionBuffer& /*raw*/, DetectionBuffer& /*kept*/,
                                                     const NmsParams& /*params*/, int /*repeats*/) {
        return {};
    }
};

}  // namespace throng
