#include "ui/settings/saved_settings.h"

#include <array>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/model/model_finder.h"

namespace throng::ui {
namespace {

struct Switch {
    const char* key;
    bool (DisplaySettings::*read)() const;
    void (DisplaySettings::*set)(bool);
};

using Display = DisplaySettings;
constexpr std::array kSwitches = {Switch{"display/raw", &Display::raw, &Display::set_raw},
                                  Switch{"display/kept", &Display::kept, &Display::set_kept},
                                  Switch{"display/labels", &Display::labels, &Display::set_labels},
                                  Switch{"display/landmarks", &Display::landmarks, &Display::set_landmarks},
                                  Switch{"display/blur", &Display::blur, &Display::set_blur}};
const QString kKindKey = QStringLiteral("detector/kind");
const QString kModelKey = QStringLiteral("detector/model");

QList<bool> switches_of(const DisplaySettings& display) {
    QList<bool> values;
    for (const Switch& each : kSwitches) values += (display.*each.read)();
    return values;
}

QString kind_of(const DetectionSettings& detection) {
    const std::string_view name = detector_kind(detection.values().detector.kind).name;
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

}  // namespace

SavedSettings::SavedSettings(QSettings& store, DisplaySettings& display, DetectionSettings& detection, QObject* parent)
    : QObject(parent), store_(store), display_(display), detection_(detection) {}

void SavedSettings::restore_display() {
    for (const Switch& each : kSwitches) {
        const QVariant value = store_.value(QLatin1String(each.key));
        if (value.isValid()) (display_.*each.set)(value.toBool());
    }
}

void SavedSettings::restore_detector() {
    const std::string kind = store_.value(kKindKey).toString().toStdString();
    const std::string model = store_.value(kModelKey).toString().toStdString();
    if (kind.empty()) return;
    try {
        if (const DetectorKind& found = detector_kind(kind); !found.model.suffix.empty()) {
            (void)find_model(model, found.id());
        }
        detection_.use(kind, model);
    } catch (const Error& error) {  // the store may be of another version, and the model may have been removed
        logger().info("the detector of the last run is not used: {}", error.what());
    }
}

void SavedSettings::watch() {
    switches_ = switches_of(display_);
    kind_ = kind_of(detection_);
    model_ = detection_.model();
    connect(&display_, &DisplaySettings::changed, this, &SavedSettings::save_display);
    connect(&detection_, &DetectionSettings::changed, this, &SavedSettings::save_detector);
}

void SavedSettings::save_display() {
    const QList<bool> now = switches_of(display_);
    for (std::size_t i = 0; i < kSwitches.size(); ++i) {
        const auto at = static_cast<qsizetype>(i);
        if (now[at] != switches_[at]) store_.setValue(QLatin1String(kSwitches[i].key), now[at]);
    }
    switches_ = now;
}

void SavedSettings::save_detector() {
    const QString kind = kind_of(detection_);
    const QString model = detection_.model();
    const bool same = kind == kind_ && model == model_;
    kind_ = kind;
    model_ = model;
    if (same || !detection_.detector_chosen()) return;
    store_.setValue(kKindKey, kind);
    store_.setValue(kModelKey, model);
}

}  // namespace throng::ui
