// What a mask and a stride mean, one window at a time, and models and frames for their tests.
#pragma once

#include <functional>
#include <vector>

#include "tests/unit/cascade/reference.h"

namespace throng::test {

// Windows whose box fails looked_at count as ones that did not fall in stage 0, and are not accepted.
std::vector<ScoredBox> masked_detections(const CascadeModel& model, const GrayImage& image,
                                         const DetectorParams& params,
                                         const std::function<bool(const Box&)>& looked_at);

// Every stride-th window each way that passes the first `stages` stages has all windows closer than the stride looked
// at; no window is skipped.
std::vector<ScoredBox> strided_detections(const CascadeModel& model, const GrayImage& image,
                                          const DetectorParams& params, int stride, int stages);

// Leaves out trees of another size; stages that lose all theirs go with them, unless none would be left.
void keep_trees_of(CascadeModel& model, int nodes);

// A frame with this luma and interleaved chroma, as nv12 or as yuv420p.
Frame with_chroma(const GrayImage& image, const std::vector<std::uint8_t>& chroma, bool planar);

}  // namespace throng::test
