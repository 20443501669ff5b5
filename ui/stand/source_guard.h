// Keeps something on screen without a person: a source that fails or freezes is replaced by the demo crowd, and
// opened again later. A demo that fails, too, is opened again with the source.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <chrono>

#include "ui/base/retry_timer.h"

namespace throng::ui {

class Session;

// Lives on the window's thread.
class SourceGuard : public QObject {
    Q_OBJECT

public:
    struct Pace {
        std::chrono::milliseconds stall{10000};        // without a frame from a live source
        std::chrono::milliseconds first_retry{15000};  // doubled with each failure
        std::chrono::milliseconds max_retry{240000};
    };

    // The session must outlive the object.
    SourceGuard(Session& session, const Pace& pace, QObject* parent = nullptr);

    [[nodiscard]] bool on_demo() const { return !source_.isEmpty(); }  // instead of the source

private:
    void handle_state();
    void handle_result();
    void fall_back();

    Session& session_;
    const Pace pace_;
    QString source_;            // to open again; empty: it runs
    bool demo_opened_ = false;  // since the source was opened last
    QTimer stall_;
    RetryTimer retry_;
};

}  // namespace throng::ui
