#include "ui/session/detection_settings.h"

#include <QFileInfo>
#include <algorithm>

#include "core/detect/nms_names.h"

namespace throng::ui {
namespace {

template <class Choice, std::size_t kSize>
QStringList words_of(const std::pair<std::string_view, Choice> (&names)[kSize]) {
    QStringList words;
    for (const auto& [name, choice] : names) words += QString::fromLatin1(name.data(), static_cast<int>(name.size()));
    return words;
}

template <class Choice, std::size_t kSize>
int place_of(const std::pair<std::string_view, Choice> (&names)[kSize], Choice value) {
    const auto found =
        std::find_if(std::begin(names), std::end(names), [&](const auto& n) { return n.second == value; });
    return static_cast<int>(found - std::begin(names));
}

}  // namespace

DetectionSettings::DetectionSettings(const PipelineSettings& start, QStringList detectors, QObject* parent)
    : QObject(parent), start_(start), values_(start), detectors_(std::move(detectors)) {}

void DetectionSettings::set_values(const PipelineSettings& values) {
    values_ = values;
    emit changed();
}

QStringList DetectionSettings::rules() {
    return words_of(kNmsRuleNames);
}
QStringList DetectionSettings::overlaps() {
    return words_of(kOverlapNames);
}
QStringList DetectionSettings::merges() {
    return words_of(kMergeNames);
}

int DetectionSettings::rule() const {
    return place_of(kNmsRuleNames, values_.nms.rule);
}
int DetectionSettings::overlap() const {
    return place_of(kOverlapNames, values_.nms.overlap);
}
int DetectionSettings::merge() const {
    return place_of(kMergeNames, values_.nms.merge);
}

int DetectionSettings::detector() const {
    return static_cast<int>(detectors_.indexOf(QString::fromStdString(values_.detector.kind)));
}

QString DetectionSettings::model() const {
    return QString::fromStdString(values_.detector.model);
}

QString DetectionSettings::model_name() const {
    if (model().isEmpty()) return tr("default");
    return QFileInfo(model())
        .completeBaseName()
        .remove(QStringLiteral("haarcascade_"))
        .remove(QStringLiteral("lbpcascade_"));
}

bool DetectionSettings::soft_rule() const {
    return is_soft(values_.nms.rule);
}

void DetectionSettings::set_detector(int index) {
    if (index < 0 || index >= detectors_.size()) return;
    PipelineSettings next = values_;
    next.detector.kind = detectors_[index].toStdString();
    if (next.detector.kind != values_.detector.kind) next.detector.model.clear();  // a model belongs to its kind
    change_to(next);
}

void DetectionSettings::set_model(const QString& model) {
    PipelineSettings next = values_;
    next.detector.model = model.toStdString();
    change_to(next);
}

void DetectionSettings::set_min_size(int pixels) {
    PipelineSettings next = values_;
    next.detector.min_size = pixels;
    if (next.detector.max_size != 0) next.detector.max_size = std::max(next.detector.max_size, pixels);
    change_to(next);
}

void DetectionSettings::set_max_size(int pixels) {
    PipelineSettings next = values_;
    next.detector.max_size = pixels;
    if (pixels > 0) next.detector.min_size = std::min(next.detector.min_size, pixels);
    change_to(next);
}

void DetectionSettings::set_scale_factor(double factor) {
    PipelineSettings next = values_;
    next.detector.scale_factor = factor;
    change_to(next);
}

void DetectionSettings::set_rule(int index) {
    if (index < 0 || index >= rules().size()) return;
    PipelineSettings next = values_;
    next.nms.rule = kNmsRuleNames[index].second;
    if (is_soft(next.nms.rule)) {  // defined on the IoU, and suppresses nothing that could be counted or merged
        next.nms.overlap = Overlap::iou;
        next.nms.min_hits = 1;
        next.nms.merge = Merge::none;
        if (!soft_rule()) next.nms.theta = NmsParams{}.theta;
    } else if (soft_rule()) {  // back from a soft rule
        const NmsParams before = is_soft(start_.nms.rule) ? NmsParams{} : start_.nms;
        next.nms.overlap = before.overlap;
        next.nms.theta = before.theta;
        next.nms.min_hits = before.min_hits;
        next.nms.merge = before.merge;
    }
    change_to(next);
}

void DetectionSettings::set_overlap(int index) {
    if (index < 0 || index >= overlaps().size()) return;
    PipelineSettings next = values_;
    next.nms.overlap = kOverlapNames[index].second;
    change_to(next);
}

void DetectionSettings::set_theta(double theta) {
    PipelineSettings next = values_;
    next.nms.theta = static_cast<float>(theta);
    change_to(next);
}

void DetectionSettings::set_min_hits(int hits) {
    PipelineSettings next = values_;
    next.nms.min_hits = hits;
    change_to(next);
}

void DetectionSettings::set_merge(int index) {
    if (index < 0 || index >= merges().size()) return;
    PipelineSettings next = values_;
    next.nms.merge = kMergeNames[index].second;
    change_to(next);
}

void DetectionSettings::open_model(const QUrl& file) {
    set_model(file.toLocalFile());
}

void DetectionSettings::reset() {
    PipelineSettings next = start_;
    next.keep_raw = values_.keep_raw;
    change_to(next);
}

void DetectionSettings::next_rule() {
    set_rule((rule() + 1) % static_cast<int>(rules().size()));
}

void DetectionSettings::change_to(PipelineSettings next) {
    if (next.detector == values_.detector && next.nms == values_.nms) return;
    try {
        check_params(next.detector);
        check_params(next.nms);
        values_ = std::move(next);
    } catch (const Error& error) {
        emit refused(error);
    }
    emit changed();  // also after a refusal: the control goes back to the value in force
}

}  // namespace throng::ui
