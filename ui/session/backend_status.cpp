#include "ui/session/backend_status.h"

#include "ui/language/language.h"

namespace throng::ui {

void BackendStatus::select(const Backend& backend, const Message& reason) {
    name_ = QString::fromStdString(backend.name());
    description_ = QString::fromStdString(backend.description());
    const bool repeats = QString::fromStdString(reason.text()) == name_ + QStringLiteral(": ") + description_;
    reason_ = repeats ? QString() : translated_message(reason);
    emit changed();
}

void BackendStatus::update(const std::string& name, const std::string& description) {
    const QString now = name.empty() ? name_ : QString::fromStdString(name);
    const QString text = description.empty() ? description_ : QString::fromStdString(description);
    if (now == name_ && text == description_) return;
    if (now != name_) reason_.clear();
    name_ = now;
    description_ = text;
    emit changed();
}

void BackendStatus::set_memory(const std::optional<DeviceMemory>& memory) {
    memory_ = memory;
    emit memoryChanged();
}

}  // namespace throng::ui
