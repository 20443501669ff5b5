// Decodes a network's output maps to scores of cells, and to boxes and landmarks in pixels of the network's input. CPU
// and GPU share this code.
// Sources: YuNet, W. Wu, H. Peng, S. Yu (Machine Intelligence Research, 2023), decoded as OpenCV's FaceDetectorYN does
// from 4.8 on (the score is the geometric mean of class and objectness); UltraFace, Linzaer (2019), decoded as SSD (W.
// Liu et al., ECCV 2016, section 2.2) with its priors centered in their cells; YOLOX, Z. Ge et al. (2021), whose boxes
// are YuNet's; RetinaFace, J. Deng et al. (CVPR 2020), decoded as SSD.
// All arithmetic is float32 in the order written here. The last bit of exp depends on the library.
#pragma once

#include <cmath>

#include "core/algo/box.h"
#include "core/algo/host_device.h"

namespace throng {

TH_HD float cnn_sigmoid(float x) {
    return 1.0F / (1.0F + expf(-x));
}

// Returns exp of the logarithm clamped to ±kMaxLog: e^8 cells are more than any map has, and the area of such a box is
// still finite. NaN becomes the smallest size.
TH_HD float cnn_size(float log_size) {
    constexpr float kMaxLog = 8.0F;
    return expf(log_size <= kMaxLog ? (log_size >= -kMaxLog ? log_size : -kMaxLog) : kMaxLog);
}

// YuNet. Both arguments are logits.
TH_HD float yunet_score(float score, float objectness) {
    return sqrtf(cnn_sigmoid(score) * cnn_sigmoid(objectness));
}

// YOLOX. Both arguments are logits.
TH_HD float yolox_score(float score, float objectness) {
    return cnn_sigmoid(score) * cnn_sigmoid(objectness);
}

// YuNet and YOLOX. The cell in column, row of a map whose cells are stride input pixels apart.
TH_HD Box yunet_box(float dx, float dy, float log_w, float log_h, int column, int row, float stride) {
    const float center_x = (static_cast<float>(column) + dx) * stride;
    const float center_y = (static_cast<float>(row) + dy) * stride;
    const float w = cnn_size(log_w) * stride;
    const float h = cnn_size(log_h) * stride;
    return {center_x - w * 0.5F, center_y - h * 0.5F, w, h};
}

// YuNet. One coordinate of a landmark: offset from the cell's column (x) or row (y), in cells.
TH_HD float yunet_landmark(float offset, int cell, float stride) {
    return (static_cast<float>(cell) + offset) * stride;
}

// UltraFace and RetinaFace. Softmax of two logits.
TH_HD float ultraface_score(float background, float face) {
    return cnn_sigmoid(face - background);
}

// UltraFace and RetinaFace. Distance between neighboring cells in input pixels: the input's size divided by the map's. It differs
// slightly from the stride if the input's size is not a multiple of it.
struct CnnPitch {
    float x, y;
};

// UltraFace and RetinaFace. Priors are centered in their cells; their width and height are in input pixels.
TH_HD Box ultraface_box(float dx, float dy, float dw, float dh, int column, int row, CnnPitch pitch, float prior_w,
                        float prior_h, float center_variance, float size_variance) {
    const float center_x = (static_cast<float>(column) + 0.5F) * pitch.x + (dx * center_variance) * prior_w;
    const float center_y = (static_cast<float>(row) + 0.5F) * pitch.y + (dy * center_variance) * prior_h;
    const float w = cnn_size(dw * size_variance) * prior_w;
    const float h = cnn_size(dh * size_variance) * prior_h;
    return {center_x - w * 0.5F, center_y - h * 0.5F, w, h};
}

// RetinaFace. One coordinate of a landmark: the prior's center, moved by a share of its size.
TH_HD float prior_landmark(float offset, int cell, float pitch, float prior, float center_variance) {
    return (static_cast<float>(cell) + 0.5F) * pitch + (offset * center_variance) * prior;
}

// Position of an input in the frame: frame pixel = origin + input pixel * scale.
struct CnnPlacement {
    float origin_x, origin_y;  // of the input's top left corner, in pixels of the frame
    float scale_x, scale_y;    // frame pixels per input pixel
};

TH_HD Box to_frame(Box box, CnnPlacement placement) {
    return {placement.origin_x + box.x * placement.scale_x, placement.origin_y + box.y * placement.scale_y,
            box.w * placement.scale_x, box.h * placement.scale_y};
}

// The region of a tile, in pixels of the input, in which a box's center must lie. Tiles overlap; the regions assign
// each face to one tile.
struct CnnCore {
    float left, top, right, bottom;
};

TH_HD bool in_core(Box box, CnnCore core) {
    const float x = box.x + box.w * 0.5F;
    const float y = box.y + box.h * 0.5F;
    return x >= core.left && x < core.right && y >= core.top && y < core.bottom;
}

}  // namespace throng
