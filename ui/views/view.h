// What the views of the window have in common: what the session asks of each without knowing which one it is.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "ui/base/run_listener.h"
#include "ui/language/language.h"
#include "ui/render/display_image.h"

namespace throng::ui {

// Where the QML file of a view is loaded while it is open.
enum class ViewPlace {
    own,     // by the window, which knows it by its id
    beside,  // beside the image; opening one closes the others
    over,    // over the image
};

// The part of the table of views (ui/session/view_table.cpp) that concerns all of them.
struct ViewInfo {
    const char* id;     // of its action: key, button, row of a menu
    const char* keys;   // in the format of QKeySequence::fromString
    const char* group;  // heading on the sheet of shortcuts
    const char* text;   // description of the action
    const char* name;   // one word, beside the icon and over the image
    const char* about;  // one sentence for somebody who sees it for the first time
    const char* icon;   // of its button in the title bar; "": none
    ViewPlace place;
    const char* file;        // in QML; "": the window holds it
    int layer;               // Esc closes the open view of the highest layer; it may cover those below
    const char* scene = "";  // its name for scenes; "": they do not show it
    bool in_kiosk = true;    // visitors may use it
};

// Lives on the window's thread. Closed, a view computes nothing and holds no frame.
// Classes that derive from it name it with its namespace: Qt's list of types for QML finds it by that name only.
class View : public QObject, public RunListener {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(QString id READ id CONSTANT)
    Q_PROPERTY(QString icon READ icon CONSTANT)
    Q_PROPERTY(QString name READ name CONSTANT)
    Q_PROPERTY(QString about READ about CONSTANT)
    Q_PROPERTY(QString file READ file CONSTANT)
    Q_PROPERTY(bool over READ over CONSTANT)
    Q_PROPERTY(bool inKiosk READ in_kiosk CONSTANT)
    Q_PROPERTY(bool open READ open WRITE set_open NOTIFY openChanged)
    Q_PROPERTY(bool covered READ covered NOTIFY coveredChanged)

public:
    using QObject::QObject;

    [[nodiscard]] QString id() const { return QString::fromLatin1(info().id); }
    [[nodiscard]] QString icon() const { return QString::fromLatin1(info().icon); }
    [[nodiscard]] QString name() const { return translated(info().name); }
    [[nodiscard]] QString about() const { return translated(info().about); }
    [[nodiscard]] QString file() const { return QString::fromLatin1(info().file); }
    [[nodiscard]] bool over() const { return info().place == ViewPlace::over; }
    [[nodiscard]] bool in_kiosk() const { return info().in_kiosk; }
    [[nodiscard]] const ViewInfo& info() const { return *info_; }

    [[nodiscard]] virtual bool open() const = 0;
    // Ignored if it is so, or if it cannot be opened now.
    void set_open(bool open) {
        if (open == this->open() || (open && may_open_ && !may_open_(*this))) return;
        change(open);
        emit openChanged();
    }
    // Another view covers it: it gets no results.
    [[nodiscard]] bool covered() const override { return covered_; }

    // Constant properties.
    [[nodiscard]] virtual bool needs_source() const { return false; }    // it opens only with one
    [[nodiscard]] virtual bool holds_playback() const { return false; }  // while it is open

    // settingsChanged announces changes of what it needs, besides openChanged.
    [[nodiscard]] virtual bool covers_image() const { return false; }  // coverChanged announces changes

    // on_refresh also comes when it is opened.
    void attach(std::shared_ptr<Pipeline> pipeline) override {
        if (!pipeline) clear();
    }
    virtual void clear() {}                                                  // no source any more
    virtual void set_image_view(const ImageView&, const OverlayOptions&) {}  // of the image

    // Esc: ends what the user is doing in the view; later closes a part of it or itself. False: there was nothing.
    virtual bool cancel() { return false; }
    virtual bool step_back() {
        const bool was = open();
        set_open(false);
        return was;
    }

    // For the list of views.
    void set_up(const ViewInfo& info, std::function<bool(const View&)> may_open) {
        info_ = &info;
        may_open_ = std::move(may_open);
    }
    void set_covered(bool covered) {
        if (std::exchange(covered_, covered) != covered) emit coveredChanged();
    }

signals:
    void openChanged();
    void coveredChanged();
    void coverChanged();
    void settingsChanged();
    void failed(const throng::Error& error);
    void notified(const QString& what, const QString& where);

protected:
    virtual void change(bool open) = 0;

private:
    const ViewInfo* info_ = nullptr;
    std::function<bool(const View&)> may_open_;
    bool covered_ = false;
};

}  // namespace throng::ui
