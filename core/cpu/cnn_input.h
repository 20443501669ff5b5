// From a frame in host memory to a network's input, with the arithmetic of core/algo/cnn_input.h to the bit.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cpu/thread_pool.h"
#include "core/frame/frame.h"
#include "core/model/cnn_plan.h"
#include "core/model/network.h"

namespace throng {

// Not thread-safe; keeps its memory from frame to frame.
class CnnInputMaker {
public:
    // Writes the three planes of pass.width x pass.height floats, one after the other: input's order of channels, mean
    // and scale; beyond the pass's content samples are 0 before mean and scale.
    void make(const Frame& frame, const CnnPass& pass, const NetworkInput& input, ThreadPool& pool, float* planes);

private:
    struct Worker {
        // Rows of a plane after the horizontal pass: row r lies in slot r % 2, one stretch a horizontal sample.
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
