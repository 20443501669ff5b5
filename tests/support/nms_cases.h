// Inputs for tests of NMS engines: random ones of every kind, and shapes that are hard for an engine.
#pragma once

#include <cstddef>
#include <random>

#include "tests/support/nms_reference.h"

namespace throng::test {

using Random = std::mt19937_64;

// n detections: one of several mixes of place, size and score, among them few distinct scores, exact copies, values
// that are not finite, boxes without extent, and coordinates and sizes to the limits of float32. Density and embeddings
// of size 3 are filled.
[[nodiscard]] NmsInput random_nms_input(Random& random, std::size_t n);

// Any combination of rules that check_params accepts; thresholds include 0 and 1. kernels stays fast.
[[nodiscard]] NmsParams random_nms_params(Random& random);

// Boxes of 10 x 10, each 4 to the right of the one before and with a lower score: with theta 0.4 and IoU, each overlaps
// its neighbors only. Greedy keeps every second, one-pass the first.
[[nodiscard]] NmsInput chain_input(std::size_t n);

// n copies of one box with one score.
[[nodiscard]] NmsInput copies_input(std::size_t n);

// Clusters of `cluster` jittered boxes around faces of 24 to 200 pixels, on a plane where clusters rarely meet.
[[nodiscard]] NmsInput clusters_input(Random& random, std::size_t n, std::size_t cluster);

// Every value in some way invalid.
[[nodiscard]] NmsInput invalid_input(std::size_t n);

// The same detections in another order.
[[nodiscard]] NmsInput shuffled(const NmsInput& input, Random& random);

}  // namespace throng::test
