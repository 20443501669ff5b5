// The CNN detector of the CUDA backend: processes the frames of its source alone or in batches with other sources.
#pragma once

#include <memory>

#include "core/detect/detector.h"
#include "gpu/runtime/probe.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {

// Creates the detector for params.kind cnn; the model is resolved as in core/model/model_finder.h. Frames in device
// memory are processed in batches with those of other detectors with the same parameters (dynamic_batcher.h), if there
// are any. The detections are the same.
[[nodiscard]] std::unique_ptr<Detector> make_cnn_detector(StreamView stream, const DeviceInfo& device,
                                                          const DetectorParams& params);

}  // namespace throng::gpu
