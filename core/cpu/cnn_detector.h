// Detection by a convolutional network on the CPU: the frame at the scales and tiles of the plan, the
// layers by cnn_engine.h, boxes by core/algo/cnn_boxes.h.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/cpu/cnn_engine.h"
#include "core/cpu/cnn_input.h"
#include "core/cpu/cpu_detector.h"
#include "core/model/cnn_plan.h"

namespace throng {

// A network, and what the engines of all sizes use of it.
struct CnnModel {
    explicit CnnModel(Network read) : network(std::move(read)), program(network) {}
    Network network;
    CnnProgram program;
};

class CnnDetector final : public CpuDetector {
public:
    // params and default_threads: as for CpuDetector. Other detectors may use the model, too.
    CnnDetector(std::shared_ptr<const CnnModel> model, const DetectorParams& params, int default_threads = 0);
    CnnDetector(Network network, const DetectorParams& params, int default_threads = 0)
        : CnnDetector(std::make_shared<const CnnModel>(std::move(network)), params, default_threads) {}

    // Appends raw boxes in the order of passes, strides, rows, columns and priors. Accepts frames of any size.
    void enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder) override;
    void configure(const DetectorParams& params) override;
    [[nodiscard]] std::optional<float> score_threshold() const override { return threshold_; }
    [[nodiscard]] OptionalFields optional_fields() const override;
    [[nodiscard]] std::vector<DetectorSwitch> switches() const override;

    [[nodiscard]] const Network& network() const noexcept { return model_->network; }

private:
    void plan(int width, int height) override;
    // Returns the engine for the size of the input, which it makes if there is none.
    [[nodiscard]] CnnEngine& engine_for(const CnnPass& pass);
    void collect(const CnnPass& pass, const CnnEngine& engine, const DetectionSpan& raw) const;
    void detect_in_strips(const Frame& frame, const DetectionSpan& raw, StageRecorder& recorder);

    std::shared_ptr<const CnnModel> model_;
    CnnInput input_ = CnnInput::native;
    float threshold_ = 0;
    CnnPlan plan_;
    std::vector<std::unique_ptr<CnnEngine>> engines_;  // one per input size
    CnnInputMaker input_maker_;
};

}  // namespace throng
