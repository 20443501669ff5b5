// The views of the window as a list.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QVariantList>
#include <vector>

#include "ui/session/view_table.h"

namespace throng::ui {

// Lives on the window's thread.
class Views : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(QVariantList all READ all CONSTANT)
    Q_PROPERTY(throng::ui::View* beside READ beside NOTIFY openChanged)
    Q_PROPERTY(throng::ui::View* top READ top NOTIFY openChanged)
    Q_PROPERTY(bool imageCovered READ image_covered NOTIFY coverChanged)

public:
    // has_source: views that need one can be opened.
    Views(const ViewContext& context, const std::function<bool()>& has_source);

    [[nodiscard]] QVariantList all() const;                         // as View*, in the order of the table
    [[nodiscard]] View* beside() const;                             // the open view beside the image; null: none
    [[nodiscard]] View* top() const;                                // the open view of the highest layer; null: none
    [[nodiscard]] bool image_covered() const;                       // by an open view
    Q_INVOKABLE [[nodiscard]] View* find(const QString& id) const;  // null: no view has this id
    Q_INVOKABLE bool cancel();                                      // as View::cancel, of any view
    Q_INVOKABLE bool stepBack();                                    // as View::step_back, of the highest layer

    // Returns the view of this class.
    template <typename Class>
    [[nodiscard]] Class& get() const {
        for (const auto& view : views_) {
            if (auto* found = qobject_cast<Class*>(view.get())) return *found;
        }
        throw Error(ErrorKind::internal, "no such view");
    }
    [[nodiscard]] const std::vector<std::unique_ptr<View>>& list() const { return views_; }
    // Returns true if this holds for one of the views.
    [[nodiscard]] bool any(bool (View::*holds)() const) const;

signals:
    void openChanged();      // of any view
    void coverChanged();     // of the image, by any view
    void settingsChanged();  // what the views need of the pipeline
    void opened(View* view);
    void playbackHeld(bool held);

private:
    void add(const ViewRow& row, const ViewContext& context, const std::function<bool()>& has_source);
    void update_covered();

    std::vector<std::unique_ptr<View>> views_;
};

}  // namespace throng::ui
