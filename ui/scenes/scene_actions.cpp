#include "ui/scenes/scene_actions.h"

#include <algorithm>

#include "core/detect/nms_names.h"
#include "ui/compare/compare_view.h"
#include "ui/matrix/matrix_view.h"
#include "ui/session/session.h"

namespace throng::ui {
namespace {

using Type = SceneAction::Type;

QStringList detector_names() {
    QStringList names;
    for (const DetectorKind& kind : detector_kinds()) {
        names += QString::fromUtf8(kind.name.data(), static_cast<qsizetype>(kind.name.size()));
    }
    return names;
}

QStringList rule_names() {
    QStringList names;
    for (const auto& [name, rule] : kNmsRuleNames) {
        names += QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    }
    return names;
}

QStringList matrix_orders() {
    return {QStringLiteral("score"), QStringLiteral("cluster")};
}

// Returns an action for a switch of the overlay.
template <bool (DisplaySettings::*kRead)() const, void (DisplaySettings::*kSet)(bool)>
SceneAction display_switch(const char* name) {
    SceneAction action{name, Type::boolean};
    action.read = [](Session& session) { return QVariant((session.display()->*kRead)()); };
    action.apply = [](Session& session, const QVariant& on) { (session.display()->*kSet)(on.toBool()); };
    return action;
}

SceneAction view_action(const ViewInfo& info) {
    SceneAction action{info.scene, Type::boolean};
    const QString id = QString::fromLatin1(info.id);
    action.read = [id](Session& session) { return QVariant(session.views()->find(id)->open()); };
    action.apply = [id](Session& session, const QVariant& on) { session.views()->find(id)->set_open(on.toBool()); };
    return action;
}

// Sets the right side. Otherwise the view chooses one when it is opened.
SceneAction compare_detector() {
    SceneAction action{"compare-detector", Type::text};
    action.choices = detector_names;
    action.apply = [](Session& session, const QVariant& name) {
        session.view<CompareView>()->second()->set_detector(
            static_cast<int>(detector_names().indexOf(name.toString())));
    };
    return action;
}

SceneAction matrix_order() {
    SceneAction action{"matrix-order", Type::text};
    action.choices = matrix_orders;
    action.read = [](Session& session) {
        return QVariant(matrix_orders()[session.view<MatrixView>()->by_cluster() ? 1 : 0]);
    };
    action.apply = [](Session& session, const QVariant& order) {
        session.view<MatrixView>()->set_by_cluster(order.toString() == matrix_orders()[1]);
    };
    return action;
}

SceneAction play() {
    SceneAction action{"play", Type::boolean};
    action.read = [](Session&) { return QVariant(true); };  // the scenes' own state, whatever a visitor left
    action.apply = [](Session& session, const QVariant& on) {
        if (session.transport()->held()) return;  // the race measures a frame that stands still
        using State = Transport::State;
        const State state = session.transport()->current();
        const bool stopped = state == State::paused || state == State::ended;
        if (on.toBool() ? stopped : state == State::running) session.transport()->toggle();
    };
    return action;
}

SceneAction detector() {
    SceneAction action{"detector", Type::text, true};
    action.choices = detector_names;
    action.apply = [](Session& session, const QVariant& name) {
        session.detection()->set_detector(static_cast<int>(detector_names().indexOf(name.toString())));
    };
    return action;
}

SceneAction rule() {
    SceneAction action{"rule", Type::text, true};
    action.choices = rule_names;
    action.apply = [](Session& session, const QVariant& name) {
        session.detection()->set_rule(static_cast<int>(rule_names().indexOf(name.toString())));
    };
    return action;
}

SceneAction theta() {
    SceneAction action{"theta", Type::number, true};
    action.max = 1;
    action.apply = [](Session& session, const QVariant& value) { session.detection()->set_theta(value.toDouble()); };
    return action;
}

SceneAction clock() {
    SceneAction action{"clock", Type::text};
    // The profile given at program start; empty: none, the clocks return to what they were.
    action.read = [](Session& session) { return QVariant(QString::fromStdString(session.setup().clocks.profile)); };
    action.apply = [](Session& session, const QVariant& id) {
        Clocks& clocks = *session.clocks();
        if (!id.toString().isEmpty()) {
            if (clocks.chosen() != id.toString()) clocks.apply(id.toString());
        } else if (!clocks.status().reading.applied.empty()) {
            clocks.restore();
        }
    };
    action.possible = [](Session& session, const QVariant& id) {
        const std::vector<ResolvedProfile>& profiles = session.clocks()->status().profiles;
        return std::any_of(profiles.begin(), profiles.end(), [&](const ResolvedProfile& entry) {
            return entry.available && entry.profile.id == id.toString().toStdString();
        });
    };
    return action;
}

}  // namespace

std::span<const SceneAction> scene_actions() {
    using Display = DisplaySettings;
    static const std::vector<SceneAction> actions = [] {
        std::vector<SceneAction> all{
            display_switch<&Display::raw, &Display::set_raw>("raw"),
            display_switch<&Display::kept, &Display::set_kept>("kept"),
            display_switch<&Display::labels, &Display::set_labels>("labels"),
            display_switch<&Display::landmarks, &Display::set_landmarks>("landmarks"),
            display_switch<&Display::blur, &Display::set_blur>("blur"),
        };
        for (const ViewRow& row : view_table()) {
            if (*row.info.scene != '\0') all.push_back(view_action(row.info));
        }
        const std::vector<SceneAction> after{
            compare_detector(),  // after its view, which sets the right side when it is opened
            matrix_order(),
            {"matrix-sweep", Type::boolean},
            {"panel", Type::boolean},
            play(),
            detector(),
            rule(),
            theta(),
            clock(),
        };
        all.insert(all.end(), after.begin(), after.end());
        return all;
    }();
    return actions;
}

const SceneAction* find_scene_action(const QString& name) {
    const std::span<const SceneAction> actions = scene_actions();
    const auto found = std::find_if(actions.begin(), actions.end(),
                                    [&](const SceneAction& action) { return name == QLatin1String(action.name); });
    return found == actions.end() ? nullptr : &*found;
}

}  // namespace throng::ui
