// Short message over the image after a key or a change of settings: "CNN face detector: 147 found, 35 ms".
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QTimer>

#include "ui/base/run_listener.h"

namespace throng::ui {

// Lives on the window's thread. A message disappears after 2.5 s unless stated otherwise.
class Feedback : public QObject, public RunListener {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(QString text READ text NOTIFY changed)

public:
    explicit Feedback(QObject* parent = nullptr);

    [[nodiscard]] QString text() const { return text_; }  // empty: no message

    Q_INVOKABLE void say(const QString& text) { say(text, kShownMs); }
    void say(const QString& text, int shown_ms);
    // A message that nobody has asked for: waits until the answer to a key has been shown.
    void mention(const QString& text, int shown_ms);
    // Adds the count and the time of the next results that have the new settings.
    void say_with_result(const QString& text);
    void attach(std::shared_ptr<Pipeline> pipeline) override {
        if (!pipeline) clear();
    }
    void on_result(const RunFrame& frame) override {
        if (frame.settled) add(*frame.result);
    }
    void clear();

signals:
    void changed();

private:
    static constexpr int kShownMs = 2500;

    void add(const FrameResult& result);
    void set(const QString& text);
    void end();

    QString text_, title_, mentioned_;  // mentioned_: waits to be shown
    int mentioned_ms_ = 0;
    int results_left_ = 0;  // to add; the first ones may be of frames that were already in flight
    QTimer timer_;
};

}  // namespace throng::ui
