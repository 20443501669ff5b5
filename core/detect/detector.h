// The interface of every detector: a frame goes in, raw detections come out in the backend's memory.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/detect/detection_buffer.h"
#include "core/detect/detector_switch.h"
#include "core/detect/stage.h"
#include "core/frame/frame.h"

namespace throng {

struct DetectorParams {
    std::string kind = "haar";  // one of detector_kinds()
    std::string model;          // a file, or a name looked up where models are installed; empty: the kind's default
    int min_size = 24;          // pixels of the frame: smallest side of an object to look for
    int max_size = 0;           // pixels of the frame; 0: as large as the frame
    double scale_factor = 1.1;  // between neighboring scales, > 1
    int threads = 0;            // CPU threads; 0: one a core
    // Raw detections below are not reported. Unit of the kind: probability (cnn), margin of the SVM (hog); cascades
    // take none. Not set: the kind's own.
    std::optional<float> score_threshold;
    bool half = false;  // 16-bit arithmetic where the kind and the device have it
    // Choices for switches() by id; those not named stay at their defaults. An unknown id or choice is Error(usage).
    std::map<std::string, std::string> switches;

    friend bool operator==(const DetectorParams&, const DetectorParams&) = default;
};

// Not thread-safe: one detector belongs to one detect thread.
class Detector {
public:
    Detector() = default;
    Detector(const Detector&) = delete;
    Detector& operator=(const Detector&) = delete;
    virtual ~Detector() = default;

    // Sets raw's count and writes its boxes and scores (the first `capacity` that were found, count.total tells all).
    // CPU: done on return, deterministic order. CUDA: enqueued on the backend's stream, does not synchronize;
    // the order of boxes is not defined. A frame smaller than the model's window gives no detection.
    // Throws Error(internal) for a frame in memory that the backend cannot read.
    virtual void enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder) = 0;

    // Changes sizes, factor or threads between frames; kind and model must stay as they were made.
    // Throws Error(usage) for values that make no sense and keeps the old ones then.
    virtual void configure(const DetectorParams& params) = 0;

    // The optional arrays that enqueue fills where raw carries them.
    [[nodiscard]] virtual OptionalFields optional_fields() const { return {}; }

    // What can be switched for study, with the present choices; empty where there is nothing to switch.
    [[nodiscard]] virtual std::vector<DetectorSwitch> switches() const { return {}; }
};

// Throws Error(usage) naming the option when a value is out of range or sizes contradict each other.
void check_params(const DetectorParams& params);

}  // namespace throng
