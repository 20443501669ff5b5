// Runs a Network on the CPU with OpenCV's DNN. Its layers are built from the network, so that inputs of any size work.
#pragma once

#include <memory>
#include <opencv2/core/mat.hpp>
#include <opencv2/dnn/dnn.hpp>
#include <vector>

#include "core/model/network.h"

namespace throng {

// An engine for inputs of one size, because OpenCV allocates its memory for one size. Not thread-safe. Uses OpenCV's
// threads (cv::setNumThreads).
class CnnEngine {
public:
    // network must outlive the engine; its weights are not copied here. Throws Error(input) for a size that the network
    // does not accept and Error(unavailable) when memory is insufficient.
    CnnEngine(const Network& network, std::int32_t width, std::int32_t height);

    // Returns three planes of width x height floats, to be filled before run().
    [[nodiscard]] float* input() { return input_.ptr<float>(); }
    [[nodiscard]] std::int32_t width() const noexcept { return width_; }
    [[nodiscard]] std::int32_t height() const noexcept { return height_; }

    // Throws Error(internal) with OpenCV's message on failure.
    void run();

    // Returns a map of the head after run(), [channels][height][width]; valid until the next run.
    [[nodiscard]] const float* map(std::int32_t tensor) const;
    [[nodiscard]] MapSize size(std::int32_t tensor) const { return sizes_[static_cast<std::size_t>(tensor)]; }

private:
    const Network& network_;
    std::int32_t width_, height_;
    std::vector<MapSize> sizes_;
    cv::dnn::Net net_;
    cv::Mat input_;                        // 1 x 3 x height x width
    std::vector<cv::String> outputs_;      // layers that write the maps of the head
    std::vector<std::int32_t> output_of_;  // per tensor: index into maps_, or -1
    std::vector<cv::Mat> maps_;
};

}  // namespace throng
