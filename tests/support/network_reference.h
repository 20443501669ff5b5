// Evaluates a network layer by layer in plain loops with 64-bit sums, and builds random networks.
#pragma once

#include <random>
#include <vector>

#include "core/model/network.h"

namespace throng::test {

// [channel][row][column]
struct Tensor {
    int channels = 0, width = 0, height = 0;
    std::vector<float> values;

    Tensor() = default;
    Tensor(int c, int w, int h)
        : channels(c),
          width(w),
          height(h),
          values(static_cast<std::size_t>(c) * static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
    [[nodiscard]] std::size_t index(int c, int x, int y) const {
        return (static_cast<std::size_t>(c) * static_cast<std::size_t>(height) + static_cast<std::size_t>(y)) *
                   static_cast<std::size_t>(width) +
               static_cast<std::size_t>(x);
    }
    [[nodiscard]] float at(int c, int x, int y) const { return values[index(c, x, y)]; }
    float& at(int c, int x, int y) { return values[index(c, x, y)]; }
};

// All tensors, by index into network.tensors.
[[nodiscard]] std::vector<Tensor> evaluate(const Network& network, const Tensor& input);

[[nodiscard]] Tensor random_input(int width, int height, std::mt19937_64& random);

// Adds layers one after the other. Weights are random and keep values near 1. All functions return the new tensor.
class NetworkMaker {
public:
    explicit NetworkMaker(std::uint64_t seed);

    int convolution(int in, int channels, int kernel, int stride, int padding, Activation activation, int groups = 1,
                    int dilation = 1);
    int point(int in, int channels, Activation activation = Activation::none) {
        return convolution(in, channels, 1, 1, 0, activation);
    }
    int depth(int in, Activation activation = Activation::relu, int stride = 1);
    int unit(int in, int channels, Activation activation = Activation::relu) {  // of YuNet
        return depth(point(in, channels), activation);
    }
    int pool(int in, int kernel = 2, int stride = 2, int padding = 0);
    int upsample(int in, int factor = 2);
    int add(int a, int b, Activation activation = Activation::none);
    int concat(const std::vector<int>& in, Activation activation = Activation::none);
    // Adds YuNet's four maps, computed from `in`.
    void yunet_head(int in, int stride);
    // Adds YOLOX's three maps of one class: two branches, of the class and of the box.
    void yolox_head(int in, int stride);
    void ultraface_head(int in, int stride, const std::vector<Prior>& priors);
    void retinaface_head(int in, int stride, const std::vector<Prior>& priors);
    void mean(const std::array<float, 3>& of_channels) { network_.input.mean = of_channels; }

    [[nodiscard]] Network finish(HeadFamily family);

private:
    int add_layer(NetworkLayer layer, int channels);
    [[nodiscard]] int channels(int tensor) const { return network_.tensors[static_cast<std::size_t>(tensor)].channels; }

    Network network_;
    std::mt19937_64 random_;
};

// Networks as described by their authors, with random weights.
[[nodiscard]] Network random_yunet(std::uint64_t seed);
[[nodiscard]] Network random_ultraface(std::uint64_t seed);
[[nodiscard]] Network random_yolox(std::uint64_t seed);
[[nodiscard]] Network random_retinaface(std::uint64_t seed);
// Every layer that the reader supports, in combinations that no published model has.
[[nodiscard]] Network odd_network(std::uint64_t seed);

}  // namespace throng::test
