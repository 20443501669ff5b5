#include "ui/session/views.h"

#include <algorithm>

namespace throng::ui {

Views::Views(const ViewContext& context, const std::function<bool()>& has_source) {
    for (const ViewRow& row : view_table()) add(row, context, has_source);
}

void Views::add(const ViewRow& row, const ViewContext& context, const std::function<bool()>& has_source) {
    View* view = views_.emplace_back(row.make(context)).get();
    view->setParent(this);  // QML would destroy an object without one
    view->set_up(row.info, [has_source](const View& opened) { return !opened.needs_source() || has_source(); });
    connect(view, &View::settingsChanged, this, &Views::settingsChanged);
    connect(view, &View::coverChanged, this, &Views::update_covered);
    connect(view, &View::openChanged, this, [this, view] {
        if (view->open() && view->info().place == ViewPlace::beside) {
            for (const auto& other : views_) {
                if (other.get() != view && other->info().place == ViewPlace::beside) other->set_open(false);
            }
        }
        update_covered();
        if (view->holds_playback()) emit playbackHeld(view->open());
        if (view->open()) emit opened(view);
        emit settingsChanged();
        emit openChanged();
    });
}

void Views::update_covered() {
    for (const auto& view : views_) {
        view->set_covered(view->over() && std::any_of(views_.begin(), views_.end(), [&](const auto& other) {
                              return other->info().layer > view->info().layer && other->covers_image();
                          }));
    }
    emit coverChanged();
}

QVariantList Views::all() const {
    QVariantList all;
    for (const auto& view : views_) all += QVariant::fromValue(view.get());
    return all;
}

View* Views::find(const QString& id) const {
    const auto found = std::find_if(views_.begin(), views_.end(), [&](const auto& view) { return view->id() == id; });
    return found == views_.end() ? nullptr : found->get();
}

View* Views::beside() const {
    const auto found = std::find_if(views_.begin(), views_.end(), [](const auto& view) {
        return view->open() && view->info().place == ViewPlace::beside;
    });
    return found == views_.end() ? nullptr : found->get();
}

View* Views::top() const {
    View* top = nullptr;
    for (const auto& view : views_) {
        if (view->open() && (top == nullptr || view->info().layer >= top->info().layer)) top = view.get();
    }
    return top;
}

bool Views::image_covered() const {
    return any(&View::covers_image);
}

bool Views::any(bool (View::*holds)() const) const {
    return std::any_of(views_.begin(), views_.end(), [&](const auto& view) { return (view.get()->*holds)(); });
}

bool Views::cancel() {
    return std::any_of(views_.begin(), views_.end(), [](const auto& view) { return view->cancel(); });
}

bool Views::stepBack() {
    std::vector<View*> views;
    for (const auto& view : views_) views.push_back(view.get());
    std::stable_sort(views.begin(), views.end(),
                     [](const View* a, const View* b) { return a->info().layer > b->info().layer; });
    return std::any_of(views.begin(), views.end(), [](View* view) { return view->step_back(); });
}

}  // namespace throng::ui
