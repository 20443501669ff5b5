// Inputs for tests of NMS engines: random boxes of every kind, and configurations that are hard for an engine.
#pragma once

#include <cstddef>
#include <random>

#include "tests/support/nms_reference.h"

namespace throng::test {

using Random = std::mt19937_64;

// Returns n detections with one of several mixes of position, size and score. The mixes include few distinct scores,
// exact copies, non-finite values, boxes without extent, and coordinates and sizes up to the limits of float32. Density
// and embeddings of size 3 are set.
[[nodiscard]] NmsInput random_nms_input(Random& random, std::size_t n);

// Returns a random combination of rules that check_params accepts; thresholds include 0 and 1. kernels is always fast.
[[nodiscard]] NmsParams random_nms_params(Random& random);

// Boxes of 10 x 10, each 4 to the right of the previous one and with a lower score. With theta 0.4 and IoU, each
// overlaps only its neighbors. Greedy keeps every second box, one-pass the first.
[[nodiscard]] NmsInput chain_input(std::size_t n);

// n copies of one box with one score.
[[nodiscard]] NmsInput copies_input(std::size_t n);

// Clusters of `cluster` jittered boxes around faces of 24 to 200 pixels, on a plane where clusters rarely overlap.
[[nodiscard]] NmsInput clusters_input(Random& random, std::size_t n, std::size_t cluster);

// Detections that are all invalid, in every way.
[[nodiscard]] NmsInput invalid_input(std::size_t n);

// Returns the same detections in random order.
[[nodiscard]] NmsInput shuffled(const NmsInput& input, Random& random);

}  // namespace throng::test
