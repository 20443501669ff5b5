#include "ui/base/post.h"

#include <QMetaObject>
#include <QObject>
#include <utility>

namespace throng::ui {

void post(QObject* to, std::function<void()> call) {
    // Qt allocates memory that the posted event owns; the analyzer cannot see this.
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks)
    QMetaObject::invokeMethod(to, std::move(call), Qt::QueuedConnection);
}

}  // namespace throng::ui
