#include "ui/counts/plan_file.h"

#include <QFile>
#include <QSaveFile>
#include <utility>

#include "core/base/error.h"

namespace throng::ui {
namespace {

QString qstring(const std::string& text) {
    return QString::fromStdString(text);
}

std::string read_text(const std::string& path) {
    return QFile::exists(qstring(path)) ? read_count_plan(path) : std::string();
}

// Writes to a temporary file, flushes it to disk and renames it.
void replace(const std::string& path, const std::string& text) {
    QSaveFile file(qstring(path));
    const auto size = static_cast<qint64>(text.size());
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), size) != size || !file.commit()) {
        throw Error(ErrorKind::input, "cannot save the lines and zones", path, file.errorString().toStdString());
    }
}

// Returns whether the plan is all that the text holds.
bool holds_only_plan(const std::string& text) {
    try {
        return format_count_plan(parse_count_plan(text, "")) == text;
    } catch (const Error&) {
        return false;
    }
}

std::string free_backup(const std::string& path) {
    std::string backup = path + ".bak";
    for (int number = 2; QFile::exists(qstring(backup)); ++number) backup = path + ".bak" + std::to_string(number);
    return backup;
}

}  // namespace

PlanText read_plan_file(const std::string& path) {
    if (!QFile::exists(qstring(path))) return {};
    std::string text = read_count_plan(path);  // once: another program may write the file meanwhile
    CountPlan plan = parse_count_plan(text, path);
    return {std::move(plan), std::move(text)};
}

SavedPlan save_plan_file(const std::string& path, const CountPlan& plan, const std::optional<std::string>& expected) {
    const std::string current = read_text(path);
    if (expected && current != *expected) {
        throw Error(ErrorKind::input, "the file was changed by another program", path,
                    "reload it, or save the lines and zones to another file");
    }
    SavedPlan saved{format_count_plan(plan), {}};
    if (!current.empty() && !holds_only_plan(current)) {
        saved.backup = free_backup(path);
        replace(saved.backup, current);
    }
    replace(path, saved.text);
    return saved;
}

}  // namespace throng::ui
