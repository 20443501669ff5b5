// What an NMS engine may tell about its own work, for measurements: an engine that can also implements NmsStudy
// (dynamic_cast<NmsStudy*>(nms.get())).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/detect/nms.h"

namespace throng {

class NmsStudy {
public:
    NmsStudy() = default;
    NmsStudy(const NmsStudy&) = delete;
    NmsStudy& operator=(const NmsStudy&) = delete;
    virtual ~NmsStudy() = default;

    // Pairs of boxes whose overlap the last enqueue computed, where the engine counts them.
    [[nodiscard]] virtual std::optional<std::uint64_t> pair_tests() const { return std::nullopt; }

    // Milliseconds of each of `repeats` runs by the fastest way the engine has for the same work again and again
    // (CUDA: a replayed graph, timed by events); empty where that is just enqueue. Warm-up is not part of the times.
    [[nodiscard]] virtual std::vector<double> replay(const DetectionBuffer& /*raw*/, DetectionBuffer& /*kept*/,
                                                     const NmsParams& /*params*/, int /*repeats*/) {
        return {};
    }
};

}  // namespace throng
