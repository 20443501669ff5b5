// Posts calls from any thread to the window's thread.
#pragma once

#include <functional>

class QObject;

namespace throng::ui {

// Queues the call on the event loop of the thread that `to` lives in. The call is dropped if `to` is destroyed first.
void post(QObject* to, std::function<void()> call);

}  // namespace throng::ui
