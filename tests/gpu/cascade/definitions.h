// Reference definitions of a mask and a stride, one window at a time, and models and frames for the tests.
#pragma once

#include <functional>
#include <vector>

#include "tests/unit/cascade/reference.h"

namespace throng::test {

// A window whose box fails is_candidate is not accepted, and does not count as a rejection in stage 0.
std::vector<ScoredBox> masked_detections(const CascadeModel& model, const GrayImage& image,
                                         const DetectorParams& params,
                                         const std::function<bool(const Box&)>& is_candidate);

// If a window at a multiple of the stride passes the first `stages` stages, all windows closer than the stride are
// evaluated; no window is skipped.
std::vector<ScoredBox> strided_detections(const CascadeModel& model, const GrayImage& image,
                                          const DetectorParams& params, int stride, int stages);

// Removes trees with another number of nodes, and stages without remaining trees, unless no stage would remain.
void keep_trees_of(CascadeModel& model, int nodes);

// Returns a frame with this luma and interleaved chroma, as nv12 or as yuv420p.
Frame with_chroma(const GrayImage& image, const std::vector<std::uint8_t>& chroma, bool planar);

}  // namespace throng::test
