#include "ui/session/backend_status.h"

#include "ui/base/post.h"
#include "ui/language/language.h"

namespace throng::ui {

BackendStatus::BackendStatus(QObject* parent) : QObject(parent) {
    timer_.setInterval(1000);
    connect(&timer_, &QTimer::timeout, this, &BackendStatus::query_memory);
}

void BackendStatus::attach(std::shared_ptr<Pipeline> pipeline) {
    pipeline_ = std::move(pipeline);
    if (!pipeline_) {
        timer_.stop();
        return set_memory(std::nullopt);
    }
    timer_.start();
    query_memory();
}

// Queries on the thread pool: the driver may take long.
void BackendStatus::query_memory() {
    pool_.start([this, pipeline = pipeline_] {
        const std::optional<DeviceMemory> memory = pipeline->device_memory();
        post(this, [this, memory, queried = pipeline.get()] {  // the last reference must not end here
            if (queried == pipeline_.get()) set_memory(memory);
        });
    });
}

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
