// The backend in use, why it was selected, and the memory of its device.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>
#include <optional>
#include <string>

#include "core/base/message.h"
#include "core/detect/backend.h"
#include "ui/base/run_listener.h"

namespace throng::ui {

// Lives on the window's thread.
class BackendStatus : public QObject, public RunListener {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(QString name READ name NOTIFY changed)
    Q_PROPERTY(QString description READ description NOTIFY changed)
    Q_PROPERTY(QString reason READ reason NOTIFY changed)
    Q_PROPERTY(double memoryUsed READ memory_used NOTIFY memoryChanged)
    Q_PROPERTY(double memoryTotal READ memory_total NOTIFY memoryChanged)

public:
    explicit BackendStatus(QObject* parent = nullptr);

    [[nodiscard]] QString name() const { return name_; }  // "cpu", "cuda"; empty before the first source
    [[nodiscard]] QString description() const { return description_; }
    [[nodiscard]] QString reason() const { return reason_; }  // why it was selected; empty if there is nothing to add
    // Bytes of device memory, of all programs; 0 if the device has no memory of its own.
    [[nodiscard]] double memory_used() const { return memory_ ? static_cast<double>(memory_->used) : 0; }
    [[nodiscard]] double memory_total() const { return memory_ ? static_cast<double>(memory_->total) : 0; }

    void select(const Backend& backend, const Message& reason);
    // Sets the backend that the pipeline uses now. Another name than before clears the reason: the fallback has replaced
    // a failed backend, and the notice says why. Empty texts change nothing.
    void update(const std::string& name, const std::string& description);
    void attach(std::shared_ptr<Pipeline> pipeline) override;
    void on_refresh(const RunFrame& frame) override {
        update(frame.pipeline.backend_name(), frame.pipeline.backend_description());
    }

signals:
    void changed();
    void memoryChanged();

private:
    void query_memory();
    void set_memory(const std::optional<DeviceMemory>& memory);

    QString name_, description_, reason_;
    std::optional<DeviceMemory> memory_;
    std::shared_ptr<Pipeline> pipeline_;
    QTimer timer_;
    QThreadPool pool_;  // last: its threads post to this object
};

}  // namespace throng::ui
