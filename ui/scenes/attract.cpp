#include "ui/scenes/attract.h"

#include <algorithm>
#include <utility>

#include "core/base/log.h"
#include "ui/session/session.h"
#include "ui/stagemap/stage_map_view.h"

namespace throng::ui {
namespace {

constexpr int kTickMs = 50;  // of the progress line

}  // namespace

Attract::Attract(Session& session, SceneScript script, QStringList languages, QObject* parent)
    : QObject(parent),
      session_(session),
      script_(std::move(script)),
      languages_(std::move(languages)),
      detection_(session.detection()->values()),
      speed_(session.transport()->speed()),
      loop_(session.transport()->loop()),
      stage_level_(session.view<StageMapView>()->level()) {
    for (const SceneAction& action : scene_actions()) {
        if (action.read) values_[QString::fromLatin1(action.name)] = action.read(session);
    }
    tick_.setInterval(kTickMs);
    connect(&tick_, &QTimer::timeout, this, &Attract::tick);
    rest_.setSingleShot(true);
    rest_.setInterval(static_cast<int>(script_.rest * 1000));
    connect(&rest_, &QTimer::timeout, this, &Attract::start);
    connect(&session, &Session::resultChanged, this, &Attract::apply_again);
}

void Attract::start() {
    rest_.stop();
    if (session_.sweep()->running()) session_.sweep()->cancel();
    session_.transport()->set_speed(speed_);
    session_.transport()->set_loop(loop_);
    session_.view<StageMapView>()->set_level(stage_level_);
    session_.stages()->clearBaseline();
    emit reset();
    next_ = 0;
    detection_changed_ = true;  // by a visitor
    advance();
}

void Attract::stop() {
    if (!running()) return;
    enter(nullptr);
    emit reset();
    rest();
}

void Attract::rest() {
    if (!running()) rest_.start();
}

QString Attract::text() const {
    return scene_ != nullptr ? text_in(scene_->text, languages_) : QString();
}

// Enters the next scene that is possible on this machine.
void Attract::advance() {
    const std::vector<Scene>& scenes = script_.scenes;
    for (std::size_t tried = 0; tried < scenes.size(); ++tried) {
        const Scene& scene = scenes[next_];
        next_ = (next_ + 1) % scenes.size();
        if (possible(scene)) {
            enter(&scene);
            return;
        }
        logger().debug("scene \"{}\" skipped: impossible on this machine", scene.name.toStdString());
    }
    enter(nullptr);  // none is possible now; clocks may be later
    rest();
}

void Attract::enter(const Scene* scene) {
    const bool was_running = running();
    scene_ = scene;
    progress_ = 0;
    const auto of_detection = [](const QString& name) { return find_scene_action(name)->of_detection; };
    const QStringList names = scene != nullptr ? scene->show.keys() : QStringList();
    const bool changes = std::any_of(names.begin(), names.end(), of_detection);
    apply(values(), std::exchange(detection_changed_, changes));
    if (scene != nullptr) {
        elapsed_.start();
        tick_.start();
    } else {
        tick_.stop();
    }
    emit progressChanged();
    emit sceneChanged();
    if (was_running != running()) emit runningChanged();
}

QVariantMap Attract::values() const {
    QVariantMap values = values_;
    if (scene_ != nullptr) values.insert(scene_->show);
    return values;
}

// With the first result of a source: some views cannot be opened before.
void Attract::apply_again() {
    const bool had = std::exchange(has_result_, session_.result() != nullptr);
    if (running() && !had && has_result_) apply(values(), false);
}

void Attract::tick() {
    progress_ = std::min(1.0, static_cast<double>(elapsed_.elapsed()) / (1000 * scene_->seconds));
    emit progressChanged();
    if (progress_ >= 1) advance();
}

void Attract::apply(const QVariantMap& values, bool detection_changed) {
    if (detection_changed) session_.detection()->set_values(detection_);
    for (const SceneAction& action : scene_actions()) {
        const auto value = values.find(QString::fromLatin1(action.name));
        if (value != values.end() && action.apply) action.apply(session_, *value);
    }
}

bool Attract::possible(const Scene& scene) const {
    const QStringList names = scene.show.keys();
    return std::all_of(names.begin(), names.end(), [&](const QString& name) {
        const SceneAction* action = find_scene_action(name);
        return action->possible == nullptr || action->possible(session_, scene.show[name]);
    });
}

bool Attract::shows(const char* action) const {
    return scene_ != nullptr && scene_->show.value(QString::fromLatin1(action), false).toBool();
}

}  // namespace throng::ui
