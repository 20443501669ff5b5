// Converts a frame in host memory to a network's input, bit for bit as core/algo/cnn_input.h defines it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cpu/thread_pool.h"
#include "core/frame/frame.h"
#include "core/model/cnn_plan.h"
#include "core/model/network.h"

namespace throng {

// Not thread-safe. Keeps its memory from frame to frame.
class CnnInputMaker {
public:
    // Writes the three planes of pass.width x pass.height floats, one after the other, with the channel order, mean and
    // scale of `input`. Samples outside the pass's content are 0 before mean and scale.
    void make(const Frame& frame, const CnnPass& pass, const NetworkInput& input, ThreadPool& pool, float* planes);

private:
    struct Worker {
        // Rows of a plane after the horizontal pass: row r lies in slot r % 2, one range per horizontal sample.
        struct Plane {
            std::vector<float> rows[2];
            int row[2] = {-1, -1};
        };
        Plane plane[3];
        std::vector<float> mean[3];  // of one row of the input
    };

    std::vector<Worker> workers_;
    std::vector<CnnTap> luma_taps_;    // [samples][content width]
    std::vector<CnnTap> chroma_taps_;  // likewise

    friend class CnnInputRows;
};

}  // namespace throng
