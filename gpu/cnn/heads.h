// From feature maps to boxes: YuNet's heads with decoding in one launch for all strides, and decoding of maps that
// other kernels wrote. The arithmetic of the decoding is in core/algo/cnn_boxes.h.
#pragma once

#include "core/model/network.h"
#include "gpu/cnn/preprocess.h"
#include "gpu/cnn/task_blocks.h"

namespace throng::gpu {

// Output of the boxes of a batch: one buffer per frame, and the position of the network's input in the frame.
struct BoxSink {
    DetectionSpan raw[kMaxBatch];         // per frame; the counts are zero before the first write
    const InputPass* d_passes = nullptr;  // image of a map = frame * passes + pass
    int passes = 1;
    float threshold = 0;               // lower scores are not reported
    float min_side = 0, max_side = 0;  // limits of the longer side, in pixels of the frame
};

inline constexpr int kMaxLevels = 4;  // max strides of a network
inline constexpr int kMaxPriors = 4;

// YuNet has, per stride, a pointwise convolution of 64 channels to 16 and a depthwise one without activation. The
// channels are: logit of the class, logit of objectness, four of the box, ten of landmarks.
inline constexpr int kHeadChannelsIn = 64;
inline constexpr int kHeadChannels = 16;

struct YunetHeads {
    StepTask head[kMaxLevels];  // in, point, depth; stride: input pixels per cell
    int count = 0;
    bool has_landmarks = false;
    BoxSink sink;
    TaskBlocks<kMaxLevels> blocks;  // set by the launch
};

void launch_yunet_heads(const YunetHeads& heads, int images, Precision precision, const LaunchChain& chain);

// Maps of one stride; fields as in HeadLevel.
struct BoxLevel {
    Map score, objectness, box, landmarks;
    float stride = 8;         // yunet, yolox
    CnnPitch pitch = {8, 8};  // ultraface, retinaface
    int boxes_per_cell = 1;
    Prior priors[kMaxPriors] = {};
};

struct BoxMaps {
    BoxLevel level[kMaxLevels];
    int count = 0;
    HeadFamily family = HeadFamily::yunet;
    float center_variance = 1, size_variance = 1;
    BoxSink sink;
    TaskBlocks<kMaxLevels> blocks;  // set by the launch
};

void launch_boxes(const BoxMaps& maps, int images, Precision precision, const LaunchChain& chain);

}  // namespace throng::gpu
