#include "ui/session/switch_control.h"

#include <utility>

#include "ui/language/language.h"

namespace throng::ui {

void SwitchControl::update(std::vector<DetectorSwitch> now) {
    const std::map<std::string, std::string>& requested = detection_.values().detector.switches;
    for (DetectorSwitch& each : now) {
        const auto found = requested.find(each.id);
        if (found != requested.end()) {
            each.chosen = found->second;
        } else if (!each.choices.empty()) {
            each.chosen = each.choices.front();
        }
    }
    model_.update(std::move(now));
}

void SwitchControl::set(const QString& id, const QString& choice) {
    for (const DetectorSwitch& each : model_.switches()) {
        if (each.id != id.toStdString() || each.chosen == choice.toStdString()) continue;
        const auto state = [&each](const std::string& chosen) {
            return QStringLiteral("%1: %2").arg(translated(each.title), translated(chosen));
        };
        stages_.set_baseline(state(each.chosen));
        detection_.set_switch(id, choice);
        feedback_.say_with_result(state(choice.toStdString()));
        break;
    }
    if (!model_.switches().empty()) update(model_.switches());
}

void SwitchControl::reset() {
    stages_.set_baseline(tr("previous optimizations"));
    detection_.reset_switches();
    if (!model_.switches().empty()) update(model_.switches());
}

}  // namespace throng::ui
