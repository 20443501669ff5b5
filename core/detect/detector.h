// The interface of every detector: a frame goes in, raw detections come out in the backend's memory.
#pragma once

#include <string>

#include "core/detect/detection_buffer.h"
#include "core/detect/stage.h"
#include "core/frame/frame.h"

namespace throng {

struct DetectorParams {
    std::string kind = "haar";  // haar, lbp; hog and cnn where built
    std::string model;          // a file, or a name looked up where models are installed; empty: the kind's default
    int min_size = 24;          // pixels of the frame: smallest side of a face to look for
    int max_size = 0;           // pixels of the frame; 0: as large as the frame
    double scale_factor = 1.1;  // between neighbouring scales, > 1
    int threads = 0;            // CPU threads; 0: one a core

    friend bool operator==(const DetectorParams&, const DetectorParams&) = default;
};

// Not thread-safe: one detector belongs to one detect thread.
class Detector {
public:
    Detector() = default;
    Detector(const Detector&) = delete;
    Detector& operator=(const Detector&) = delete;
    virtual ~Detector() = default;

    // Sets raw's count and writes its boxes and scores (the first `capacity` that were found, count.wanted tells all).
    // CPU: done on return, deterministic order. CUDA: enqueued on the backend's stream, does not synchronise;
    // the order of boxes is not defined. A frame smaller than the model's window gives no detection.
    // Throws Error(internal) for a frame in memory that the backend cannot read.
    virtual void enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder) = 0;

    // Changes sizes, factor or threads between frames; kind and model must stay as they were made.
    // Throws Error(usage) for values that make no sense and keeps the old ones then.
    virtual void configure(const DetectorParams& params) = 0;
};

// Throws Error(usage) naming the option when a value is out of range or sizes contradict each other.
void check_params(const DetectorParams& params);

}  // namespace throng
