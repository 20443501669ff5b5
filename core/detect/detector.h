// The interface of detectors: takes a frame and writes raw detections to the backend's memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/detect/detection_buffer.h"
#include "core/detect/detector_switch.h"
#include "core/detect/stage.h"
#include "core/frame/frame.h"

namespace throng {

// Identifies a row of detector_kinds().
enum class DetectorId : std::uint8_t { haar, lbp, hog, cnn, person, face_and_person };

struct DetectorParams {
    DetectorId kind = DetectorId::haar;
    std::string model;          // a file, or the name of an installed model; empty: the kind's default
    int min_size = 24;          // pixels of the frame: minimum side of an object
    int max_size = 0;           // pixels of the frame; 0: as large as the frame
    double scale_factor = 1.1;  // between neighboring scales, > 1
    int threads = 0;            // CPU threads; 0: one per core
    // Raw detections with a lower score are not reported. The unit depends on the kind: probability (cnn), SVM margin
    // (hog); cascades reject it. If not set, the kind's default applies.
    std::optional<float> score_threshold;
    bool half = false;  // FP16 arithmetic if the kind and the device support it
    // Choices for switches() by id; others keep their defaults. An unknown id or choice is Error(usage).
    std::map<std::string, std::string> switches;

    friend bool operator==(const DetectorParams&, const DetectorParams&) = default;
};

// Not thread-safe: each detector belongs to one detect thread.
class Detector {
public:
    Detector() = default;
    Detector(const Detector&) = delete;
    Detector& operator=(const Detector&) = delete;
    virtual ~Detector() = default;

    // Sets raw's count and writes its boxes and scores (the first `capacity` that were found; count.total is the number
    // of all). CPU: done on return, deterministic order. CUDA: enqueued; later work on the backend's stream waits for it;
    // the order of boxes is not defined. The call does not wait for the detections, but that of a network with several
    // sources may wait for earlier frames. Work enqueued before must not use raw any more. A frame smaller than the
    // model's window gives no detections.
    // Throws Error(internal) for a frame in memory that the backend cannot read.
    virtual void enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder) = 0;

    // Takes the number of candidates that the raw detections of a frame report (DetectionCount). Returns false if they
    // are complete. Otherwise returns true and provides for so many from the next frame on: enqueue the frame again.
    [[nodiscard]] virtual bool reserve(std::uint32_t /*candidates*/) { return false; }

    // Changes sizes, factor or threads between frames. Kind and model must not change.
    // Throws Error(usage) for invalid values and then keeps the previous ones.
    virtual void configure(const DetectorParams& params) = 0;

    // Returns the score threshold in use: that of the parameters or the model's own. Nothing if the kind has none.
    [[nodiscard]] virtual std::optional<float> score_threshold() const { return std::nullopt; }

    // Returns the optional arrays that enqueue fills if raw has them.
    [[nodiscard]] virtual OptionalFields optional_fields() const { return {}; }

    // Returns the optimizations that can be switched for profiling, with their current choices; empty if there are
    // none.
    [[nodiscard]] virtual std::vector<DetectorSwitch> switches() const { return {}; }
};

// Throws Error(usage) with the option for a value out of range, contradicting sizes, a threshold of a kind without one.
void check_params(const DetectorParams& params);

// For Detector::configure: does the same, and throws Error(usage) if kind or model differ from those of `current`.
void check_change(const DetectorParams& current, const DetectorParams& params);

}  // namespace throng
