// Face detection by a convolutional network on the CPU: the frame at the scales and tiles of the plan, OpenCV's DNN,
// boxes by core/algo/cnn_boxes.h.
#pragma once

#include <memory>
#include <vector>

#include "core/cpu/cnn_engine.h"
#include "core/cpu/cnn_input.h"
#include "core/cpu/thread_pool.h"
#include "core/detect/detector.h"
#include "core/model/cnn_plan.h"

namespace throng {

class CnnDetector final : public Detector {
public:
    // default_threads applies when params.threads is 0; 0 selects one thread per core. OpenCV has one thread pool per
    // process, so the number is set for the whole program. Throws Error(usage) as check_params does.
    CnnDetector(Network network, const DetectorParams& params, int default_threads = 0);

    // Appends raw boxes in the order of passes, strides, rows, columns and priors. Accepts frames of any size.
    void enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder) override;
    void configure(const DetectorParams& params) override;
    [[nodiscard]] OptionalFields optional_fields() const override;
    [[nodiscard]] std::vector<DetectorSwitch> switches() const override;

    [[nodiscard]] const Network& network() const noexcept { return network_; }
    [[nodiscard]] const CnnPlan& plan() const noexcept { return plan_; }  // of the last frame

private:
    void apply(const DetectorParams& params);
    void prepare(int width, int height);
    void collect(const CnnPass& pass, const CnnEngine& engine, const DetectionSpan& raw) const;

    Network network_;
    DetectorParams params_;
    CnnInput input_ = CnnInput::native;
    float threshold_ = 0;
    int default_threads_;
    std::unique_ptr<ThreadPool> pool_;
    int width_ = 0, height_ = 0;  // size of the frames that plan_ is made for
    CnnPlan plan_;
    std::vector<std::unique_ptr<CnnEngine>> engines_;  // one per input size
    std::vector<CnnEngine*> engine_of_;                // per pass
    CnnInputMaker input_maker_;
};

// Creates a detector from params.model (empty: the kind's default), for the backend's table. Throws as find_model and
// read_onnx do.
[[nodiscard]] std::unique_ptr<Detector> make_cnn_detector(const DetectorParams& params, int default_threads);

}  // namespace throng
