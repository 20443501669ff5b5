#include "core/cpu/cnn_detector.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/cpu/cnn_strips.h"

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

bool has_size(const CnnEngine& engine, const CnnPass& pass) {
    return engine.width() == pass.width && engine.height() == pass.height;
}

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
    std::erase_if(engines_, [this](const std::unique_ptr<CnnEngine>& engine) {
        return std::none_of(plan_.passes.begin(), plan_.passes.end(),
                            [&engine](const CnnPass& pass) { return has_size(*engine, pass); });
    });
}

CnnEngine& CnnDetector::engine_for(const CnnPass& pass) {
    const auto found =
        std::find_if(engines_.begin(), engines_.end(),
                     [&pass](const std::unique_ptr<CnnEngine>& engine) { return has_size(*engine, pass); });
    if (found != engines_.end()) return **found;
    engines_.push_back(std::make_unique<CnnEngine>(model_->program, pass.width, pass.height));
    return *engines_.back();
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

void CnnDetector::detect_in_strips(const Frame& frame, const DetectionSpan& raw, StageRecorder& recorder) {
    // The boxes of a pass.
    struct Found {
        std::uint32_t total = 0;
        std::vector<Box> boxes;
        std::vector<float> scores, landmarks;
    };
    const auto capacity = static_cast<std::size_t>(raw.capacity);
    std::vector<Box> boxes(capacity);
    std::vector<float> scores(capacity), landmarks(raw.landmarks != nullptr ? 10 * capacity : 0);
    DetectionCount count;
    DetectionSpan span = raw;
    span.boxes = boxes.data();
    span.scores = scores.data();
    span.landmarks = raw.landmarks != nullptr ? landmarks.data() : nullptr;
    span.count = &count;
    std::vector<Found> found(plan_.passes.size());
    make_strip_inputs(
        frame, plan_.passes, model_->network.input, pool(), recorder, [&](std::size_t number, const CnnPlanes& planes) {
            const CnnPass& pass = plan_.passes[number];
            if (!engines_.empty() && !has_size(*engines_.front(), pass)) engines_.clear();  // one at a time
            CnnEngine& engine = engine_for(pass);
            {
                const ScopedStage stage(recorder, stage::kNetwork);
                const CnnPlanes input = engine.input();
                for (std::ptrdiff_t c = 0; c < 3; ++c) {
                    for (std::ptrdiff_t y = 0; y < pass.height; ++y) {
                        std::copy_n(planes.data + y * planes.row + c * planes.plane, pass.width,
                                    input.data + y * input.row + c * input.plane);
                    }
                }
                engine.run(pool());
            }
            const ScopedStage stage(recorder, stage::kBoxes);
            count = {};
            collect(pass, engine, span);
            const auto stored = static_cast<std::ptrdiff_t>(std::min<std::size_t>(count.total, capacity));
            found[number] = {
                count.total,
                {boxes.begin(), boxes.begin() + stored},
                {scores.begin(), scores.begin() + stored},
                {landmarks.begin(), landmarks.empty() ? landmarks.end() : landmarks.begin() + 10 * stored}};
        });
    // In the order of the passes, as without strips.
    for (const Found& each : found) {
        const std::size_t begin = raw.count->total;
        raw.count->total += each.total;
        for (std::size_t i = 0; i < each.boxes.size() && begin + i < capacity; ++i) {
            raw.boxes[begin + i] = each.boxes[i];
            raw.scores[begin + i] = each.scores[i];
            if (raw.landmarks == nullptr) continue;
            std::copy_n(each.landmarks.begin() + static_cast<std::ptrdiff_t>(10 * i), 10,
                        raw.landmarks + 10 * (begin + i));
        }
    }
}

void CnnDetector::enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder) {
    if (frame.rows() != nullptr) {
        prepare(frame, raw);
        *raw.span().count = {};
        return detect_in_strips(frame, raw.span(), recorder);
    }
    const Frame host = frame.on_host();
    prepare(host, raw);
    *raw.span().count = {};
    for (const CnnPass& pass : plan_.passes) {
        CnnEngine& engine = engine_for(pass);
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
