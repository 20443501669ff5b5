// From a frame, read in place, to a network's input in one kernel: colors, resampling, mean and scale, layout. The
// arithmetic is in core/algo/cnn_input.h.
#pragma once

#include "core/algo/cnn_input.h"
#include "core/detect/detection_buffer.h"
#include "gpu/cnn/launch.h"
#include "gpu/cnn/map.h"
#include "gpu/frame/device_image.h"

namespace throng::gpu {

// A rectangle of the frame and its position in the input; the same for all frames of a batch.
struct InputPass {
    CnnAxis luma_x, luma_y;  // bgr: for its pixels
    CnnAxis chroma_x, chroma_y;
    int content_width = 0, content_height = 0;  // pixels of the input; samples outside are padding
};

[[nodiscard]] inline bool is_single(const InputPass& pass) {
    return pass.luma_x.samples * pass.luma_y.samples * pass.chroma_x.samples * pass.chroma_y.samples == 1;
}

struct PreprocessTask {
    DeviceImage image[kMaxBatch];  // all of one size
    CnnColor color[kMaxBatch];
    const InputPass* d_passes = nullptr;  // image of the input = frame * passes + pass
    int passes = 0;
    bool single = false;                         // all passes take one sample per input pixel
    bool rgb = false;                            // order of the input's channels
    float mean[3] = {}, scale = 1, padding = 0;  // as NetworkInput
    Map out;                                     // four channels, the last of them zero
    DetectionCount* clear[kMaxBatch] = {};       // set to zero if not null
};

void launch_preprocess(const PreprocessTask& task, int frames, Precision precision, const LaunchChain& chain);

}  // namespace throng::gpu
