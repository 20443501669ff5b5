// An axis-aligned rectangle with continuous edges: [x, x + w) by [y, y + h), in pixels of the frame.
#pragma once

namespace throng {

struct alignas(16) Box {  // 16 bytes: one vector load on the CPU and on the GPU
    float x, y, w, h;
};

}  // namespace throng
