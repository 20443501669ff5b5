#include "core/cpu/cnn_detector.h"

#include <algorithm>
#include <cmath>
#include <opencv2/core/utility.hpp>
#include <string>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/model/model_finder.h"
#include "core/model/onnx_reader.h"

namespace throng {
namespace {

// Stores the boxes of one pass in pixels of the frame, if they pass the plan's filters.
class BoxSink {
public:
    BoxSink(const CnnPlan& plan, const CnnPass& pass, const DetectionSpan& raw) : plan_(plan), pass_(pass), raw_(raw) {}

    // landmark(i) returns coordinate i of the ten, in pixels of the input.
    template <class Landmark>
    void add(Box box, float score, Landmark landmark) {
        if (!in_core(box, pass_.core)) return;
        const Box at = to_frame(box, pass_.placement);
        const float side = std::max(at.w, at.h);
        if (!(side >= plan_.min_side && side <= plan_.max_side)) return;
        const std::uint32_t index = raw_.count->total++;
        if (index >= static_cast<std::uint32_t>(raw_.capacity)) return;
        raw_.boxes[index] = at;
        raw_.scores[index] = score;
        if (raw_.landmarks == nullptr) return;
        const CnnPlacement& placement = pass_.placement;
        for (std::size_t i = 0; i < 10; i += 2) {
            raw_.landmarks[index * std::size_t{10} + i] = placement.origin_x + landmark(i) * placement.scale_x;
            raw_.landmarks[index * std::size_t{10} + i + 1] = placement.origin_y + landmark(i + 1) * placement.scale_y;
        }
    }

private:
    const CnnPlan& plan_;
    const CnnPass& pass_;
    const DetectionSpan& raw_;
};

// Returns a logit below which no score can reach the threshold. Most cells are rejected here, before an exponential.
float min_logit(float threshold, HeadFamily family) {
    // yunet: the score is at most the square root of one of its factors.
    const double min_probability = family == HeadFamily::yunet
                                       ? static_cast<double>(threshold) * static_cast<double>(threshold)
                                       : static_cast<double>(threshold);
    // Slightly lower, so that rounding cannot change a decision.
    return min_probability < 1.0 ? static_cast<float>(std::log(min_probability / (1.0 - min_probability)) - 1e-3)
                                 : 15.0F;
}

void collect_yunet(const HeadLevel& level, const CnnEngine& engine, float threshold, bool landmarks, BoxSink& sink) {
    const MapSize size = engine.size(level.score);
    const std::ptrdiff_t cells = std::ptrdiff_t{size.width} * size.height;
    const auto stride = static_cast<float>(level.stride);
    const float min_score_logit = min_logit(threshold, HeadFamily::yunet);
    const float* scores = engine.map(level.score);
    const float* objectness = engine.map(level.objectness);
    const float* boxes = engine.map(level.box);
    const float* points = landmarks ? engine.map(level.landmarks) : nullptr;
    for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
            const std::ptrdiff_t cell = std::ptrdiff_t{y} * size.width + x;
            if (!(scores[cell] > min_score_logit && objectness[cell] > min_score_logit)) continue;
            const float score = yunet_score(scores[cell], objectness[cell]);
            if (!(score >= threshold)) continue;
            const float* box = boxes + cell;
            sink.add(yunet_box(box[0], box[cells], box[2 * cells], box[3 * cells], x, y, stride), score,
                     [&](std::size_t i) {
                         if (points == nullptr) return 0.0F;
                         return yunet_landmark(points[static_cast<std::ptrdiff_t>(i) * cells + cell],
                                               i % 2 == 0 ? x : y, stride);
                     });
        }
    }
}

