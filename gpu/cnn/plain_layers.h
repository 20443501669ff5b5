// Layers one by one, each in a launch: for those that no fused kernel covers, and to measure fusion against. A thread
// makes four channels of a pixel.
#pragma once

#include "gpu/cnn/chain.h"
#include "gpu/cnn/map.h"
#include "gpu/cnn/weights.h"

namespace throng::gpu {

struct PlainConvolution {
    Map in, out;
    Map add;  // to the sum, of out's shape; null: nothing
    PlainWeights weights;
    int kernel = 1, stride = 1, padding = 0, dilation = 1;
    bool depthwise = false;  // channel c of out from channel c of in alone
    bool relu = false;       // after the addition
};

struct PlainPool {
    Map in, out;
    int kernel = 2, stride = 2, padding = 0;
    bool relu = false;
};

// out = a + b, or a alone; pixels of a and b are repeated factor x factor times. Of `channels` channels from
// first_channel of out on, which need not be multiples of anything.
struct PlainSum {
    Map a, b;  // b null: nothing to add
    Map out;
    int factor_a = 1, factor_b = 1;
    int channels = 0, first_channel = 0;
    bool relu = false;
};

void launch_plain(const PlainConvolution& task, int images, Precision precision, const Chain& chain);
void launch_plain(const PlainPool& task, int images, Precision precision, const Chain& chain);
void launch_plain(const PlainSum& task, int images, Precision precision, const Chain& chain);

}  // namespace throng::gpu
