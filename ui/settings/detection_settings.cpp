#include "ui/settings/detection_settings.h"

#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "core/detect/chosen_settings.h"
#include "core/detect/nms_names.h"
#include "ui/base/post.h"
#include "ui/language/language.h"
#include "ui/settings/usable_models.h"

namespace throng::ui {
namespace {

// Returns the names in the language of the window.
template <class Choice, std::size_t kSize>
QStringList names_of(ChoiceNames<Choice, kSize> names) {
    QStringList words;
    for (const auto& [name, choice] : names) words += translated(name);
    return words;
}

template <class Choice, std::size_t kSize>
int index_of(ChoiceNames<Choice, kSize> names, Choice value) {
    const auto found =
        std::find_if(std::begin(names), std::end(names), [&](const auto& n) { return n.second == value; });
    return static_cast<int>(found - std::begin(names));
}

QString to_qstring(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// "/…/haarcascade_frontalface_alt2.xml" as "frontalface_alt2".
QString short_model_name(const QString& model, const DetectorKind& kind) {
    QString name = model.endsWith(to_qstring(kind.model.suffix), Qt::CaseInsensitive)
                       ? QFileInfo(model).completeBaseName()
                       : QFileInfo(model).fileName();
    const QString prefix = to_qstring(kind.model.prefix);
    if (!prefix.isEmpty() && name.startsWith(prefix)) name.remove(0, prefix.size());
    return name;
}

// Returns what differs, for a message: the most general difference only, as others follow from it.
QString describe_change(const PipelineSettings& before, const PipelineSettings& after) {
    const auto tr = [](const char* text) { return translated(text); };
    const auto number = [](double value) { return fixed(value, 2); };
    const DetectorParams& from = before.detector;
    const DetectorParams& to = after.detector;
    const DetectorKind& kind = detector_kind(to.kind);
    if (from.kind != to.kind) return translated(kind.title);
    if (from.model != to.model) {
        const QString model = QString::fromStdString(to.model);
        return tr("Model %1").arg(model.isEmpty() ? tr("default") : short_model_name(model, kind));
    }
    if (before.nms.kernels != after.nms.kernels)
        return tr("Kernels: %1").arg(names_of(kKernelNames).at(index_of(kKernelNames, after.nms.kernels)));
    if (before.nms.rule != after.nms.rule)
        return tr("Suppression: %1").arg(names_of(kNmsRuleNames).at(index_of(kNmsRuleNames, after.nms.rule)));
    if (before.nms.overlap != after.nms.overlap)
        return tr("Overlap: %1").arg(names_of(kOverlapNames).at(index_of(kOverlapNames, after.nms.overlap)));
    if (before.nms.theta != after.nms.theta)
        return tr("Threshold θ %1").arg(number(static_cast<double>(after.nms.theta)));
    if (before.nms.min_hits != after.nms.min_hits) return tr("Minimum hits %1").arg(after.nms.min_hits);
    if (before.min_confidence != after.min_confidence)
        return tr("Minimum confidence %1").arg(number(static_cast<double>(after.min_confidence)));
    if (before.nms.merge != after.nms.merge)
        return tr("Merge: %1").arg(names_of(kMergeNames).at(index_of(kMergeNames, after.nms.merge)));
    if (from.score_threshold != to.score_threshold && to.score_threshold)
        return tr("Minimum score %1").arg(number(static_cast<double>(*to.score_threshold)));
    if (from.min_size != to.min_size) return tr("Minimum size %1 px").arg(to.min_size);
    if (from.max_size != to.max_size)
        return to.max_size == 0 ? tr("No maximum size") : tr("Maximum size %1 px").arg(to.max_size);
    if (from.scale_factor != to.scale_factor) return tr("Scale factor %1").arg(number(to.scale_factor));
    if (from.half != to.half) return to.half ? tr("16-bit arithmetic on") : tr("16-bit arithmetic off");
    for (const auto& [id, choice] : to.switches) {
        const auto found = from.switches.find(id);
        if (found == from.switches.end() || found->second != choice)
            return QStringLiteral("%1: %2").arg(QString::fromStdString(id), translated(choice));
    }
    return tr("Default settings");
}

}  // namespace

DetectionSettings::DetectionSettings(const PipelineSettings& start, const std::vector<std::string>& kinds,
                                     QObject* parent)
    : QObject(parent), start_(start), values_(start), default_kind_(&detector_kind(start.detector.kind)) {
    for (const std::string& name : kinds) kinds_.push_back(&detector_kind(name));
    connect(this, &DetectionSettings::changed, this, &DetectionSettings::modelsChanged);
}

void DetectionSettings::set_values(const PipelineSettings& values) {
    forget_model(values);
    values_ = values;
    emit changed();
}

void DetectionSettings::forget_model(const PipelineSettings& next) {
    if (next.detector.kind != values_.detector.kind || next.detector.model != values_.detector.model) {
        model_has_landmarks_.reset();
    }
}

const DetectorKind& DetectionSettings::kind() const {
    return detector_kind(values_.detector.kind);
}

QStringList DetectionSettings::detectors() const {
    QStringList titles;
    for (const DetectorKind* each : kinds_) titles += translated(each->title);
    return titles;
}
QString DetectionSettings::title() const {
    return translated(kind().title);
}
QString DetectionSettings::help() const {
    return translated(kind().help);
}
QString DetectionSettings::finds() const {
    return to_qstring(kind().finds);
}
bool DetectionSettings::takes_model() const {
    return !kind().model.suffix.empty();
}
bool DetectionSettings::takes_threshold() const {
    return kind().takes_threshold;
}
bool DetectionSettings::uses_model_threshold() const {
    return takes_threshold() && !values_.detector.score_threshold;
}
double DetectionSettings::score_threshold() const {
    constexpr double kUnknown = 0.8;  // slider position before the first change, if the model is not installed
    if (values_.detector.score_threshold) return static_cast<double>(*values_.detector.score_threshold);
    if (kind().params.score_threshold) return static_cast<double>(*kind().params.score_threshold);
    return model_threshold() > 0 ? model_threshold() : kUnknown;
}
QVariant DetectionSettings::ranges() const {
    QVariantMap ranges;
    for (const auto* rows : {&detector_settings(), &nms_settings()}) {
        for (const SettingRow& row : *rows) {
            if (!row.slider) continue;
            const SliderRange range = row.slider(kind());
            ranges[to_qstring(row.name)] = QVariantMap{{QStringLiteral("from"), range.from},
                                                       {QStringLiteral("to"), range.to},
                                                       {QStringLiteral("step"), range.step}};
        }
    }
    return ranges;
}

std::vector<QString> DetectionSettings::model_specs() const {
    std::vector<QString> specs{QString()};
    for (const auto& [file, threshold] : installed_) {
        if (kind().shares_models(detector_kind(file.kind))) specs.push_back(QString::fromStdString(file.path.string()));
    }
    if (std::find(specs.begin(), specs.end(), model()) == specs.end()) specs.push_back(model());
    return specs;
}

QStringList DetectionSettings::models() const {
    QStringList names;
    for (const QString& spec : model_specs()) names += short_model_name(spec, kind());
    if (takes_model() && !kind().default_models.empty()) {
        const InstalledModel* found = default_model(kind());
        const QString name =
            found != nullptr ? QString::fromStdString(found->file.name) : to_qstring(kind().default_models.front());
        names.front() = tr("%1 (default)").arg(short_model_name(name, kind()));
    }
    return names;
}

// Returns the first default of the kind that is installed; null if there is none.
const InstalledModel* DetectionSettings::default_model(const DetectorKind& kind) const {
    for (const std::string_view name : kind.default_models) {
        const auto found = std::find_if(installed_.begin(), installed_.end(), [&](const InstalledModel& model) {
            return kind.shares_models(detector_kind(model.file.kind)) && model.file.name == name;
        });
        if (found != installed_.end()) return &*found;
    }
    return nullptr;
}

double DetectionSettings::model_threshold() const {
    const InstalledModel* used = model().isEmpty() ? default_model(kind()) : nullptr;
    for (const InstalledModel& each : installed_) {
        if (each.file.path.string() == values_.detector.model && kind().shares_models(detector_kind(each.file.kind)))
            used = &each;
    }
    return used != nullptr ? static_cast<double>(used->threshold.value_or(0)) : 0;
}

void DetectionSettings::set_model_has_landmarks(bool has) {
    if (!kind().landmarks || model_has_landmarks_ == has) return;
    model_has_landmarks_ = has;
    emit modelsChanged();
}

int DetectionSettings::model_index() const {
    const std::vector<QString> specs = model_specs();
    return static_cast<int>(std::find(specs.begin(), specs.end(), model()) - specs.begin());
}

QString DetectionSettings::model_pattern() const {
    return u'*' + to_qstring(kind().model.suffix);
}

void DetectionSettings::chooseModel(int index) {
    const std::vector<QString> specs = model_specs();
    if (index >= 0 && index < static_cast<int>(specs.size())) set_model(specs[static_cast<std::size_t>(index)]);
}

void DetectionSettings::findModels() {
    pool_.start([this] { post(this, [this, found = usable_models()] { set_installed_models(found); }); });
}

void DetectionSettings::set_installed_models(std::vector<InstalledModel> models) {
    const auto same = [](const InstalledModel& a, const InstalledModel& b) { return a.file.path == b.file.path; };
    if (std::exchange(models_known_, true) &&
        std::equal(models.begin(), models.end(), installed_.begin(), installed_.end(), same)) {
        return;
    }
    installed_ = std::move(models);
    emit modelsChanged();
}

void DetectionSettings::take_models(const DetectionSettings& from) {
    if (from.models_known_) set_installed_models(from.installed_);
}

const DetectorKind* DetectionSettings::network() const {
    if (kind().is_network()) return nullptr;
    const auto found = std::find_if(kinds_.begin(), kinds_.end(), [&](const DetectorKind* each) {
        return each->is_network() && each->finds == kind().finds;
    });
    return found == kinds_.end() ? nullptr : *found;
}

bool DetectionSettings::offers_network() const {
    return models_known_ && !detector_chosen_ && network() != nullptr;
}

QString DetectionSettings::get_network() const {
    const DetectorKind* found = network();
    return found == nullptr || default_model(*found) != nullptr ? QString() : to_qstring(found->get_models);
}

void DetectionSettings::useNetwork() {
    detector_chosen_ = true;
    try_network();
}

void DetectionSettings::try_network() {
    if (const DetectorKind* found = network(); found != nullptr) change_to(settings_of(*found));
}

void DetectionSettings::make_default() {
    default_kind_ = &kind();
}

QStringList DetectionSettings::rules() {
    return names_of(kNmsRuleNames);
}
QStringList DetectionSettings::overlaps() {
    return names_of(kOverlapNames);
}
QStringList DetectionSettings::merges() {
    return names_of(kMergeNames);
}

QStringList DetectionSettings::kernel_sets() {
    return names_of(kKernelNames);
}

int DetectionSettings::rule() const {
    return index_of(kNmsRuleNames, values_.nms.rule);
}
int DetectionSettings::overlap() const {
    return index_of(kOverlapNames, values_.nms.overlap);
}
int DetectionSettings::merge() const {
    return index_of(kMergeNames, values_.nms.merge);
}

int DetectionSettings::detector() const {
    const auto found = std::find(kinds_.begin(), kinds_.end(), &kind());
    return found == kinds_.end() ? -1 : static_cast<int>(found - kinds_.begin());
}

QString DetectionSettings::model() const {
    return QString::fromStdString(values_.detector.model);
}

QString DetectionSettings::model_name() const {
    return model().isEmpty() ? tr("default") : short_model_name(model(), kind());
}

int DetectionSettings::kernels() const {
    return index_of(kKernelNames, values_.nms.kernels);
}

bool DetectionSettings::soft_rule() const {
    return is_soft(values_.nms.rule);
}

void DetectionSettings::nextDetector() {
    const int count = static_cast<int>(kinds_.size());
    for (int i = 1; i < count; ++i) {
        const int next = (detector() + i) % count;
        const DetectorKind& kind = *kinds_[static_cast<std::size_t>(next)];
        const auto has_model = [this](const DetectorKind& of_kind) {
            return !of_kind.is_network() || default_model(of_kind) != nullptr;
        };
        if (has_model(kind) && (!kind.faces || has_model(detector_kind(*kind.faces)))) return set_detector(next);
    }
}

void DetectionSettings::set_detector(int index) {
    if (index < 0 || index >= static_cast<int>(kinds_.size()) || index == detector()) return;
    detector_chosen_ = true;
    change_to(settings_of(*kinds_[static_cast<std::size_t>(index)]));
}

// Sizes, thresholds, switches and suppression settings belong to the kind. The initial kind gets its values at program
// start.
PipelineSettings DetectionSettings::settings_of(const DetectorKind& kind) const {
    PipelineSettings next = values_;
    if (kind.id() == start_.detector.kind) {
        next.detector = start_.detector;
        next.nms = start_.nms;
        next.min_confidence = start_.min_confidence;
    } else {
        const DetectionParams params = default_params(kind);
        next.detector = params.detector;
        next.detector.threads = values_.detector.threads;
        next.nms = params.nms;
        next.min_confidence = params.min_confidence;
    }
    if (const DetectorKind* other = sizes_ ? &detector_kind(sizes_->kind) : nullptr;
        other && other->finds == kind.finds) {
        next.detector.min_size = sizes_->min_size;
        next.detector.max_size = sizes_->max_size;
        // Cascades search by steps of the factor; a network has another unit.
        const bool same_unit = other->params.scale_factor == kind.params.scale_factor;
        if (same_unit) next.detector.scale_factor = sizes_->scale_factor;
    }
    if (next.tracking) {
        const float fraction = next.tracking->candidate_fraction;
        next.tracking = tracker_params(kind.id());
        if (fraction >= 1) next.tracking->candidate_fraction = 1;  // no detections below the threshold
    }
    return next;
}

void DetectionSettings::use(const std::string& kind, const std::string& model) {
    const auto found = std::find_if(kinds_.begin(), kinds_.end(), [&](const auto* each) { return each->name == kind; });
    if (found == kinds_.end()) return;
    detector_chosen_ = true;
    PipelineSettings next = settings_of(**found);
    next.detector.model = model;
    change_to(next);
}

void DetectionSettings::set_model(const QString& model) {
    detector_chosen_ = true;
    PipelineSettings next = values_;
    next.detector.model = model.toStdString();
    next.detector.score_threshold = kind().params.score_threshold;
    change_to(next);
}

void DetectionSettings::set_score_threshold(double threshold) {
    PipelineSettings next = values_;
    next.detector.score_threshold = static_cast<float>(threshold);
    if (soft_rule()) next.nms.score_min = static_cast<float>(threshold);
    change_to(next);
}

void DetectionSettings::set_switch(const QString& id, const QString& choice) {
    auto switches = values_.detector.switches;
    switches[id.toStdString()] = choice.toStdString();
    set(&DetectorParams::switches, switches);
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

void DetectionSettings::set_rule(int index) {
    if (index < 0 || index >= rules().size()) return;
    PipelineSettings next = values_;
    next.nms.rule = kNmsRuleNames[index].second;
    if (next.nms.rule != NmsRule::one_pass) next.nms.kernels = NmsKernels::fast;  // paper's kernels: one-pass only
    // A soft rule is defined on the IoU. It suppresses no box that could be counted or merged.
    if (is_soft(next.nms.rule)) {
        next.nms.overlap = Overlap::iou;
        next.nms.min_hits = 1;
        next.min_confidence = 0;
        next.nms.merge = Merge::none;
        if (!soft_rule()) next.nms.theta = NmsParams{}.theta;
        if (start_.nms.score_min == NmsParams{}.score_min) next.nms.score_min = least_score();
    } else if (soft_rule()) {  // the previous rule was soft
        const NmsParams before = is_soft(start_.nms.rule) ? NmsParams{} : start_.nms;
        next.nms.overlap = before.overlap;
        next.nms.theta = before.theta;
        next.nms.score_min = before.score_min;
        next.nms.min_hits = before.min_hits;
        next.min_confidence = is_soft(start_.nms.rule) ? kind().min_confidence : start_.min_confidence;
        next.nms.merge = before.merge;
    }
    change_to(next);
}

// Soft rules lower scores. Below the least one that the detector gives, a box is no detection any more.
float DetectionSettings::least_score() const {
    constexpr float kCascade = 5;  // scores are sums over the stages
    return takes_threshold() ? static_cast<float>(score_threshold()) : kCascade;
}

void DetectionSettings::set_overlap(int index) {
    if (index >= 0 && index < overlaps().size()) set(&NmsParams::overlap, kOverlapNames[index].second);
}

void DetectionSettings::set_min_confidence(double confidence) {
    PipelineSettings next = values_;
    next.min_confidence = static_cast<float>(confidence);
    change_to(next);
}

void DetectionSettings::set_merge(int index) {
    if (index >= 0 && index < merges().size()) set(&NmsParams::merge, kMergeNames[index].second);
}

void DetectionSettings::set_kernels(int index) {
    if (index < 0 || index >= kernel_sets().size()) return;
    if (kKernelNames[index].second == NmsKernels::paper) set_rule(index_of(kNmsRuleNames, NmsRule::one_pass));
    set(&NmsParams::kernels, kKernelNames[index].second);
}

void DetectionSettings::openModel(const QUrl& file) {
    set_model(file.toLocalFile());
}

void DetectionSettings::reset() {
    change_to(settings_of(*default_kind_));
}

void DetectionSettings::nextRule() {
    set_rule((rule() + 1) % static_cast<int>(rules().size()));
}

void DetectionSettings::change_to(PipelineSettings next) {
    if (next.detector == values_.detector && next.nms == values_.nms && next.min_confidence == values_.min_confidence) {
        return;
    }
    try {
        check_params(next.detector);
        check_params(next.nms);
        const QString text = describe_change(values_, next);
        forget_model(next);
        values_ = std::move(next);
        emit announced(text);
    } catch (const Error& error) {
        emit rejected(error);
    }
    emit changed();  // also after a rejection: the control returns to the current value
}

}  // namespace throng::ui
