// From a frame, read in place, to a network's input in one kernel: colors, resampling, mean and scale, layout. The
// arithmetic is in core/algo/cnn_input.h.
#pragma once

#include <cmath>

#include "core/algo/cnn_boxes.h"
#include "core/algo/cnn_input.h"
#include "core/detect/detection_buffer.h"
#include "gpu/cnn/step.h"
#include "gpu/frame/device_image.h"

namespace throng::gpu {

// A rectangle of the frame and its position in the input; the same for all frames of a batch.
struct InputPass {
    CnnAxis luma_x, luma_y;  // bgr: for its pixels
    CnnAxis chroma_x, chroma_y;
    int content_width = 0, content_height = 0;  // pixels of the input; samples outside are padding
    CnnPlacement placement{};
    CnnCore core{};
};

// Tests if each input pixel is a pixel of the frame, from an even column and row on: the stem can read the frame itself.
[[nodiscard]] inline bool is_native(const InputPass& pass) {
    const auto fits = [](const CnnAxis& axis) { return axis.scale == 1.0F && std::fmod(axis.origin, 2.0F) == 0.0F; };
    return fits(pass.luma_x) && fits(pass.luma_y);
}

struct PreprocessTask {
    DeviceImage image[kMaxBatch];  // all of one size
    CnnColor color[kMaxBatch];
    const InputPass* d_passes = nullptr;  // image of the input = frame * passes + pass
    int passes = 0;
    InputPass pass;                              // if it is the only one
    bool rgb = false;                            // order of the input's channels
    float mean[3] = {}, scale = 1, padding = 0;  // as NetworkInput
    Map out;                                     // four channels, the last of them zero
    DetectionCount* clear[kMaxBatch] = {};       // set to zero if not null
};

// images: frames * passes.
void launch_preprocess(const PreprocessTask& task, int images, Precision precision, const LaunchChain& chain);

}  // namespace throng::gpu
