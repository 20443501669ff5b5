#include "core/cpu/cnn_detector.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/error.h"

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
        float* to = raw_.landmarks + index * std::size_t{10};
        for (int i = 0; i < 10; i += 2) {
            *to++ = placement.origin_x + landmark(i) * placement.scale_x;
            *to++ = placement.origin_y + landmark(i + 1) * placement.scale_y;
        }
    }

private:
    const CnnPlan& plan_;
    const CnnPass& pass_;
    const DetectionSpan& raw_;
};

// Returns a logit below which no score can reach the threshold. Most cells are rejected here, before an exponential.
float min_logit(float threshold, HeadFamily family) {
    // yunet: the score is at most the square root of one of its factors; yolox: it is at most each of them.
    const double min_probability = family == HeadFamily::yunet
                                       ? static_cast<double>(threshold) * static_cast<double>(threshold)
                                       : static_cast<double>(threshold);
    // Slightly lower, so that rounding cannot change a decision.
    return min_probability < 1.0 ? static_cast<float>(std::log(min_probability / (1.0 - min_probability)) - 1e-3)
                                 : 15.0F;
}

// YuNet and YOLOX.
void collect_cells(const HeadLevel& level, HeadFamily family, const CnnEngine& engine, float threshold, bool landmarks,
                   BoxSink& sink) {
    const CnnEngine::HeadMap scores = engine.map(level.score);
    const CnnEngine::HeadMap objectness = engine.map(level.objectness);
    const CnnEngine::HeadMap boxes = engine.map(level.box);
    const CnnEngine::HeadMap points = landmarks ? engine.map(level.landmarks) : CnnEngine::HeadMap{};
    const auto stride = static_cast<float>(level.stride);
    const float min_score_logit = min_logit(threshold, family);
    for (int y = 0; y < scores.size.height; ++y) {
        for (int x = 0; x < scores.size.width; ++x) {
            const float score_logit = scores(0, x, y);
            const float object_logit = objectness(0, x, y);
            if (!(score_logit > min_score_logit && object_logit > min_score_logit)) continue;
            const float score = family == HeadFamily::yunet ? yunet_score(score_logit, object_logit)
                                                            : yolox_score(score_logit, object_logit);
            if (!(score >= threshold)) continue;
            sink.add(
                yunet_box(boxes(0, x, y), boxes(1, x, y), boxes(2, x, y), boxes(3, x, y), x, y, stride), score,
                [&](int i) { return landmarks ? yunet_landmark(points(i, x, y), i % 2 == 0 ? x : y, stride) : 0.0F; });
        }
    }
}

// UltraFace and RetinaFace.
void collect_priors(const HeadLevel& level, const NetworkHead& head, const CnnEngine& engine, float threshold,
                    bool landmarks, BoxSink& sink) {
    const CnnEngine::HeadMap scores = engine.map(level.score);
    const CnnEngine::HeadMap boxes = engine.map(level.box);
    const CnnEngine::HeadMap points = landmarks ? engine.map(level.landmarks) : CnnEngine::HeadMap{};
    const CnnPitch pitch{static_cast<float>(engine.width()) / static_cast<float>(scores.size.width),
                         static_cast<float>(engine.height()) / static_cast<float>(scores.size.height)};
    const float min_score_logit = min_logit(threshold, head.family);
    for (int y = 0; y < scores.size.height; ++y) {
        for (int x = 0; x < scores.size.width; ++x) {
            for (int p = 0; p < level.boxes_per_cell(); ++p) {
                const float background = scores(2 * p, x, y);
                const float face = scores(2 * p + 1, x, y);
                if (!(face - background > min_score_logit)) continue;
                const float score = ultraface_score(background, face);
                if (!(score >= threshold)) continue;
                const Prior& prior = level.priors[static_cast<std::size_t>(p)];
                sink.add(ultraface_box(boxes(4 * p, x, y), boxes(4 * p + 1, x, y), boxes(4 * p + 2, x, y),
                                       boxes(4 * p + 3, x, y), x, y, pitch, prior.width, prior.height,
                                       head.center_variance, head.size_variance),
                         score, [&](int i) {
                             if (!landmarks) return 0.0F;
                             const float offset = points(10 * p + i, x, y);
                             return i % 2 == 0 ? prior_landmark(offset, x, pitch.x, prior.width, head.center_variance)
                                               : prior_landmark(offset, y, pitch.y, prior.height, head.center_variance);
                         });
            }
        }
    }
}

}  // namespace

CnnDetector::CnnDetector(std::shared_ptr<const CnnModel> model, const DetectorParams& params, int default_threads)
    : CpuDetector(params, default_threads), model_(std::move(model)) {
    configure(params);
}

void CnnDetector::configure(const DetectorParams& params) {
    const CnnInput input = cnn_input_choice(params);
    const float threshold = cnn_score_threshold(params, model_->network.head.family);
    CpuDetector::configure(params);
    input_ = input;
    threshold_ = threshold;
}

OptionalFields CnnDetector::optional_fields() const {
    OptionalFields optional_fields;
    optional_fields.landmarks = model_->network.head.has_landmarks;
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
    plan_ = plan_passes(model_->network, width, height, params(), input_);
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
                                  : std::make_unique<CnnEngine>(model_->program, pass.width, pass.height));
            found = engines.end() - 1;
        }
        engine_of_.push_back(found->get());
    }
    engines_ = std::move(engines);
}

void CnnDetector::collect(const CnnPass& pass, const CnnEngine& engine, const DetectionSpan& raw) const {
    BoxSink sink(plan_, pass, raw);
    const bool landmarks = model_->network.head.has_landmarks && raw.landmarks != nullptr;
    for (const HeadLevel& level : model_->network.head.levels) {
        if (has_priors(model_->network.head.family)) {
            collect_priors(level, model_->network.head, engine, threshold_, landmarks, sink);
        } else {
            collect_cells(level, model_->network.head.family, engine, threshold_, landmarks, sink);
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
            input_maker_.make(host, pass, model_->network.input, pool(), engine.input());
        }
        {
            const ScopedStage stage(recorder, stage::kNetwork);
            engine.run(pool());
        }
        const ScopedStage stage(recorder, stage::kBoxes);
        collect(pass, engine, raw.span());
    }
}

}  // namespace throng
