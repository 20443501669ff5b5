// Writes a box to the detection buffer of its frame.
#pragma once

#include "gpu/cnn/heads.h"

namespace throng::gpu {

// box: in pixels of the input. landmark(i): its i-th coordinate (x and y alternate), called only if the buffer stores
// landmarks.
template <typename Landmark>
__device__ void put_box(const BoxSink& sink, int image, Box box, float score, bool has_landmarks, Landmark landmark) {
    const InputPass& pass = sink.d_passes[image % sink.passes];
    if (!in_core(box, pass.core)) return;
    const Box frame_box = to_frame(box, pass.placement);
    const float side = fmaxf(frame_box.w, frame_box.h);
    if (!(side >= sink.min_side && side <= sink.max_side)) return;
    const DetectionSpan& raw = sink.raw[image / sink.passes];
    const std::uint32_t index = atomicAdd(&raw.count->total, 1U);
    if (index >= static_cast<std::uint32_t>(raw.capacity)) return;
    raw.boxes[index] = frame_box;
    raw.scores[index] = score;
    if (raw.landmarks == nullptr) return;
    for (int i = 0; i < 10; ++i) {
        const float origin = i % 2 == 0 ? pass.placement.origin_x : pass.placement.origin_y;
        const float scale = i % 2 == 0 ? pass.placement.scale_x : pass.placement.scale_y;
        raw.landmarks[index * 10ULL + i] = has_landmarks ? origin + landmark(i) * scale : 0.0F;
    }
}

}  // namespace throng::gpu
