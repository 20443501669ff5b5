// From any thread to the thread of the window.
#pragma once

#include <functional>

class QObject;

namespace throng::ui {

// Has the event loop of the thread that `to` lives in make the call, later, unless `to` is gone by then.
void post(QObject* to, std::function<void()> call);

}  // namespace throng::ui
