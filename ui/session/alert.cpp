#include "ui/session/alert.h"

#include "ui/language/language.h"

namespace throng::ui {

void Alert::show(const Error& error) {
    set(true, translated_sentence(error.problem()), translated_message(error.where()),
        translated_sentence(error.advice()));
}

void Alert::show(const QString& what, const QString& where) {
    set(false, what, where, {});
}

void Alert::dismiss() {
    set(false, {}, {}, {});
}

void Alert::set(bool is_error, const QString& what, const QString& where, const QString& advice) {
    is_error_ = is_error;
    what_ = what;
    where_ = where;
    advice_ = advice;
    emit changed();
}

}  // namespace throng::ui
