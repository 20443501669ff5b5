// Writing a box where it belongs.
#pragma once

#include "gpu/cnn/box_sink.h"

namespace throng::gpu {

// box in pixels of the input; landmark(i): its i-th coordinate (x and y take turns), asked for only where there is
// room.
template <typename Landmark>
__device__ void put_box(const BoxSink& sink, int image, Box box, float score, bool has_landmarks, Landmark landmark) {
    const PassPosition pass = sink.d_passes[image % sink.passes];
    if (!in_core(box, pass.core)) return;
    const Box placed = to_frame(box, pass.place);
    const float side = fmaxf(placed.w, placed.h);
    if (!(side >= sink.min_side && side <= sink.max_side)) return;
    const DetectionSpan& raw = sink.raw[image / sink.passes];
    const std::uint32_t index = atomicAdd(&raw.count->total, 1U);
    if (index >= static_cast<std::uint32_t>(raw.capacity)) return;
    raw.boxes[index] = placed;
    raw.scores[index] = score;
    if (raw.landmarks == nullptr) return;
    for (int i = 0; i < 10; ++i) {
        const float origin = i % 2 == 0 ? pass.place.origin_x : pass.place.origin_y;
        const float scale = i % 2 == 0 ? pass.place.scale_x : pass.place.scale_y;
        raw.landmarks[index * 10ULL + i] = has_landmarks ? origin + landmark(i) * scale : 0.0F;
    }
}

}  // namespace throng::gpu
