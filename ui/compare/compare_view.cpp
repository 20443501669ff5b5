#include "ui/compare/compare_view.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/pipeline/engine.h"
#include "ui/language/language.h"
#include "ui/models/stage_model.h"

namespace throng::ui {
namespace {

bool is_same_frame(const Frame& a, const Frame& b) {
    return a.plane(0).data == b.plane(0).data && a.info().index == b.info().index;
}

bool is_same_detection(const PipelineSettings& a, const PipelineSettings& b) {
    return a.detector == b.detector && a.nms == b.nms && a.min_confidence == b.min_confidence &&
           a.keep_raw == b.keep_raw;
}

}  // namespace

// The part that belongs to the view's thread.
class CompareView::Comparison {
public:
    Comparison(const MakeBackend& make_backend, const Engine::MakeBackend& fallback)
        : make_backend_(make_backend), fallback_(fallback) {}

    // Throws Error if the second setting cannot run. It is tried again after a change of setting or source only.
    std::shared_ptr<const ComparePair> compare(const Request& request) {
        const bool changed = !settings_ || !is_same_detection(*settings_, request.right) || source_ != request.source;
        if (!changed && failure_) throw Error(*failure_);
        if (changed || !right_ || !is_same_frame(right_->frame, request.left->frame)) {
            detect(request, changed);
        }
        auto right = std::make_shared<FrameResult>(*right_);
        right->frame = request.left->frame;
        right->plan = request.left->plan;  // the right side hides what the left side hides
        right->redact = request.left->redact;
        ImageRequest image{request.view, request.left};
        auto pair = std::make_shared<ComparePair>();
        const DisplayImage left = left_images_.make(image);
        image.result = right;
        pair->left = request.left;
        pair->right = right;
        pair->left_image = left.image;
        pair->right_image = right_images_.make(image).image;
        const QSize frame(right->frame.width(), right->frame.height());
        const ViewMapping mapping(request.view.item, frame, request.view.device_ratio, request.view.zoom);
        pair->target = mapping.map_part(left.part);
        return pair;
    }

private:
    void detect(const Request& request, bool changed) {
        right_.reset();
        if (source_ != request.source) engine_.reset();  // another source may need another backend
        source_ = request.source;
        settings_ = request.right;
        failure_.reset();
        try {
            if (!engine_) {
                engine_.emplace(make_backend_(request.right.detector), request.right, fallback_);
            } else if (changed) {
                engine_->apply(request.right);
            }
            DecodedFrame frame;
            frame.frame = request.left->frame;
            frame.source = request.left->source;
            frame.source_number = request.left->source_number;
            right_ = engine_->detect(std::move(frame)).result;
            if (!right_) throw Error(ErrorKind::unavailable, engine_->notice());
        } catch (const std::exception&) {
            failure_ = current_error();
            engine_.reset();
            throw Error(*failure_);
        }
    }

    const MakeBackend& make_backend_;
    const Engine::MakeBackend& fallback_;
    std::optional<Engine> engine_;
    std::optional<PipelineSettings> settings_;  // of the last detection, also of a failed one
    std::optional<Error> failure_;              // of the last detection
    std::shared_ptr<const FrameResult> right_;
    int source_ = 0;
    ImageMaker left_images_, right_images_;
};

CompareView::CompareView(MakeBackend make_backend, Engine::MakeBackend fallback, DetectionSettings& first,
                         const std::vector<std::string>& kinds, std::function<double()> median_ms, QObject* parent)
    : View(parent),
      make_backend_(std::move(make_backend)),
      fallback_(std::move(fallback)),
      first_settings_(first),
      second_(first.values(), kinds),
      median_ms_(std::move(median_ms)),
      worker_(this, [this](const auto& pair, const Message& error) { receive(pair, error); }) {
    connect(&second_, &DetectionSettings::changed, this, [this] {
        if (!open()) return;
        restart_counts();
        request();
    });
    connect(&second_, &DetectionSettings::rejected, this, &View::failed);
    connect(&first, &DetectionSettings::changed, this,
            [this] { second_.set_sizes_of_kinds(first_settings_.values().detector); });
    connect(&first, &DetectionSettings::modelsChanged, this, [this] { second_.take_models(first_settings_); });
}

void CompareView::change(bool open) {
    if (!open) {
        worker_.close();
        clear();
        return;
    }
    const PipelineSettings& first = first_settings_.values();
    second_.set_values(first);
    second_.set_sizes_of_kinds(first.detector);
    // Another detector for the same objects shows the largest difference. Otherwise another rule.
    const QString finds = second_.finds();
    const int start = second_.detector();
    for (auto left = second_.detectors().size(); left > 0; --left) {
        second_.nextDetector();
        if (second_.finds() == finds) break;
    }
    if (second_.finds() != finds || second_.detector() == start) {
        second_.set_values(first);
        second_.nextRule();
    }
    first_ = first;
    alone_ms_ = median_ms_();
    worker_.open([comparison = std::make_unique<Comparison>(make_backend_, fallback_)](
                     const Request& request, const auto& job) { job.report(comparison->compare(request)); });
}

void CompareView::on_refresh(const RunFrame& frame) {
    on_result(frame);  // what it missed while it was covered
    if (std::exchange(playing_, frame.playing) != frame.playing) emit changed();
}

double CompareView::left_ms() const {
    return ready() ? stage_ms(pair_->left->timings, stage::kTotal).value_or(0) : 0;
}

double CompareView::right_ms() const {
    return ready() ? stage_ms(pair_->right->timings, stage::kTotal).value_or(0) : 0;
}

void CompareView::show(const std::shared_ptr<const FrameResult>& result, const PipelineSettings& first) {
    if (!open() || !result || result->carried || result == newest_) return;
    if (!is_same_detection(first, first_)) {
        if (first.detector != first_.detector || first.nms != first_.nms) alone_ms_ = 0;
        restart_counts();
        first_ = first;
    }
    newest_ = result;
    ++offered_;
    request();
}

void CompareView::set_image_view(const ImageView& view, const OverlayOptions& overlay) {
    ImageView painted = view;
    painted.paint_overlay = true;
    painted.keep_on_device = false;
    painted.overlay = overlay;
    if (painted == view_) return;
    view_ = painted;
    request();
}

void CompareView::request() {
    if (!open() || !newest_ || view_.item.isEmpty()) return;
    PipelineSettings right = second_.values();
    right.keep_raw = first_.keep_raw;
    right.host_pixels = false;
    right.tracking.reset();
    right.hiding.reset();
    right.keep_rate = 0;
    right.carry = false;
    worker_.push({newest_, right, view_, source_});
}

void CompareView::restart_counts() {
    offered_ = newest_ ? 1 : 0;
    shown_ = 0;
    last_shown_.reset();
}

void CompareView::clear() {
    ++source_;
    worker_.clear();
    newest_.reset();
    pair_.reset();
    error_.clear();
    restart_counts();
    emit changed();
}

void CompareView::receive(const std::shared_ptr<const ComparePair>& pair, const Message& error) {
    error_ = translated_message(error);
    pair_ = pair;
    if (pair && pair->left != last_shown_.lock()) {
        last_shown_ = pair->left;
        ++shown_;
    }
    emit changed();
}

}  // namespace throng::ui
