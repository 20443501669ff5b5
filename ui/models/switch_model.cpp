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

int SwitchModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(switches_.size());
}

QVariant SwitchModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const DetectorSwitch& each = switches_[static_cast<std::size_t>(index.row())];
    switch (role) {
        case id_role: return QString::fromStdString(each.id);
        case Qt::DisplayRole:
        case title_role: return translated(each.title);
        case help_role: return translated(each.help);
        case choices_role: {
            QStringList words;
            for (const std::string& choice : each.choices) words += QString::fromStdString(choice);
            return words;
        }
        case chosen_role: {
            const auto found = std::find(each.choices.begin(), each.choices.end(), each.chosen);
            return found == each.choices.end() ? -1 : static_cast<int>(found - each.choices.begin());
        }
        case toggle_role: return is_toggle(each);
        case on_role: return each.chosen == "on";
        default: return {};
    }
}

QHash<int, QByteArray> SwitchModel::roleNames() const {
    return {{id_role, "switchId"},   {title_role, "title"},   {help_role, "help"}, {choices_role, "choices"},
            {chosen_role, "chosen"}, {toggle_role, "toggle"}, {on_role, "on"}};
}

int SwitchModel::changed_count() const {
    return static_cast<int>(std::count_if(switches_.begin(), switches_.end(), [](const DetectorSwitch& each) {
        return !each.choices.empty() && each.chosen != each.choices.front();
    }));
}

void SwitchModel::update(std::vector<DetectorSwitch> switches) {
    const auto same_row = [](const DetectorSwitch& a, const DetectorSwitch& b) {
        return a.id == b.id && a.choices == b.choices;
    };
    if (std::equal(switches_.begin(), switches_.end(), switches.begin(), switches.end(), same_row)) {
        for (std::size_t i = 0; i < switches.size(); ++i) {
            if (switches[i].chosen == switches_[i].chosen) continue;
            switches_[i] = std::move(switches[i]);
            emit dataChanged(index(static_cast<int>(i)), index(static_cast<int>(i)));
            emit choicesChanged();
        }
        return;
    }
    beginResetModel();
    switches_ = std::move(switches);
    endResetModel();
    emit countChanged();
    emit choicesChanged();
}

}  // namespace throng::ui
