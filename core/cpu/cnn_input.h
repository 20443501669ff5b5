// Converts a frame in host memory to a network's input, bit for bit as core/algo/cnn_input.h defines it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cpu/thread_pool.h"
#include "core/frame/frame.h"
#include "core/model/cnn_plan.h"
#include "core/model/network.h"

namespace throng {

// Three planes of floats: sample (x, y) of channel c is data[y * row + c * plane + x].
struct CnnPlanes {
    float* data;
    std::ptrdiff_t row, plane;
};

// cnn_tap of every pixel of a row: [samples][content width].
struct CnnTaps {
    int first = 0;                   // sample of the plane that near counts from
    int samples = 0;                 // that the taps use
    bool whole = true;               // all weights are 0
    bool copies = false;             // pixel x is sample first + x
    std::vector<std::int32_t> near;  // the far one is the next, or has weight 0
    std::vector<float> weight;
};

// Not thread-safe. Keeps its memory from frame to frame.
class CnnInputMaker {
public:
    // Writes three planes of pass.width x pass.height floats with the channel order, mean and scale of `input`. Samples
    // outside the pass's content are the padding of `input` before mean and scale.
    void make(const Frame& frame, const CnnPass& pass, const NetworkInput& input, ThreadPool& pool,
              const CnnPlanes& planes) {
        make_rows(frame, pass, input, pool, planes, 0, pass.height);
    }
    // Writes the rows [first, end) only. Reads only the rows of the frame that they need.
    void make_rows(const Frame& frame, const CnnPass& pass, const NetworkInput& input, ThreadPool& pool,
                   const CnnPlanes& planes, int first, int end);

private:
    struct Worker {
        // Rows of a plane after the horizontal pass: row r lies in slot r % 2, one range per horizontal sample.
        struct Plane {
            std::vector<float> rows[2];
            int row[2] = {-1, -1};
        };
        Plane plane[3];
        std::vector<float> mean[3];  // of one row of the input
        std::vector<float> samples;  // of one row of a plane
    };

    std::vector<Worker> workers_;
    CnnTaps luma_taps_, chroma_taps_;

    friend class CnnInputRows;
};

}  // namespace throng
