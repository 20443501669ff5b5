#include "ui/models/switch_model.h"

#include <QStringList>
#include <algorithm>

#include "ui/language/language.h"

namespace throng::ui {
namespace {

bool is_toggle(const DetectorSwitch& each) {
    const auto offers = [&](const char* word) {
        return std::find(each.choices.begin(), each.choices.end(), word) != each.choices.end();
    };
    return each.choices.size() == 2 && offers("on") && offers("off");
}

}  // namespace

SwitchModel::SwitchModel(QObject* parent)
    : RowModel({{"switchId", [this](auto row) { return QString::fromStdString(switches_[row].id); }},
                {"title", [this](auto row) { return translated(switches_[row].title); }},
                {"help", [this](auto row) { return translated(switches_[row].help); }},
                {"choices",
                 [this](auto row) {
                     QStringList words;
                     for (const std::string& choice : switches_[row].choices) words += QString::fromStdString(choice);
                     return words;
                 }},
                // Index into the choices.
                {"chosen",
                 [this](auto row) {
                     const DetectorSwitch& each = switches_[row];
                     const auto found = std::find(each.choices.begin(), each.choices.end(), each.chosen);
                     return found == each.choices.end() ? -1 : static_cast<int>(found - each.choices.begin());
                 }},
                {"toggle", [this](auto row) { return is_toggle(switches_[row]); }},  // choices: on and off
                {"on", [this](auto row) { return switches_[row].chosen == "on"; }}},
               parent) {}

int SwitchModel::changed_count() const {
    return static_cast<int>(std::count_if(switches_.begin(), switches_.end(), [](const DetectorSwitch& each) {
        return !each.choices.empty() && each.chosen != each.choices.front();
    }));
}

void SwitchModel::update(std::vector<DetectorSwitch> switches) {
    const auto same_row = [](const DetectorSwitch& a, const DetectorSwitch& b) {
        return a.id == b.id && a.choices == b.choices;
    };
    const auto same = [&](const DetectorSwitch& a, const DetectorSwitch& b) {
        return same_row(a, b) && a.chosen == b.chosen;
    };
    if (std::equal(switches_.begin(), switches_.end(), switches.begin(), switches.end(), same)) return;
    replace(switches_, std::move(switches), same_row);
    emit choicesChanged();
}

}  // namespace throng::ui