void collect_ultraface(const HeadLevel& level, const NetworkHead& head, const CnnEngine& engine, float threshold,
                       BoxSink& sink) {
    const MapSize size = engine.size(level.score);
    const std::ptrdiff_t cells = std::ptrdiff_t{size.width} * size.height;
    const CnnPitch pitch{static_cast<float>(engine.width()) / static_cast<float>(size.width),
                         static_cast<float>(engine.height()) / static_cast<float>(size.height)};
    const float min_score_logit = min_logit(threshold, HeadFamily::ultraface);
    const float* scores = engine.map(level.score);
    const float* boxes = engine.map(level.box);
    const auto priors = static_cast<std::ptrdiff_t>(level.priors.size());
    for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
            const std::ptrdiff_t cell = std::ptrdiff_t{y} * size.width + x;
            for (std::ptrdiff_t p = 0; p < priors; ++p) {
                const float background = scores[2 * p * cells + cell];
                const float face = scores[(2 * p + 1) * cells + cell];
                if (!(face - background > min_score_logit)) continue;
                const float score = ultraface_score(background, face);
                if (!(score >= threshold)) continue;
                const float* box = boxes + 4 * p * cells + cell;
                const Prior& prior = level.priors[static_cast<std::size_t>(p)];
                sink.add(ultraface_box(box[0], box[cells], box[2 * cells], box[3 * cells], x, y, pitch, prior.width,
                                       prior.height, head.center_variance, head.size_variance),
                         score, [](std::size_t) { return 0.0F; });
            }
        }
    }
}

}  // namespace

CnnDetector::CnnDetector(Network network, const DetectorParams& params, int default_threads)
    : CpuDetector(params, default_threads), network_(std::move(network)) {
    configure(params);
}

void CnnDetector::configure(const DetectorParams& params) {
    const CnnInput input = cnn_input_choice(params);
    const float threshold = cnn_score_threshold(params, network_.head.family);
    CpuDetector::configure(params);
    if (cv::getNumThreads() != pool().size()) cv::setNumThreads(pool().size());
    input_ = input;
    threshold_ = threshold;
}

OptionalFields CnnDetector::optional_fields() const {
    OptionalFields optional_fields;
    optional_fields.landmarks = network_.head.has_landmarks;
    return optional_fields;
}

std::vector<DetectorSwitch> CnnDetector::switches() const {
    return {{std::string(kCnnInputSwitch),
             "Input",
             "native: the frame at all scales that the sizes require; letterbox: once, at the model's input size",
             {"native", "letterbox"},
             input_ == CnnInput::native ? "native" : "letterbox"}};
}

void CnnDetector::plan(int width, int height) {
    plan_ = plan_passes(network_, width, height, params(), input_);
    std::vector<std::unique_ptr<CnnEngine>> engines;
    engine_of_.clear();
    const auto same = [](const CnnPass& pass) {
        return [&pass](const std::unique_ptr<CnnEngine>& engine) {
            return engine && engine->width() == pass.width && engine->height() == pass.height;
        };
    };
    for (const CnnPass& pass : plan_.passes) {
        auto found = std::find_if(engines.begin(), engines.end(), same(pass));
        if (found == engines.end()) {
            const auto previous = std::find_if(engines_.begin(), engines_.end(), same(pass));
            engines.push_back(previous != engines_.end()
                                  ? std::move(*previous)
                                  : std::make_unique<CnnEngine>(network_, pass.width, pass.height));
            found = engines.end() - 1;
        }
        engine_of_.push_back(found->get());
    }
    engines_ = std::move(engines);
}

void CnnDetector::collect(const CnnPass& pass, const CnnEngine& engine, const DetectionSpan& raw) const {
    BoxSink sink(plan_, pass, raw);
    for (const HeadLevel& level : network_.head.levels) {
        if (network_.head.family == HeadFamily::yunet) {
            collect_yunet(level, engine, threshold_, network_.head.has_landmarks && raw.landmarks != nullptr, sink);
        } else {
            collect_ultraface(level, network_.head, engine, threshold_, sink);
        }
    }
}

void CnnDetector::enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder) {
    const Frame host = frame.on_host();
    prepare(host, raw);
    *raw.span().count = {};
    for (std::size_t i = 0; i < plan_.passes.size(); ++i) {
        const CnnPass& pass = plan_.passes[i];
        CnnEngine& engine = *engine_of_[i];
        {
            const ScopedStage stage(recorder, stage::kPreprocess);
            input_maker_.make(host, pass, network_.input, pool(), engine.input());
        }
        {
            const ScopedStage stage(recorder, stage::kNetwork);
            engine.run();
        }
        const ScopedStage stage(recorder, stage::kBoxes);
        collect(pass, engine, raw.span());
    }
}

std::unique_ptr<Detector> make_cnn_detector(const DetectorParams& params, int default_threads) {
    return std::make_unique<CnnDetector>(read_onnx(find_model(params.model, params.kind)), params, default_threads);
}

}  // namespace throng
