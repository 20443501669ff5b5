#include "ui/post.h"

#include <QMetaObject>
#include <QObject>
#include <utility>

namespace throng::ui {

void post(QObject* to, std::function<void()> call) {
    // What Qt allocates here belongs to the event that it posts, where the analyser cannot look.
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks)
    QMetaObject::invokeMethod(to, std::move(call), Qt::QueuedConnection);
}

}  // namespace throng::ui
