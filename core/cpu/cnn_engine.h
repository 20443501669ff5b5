// A Network on the CPU: OpenCV's DNN with layers made from the network, so that inputs of any size work.
#pragma once

#include <memory>
#include <opencv2/core/mat.hpp>
#include <opencv2/dnn/dnn.hpp>
#include <vector>

#include "core/model/network.h"

namespace throng {

// For inputs of one size: OpenCV lays out its memory for it. Not thread-safe. Threads are OpenCV's (cv::setNumThreads).
class CnnEngine {
public:
    // network must live as long as the engine; its weights are not copied here. Throws Error(input) for a size that the
    // network does not take, Error(unavailable) when there is no memory for it.
    CnnEngine(const Network& network, std::int32_t width, std::int32_t height);

    // Three planes of width x height floats, to be filled before run().
    [[nodiscard]] float* input() { return input_.ptr<float>(); }
    [[nodiscard]] std::int32_t width() const noexcept { return width_; }
    [[nodiscard]] std::int32_t height() const noexcept { return height_; }

    // Throws Error(internal) with OpenCV's words when it fails.
    void run();

    // A map of the head after run(), [channels][height][width]; valid until the next run.
    [[nodiscard]] const float* map(std::int32_t tensor) const;
    [[nodiscard]] MapSize size(std::int32_t tensor) const { return sizes_[static_cast<std::size_t>(tensor)]; }

private:
    const Network& network_;
    std::int32_t width_, height_;
    std::vector<MapSize> sizes_;
    cv::dnn::Net net_;
    cv::Mat input_;                        // 1 x 3 x height x width
    std::vector<cv::String> outputs_;      // layers whose maps the head reads
    std::vector<std::int32_t> output_of_;  // index into maps_ of each tensor, -1: none
    std::vector<cv::Mat> maps_;
};

}  // namespace throng
