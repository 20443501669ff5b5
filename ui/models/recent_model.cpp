#include "ui/models/recent_model.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSettings>
#include <QUrl>

#include "core/base/secrets.h"

namespace throng::ui {
namespace {

const QString kKey = QStringLiteral("recent");

bool is_file(const QString& spec) {
    return !spec.contains(QLatin1Char(':')) || QFileInfo::exists(spec);
}

// Leaves the name of a file, which is opened again by it.
QString without_secrets(const QString& spec) {
    return is_file(spec) ? spec : QString::fromStdString(mask_credentials(spec.toStdString()));
}

}  // namespace

RecentModel::RecentModel(QSettings& store, QObject* parent)
    : RowModel({{"spec", [this](auto row) { return specs_[static_cast<int>(row)]; }},
                {"title", [this](auto row) { return source_title(specs_[static_cast<int>(row)]); }},
                {"location",
                 [this](auto row) {
                     const QString& spec = specs_[static_cast<int>(row)];
                     return is_file(spec) ? QFileInfo(spec).path() : spec;
                 }}},
               parent),
      store_(store) {
    load();
}

void RecentModel::load() {
    store_.sync();
    const QStringList stored = store_.value(kKey).toStringList();
    if (stored == specs_) return;
    beginResetModel();
    specs_.clear();
    for (const QString& spec : stored.mid(0, kLimit)) specs_ += without_secrets(spec);
    specs_.removeDuplicates();
    endResetModel();
    emit countChanged();
    if (specs_ != stored) save();  // a version before has stored passwords
}

QString RecentModel::folder() const {
    for (const QString& spec : specs_) {
        const QFileInfo file(spec);
        if (file.isDir()) return QDir::cleanPath(file.absoluteFilePath());
        if (file.isFile()) return file.absolutePath();  // no device: a camera is in no folder of files
    }
    return {};
}

void RecentModel::add(const QString& spec) {
    load();  // another window may have added some
    const QString entry = without_secrets(spec);
    const auto at = static_cast<int>(specs_.indexOf(entry));
    if (at == 0) return;
    if (at > 0) {
        beginMoveRows({}, at, at, {}, 0);
        specs_.move(at, 0);
        endMoveRows();
    } else {
        if (specs_.size() == kLimit) {
            beginRemoveRows({}, kLimit - 1, kLimit - 1);
            specs_.removeLast();
            endRemoveRows();
        }
        beginInsertRows({}, 0, 0);
        specs_.prepend(entry);
        endInsertRows();
        emit countChanged();
    }
    save();
}

bool RecentModel::hasSecrets(const QString& spec) {
    return without_secrets(spec) != spec;
}

void RecentModel::clear() {
    if (specs_.isEmpty()) return;
    beginResetModel();
    specs_.clear();
    endResetModel();
    emit countChanged();
    save();
}

void RecentModel::save() {
    store_.setValue(kKey, specs_);
}

QString source_title(const QString& source) {
    const QString spec = without_secrets(source);
    if (spec.startsWith(QLatin1String("crowd:"))) return RecentModel::tr("Demo crowd");
    if (spec.startsWith(QLatin1String("camera:"))) return RecentModel::tr("Camera %1").arg(spec.mid(7));
    if (spec.startsWith(QLatin1String("mosaic:")))
        return RecentModel::tr("Mosaic of %1").arg(source_title(spec.mid(7)));
    if (spec.contains(QLatin1String("://"))) {
        const QUrl url(spec);
        return url.isValid() ? url.toString(QUrl::RemoveUserInfo | QUrl::RemoveQuery) : spec;
    }
    if (is_file(spec) && !QFileInfo(spec).fileName().isEmpty()) return QFileInfo(spec).fileName();
    return spec;
}

QStringList source_titles(const QStringList& sources) {
    QStringList specs, titles;
    for (const QString& source : sources) {
        specs += without_secrets(source);
        titles += source_title(source);
    }
    const auto parts_of = [](const QString& spec) {
        static const QRegularExpression separators(QStringLiteral("[:,/?&]+"));
        if (spec.contains(QLatin1String("://"))) return QStringList();  // the address may be long
        return spec.split(separators, Qt::SkipEmptyParts);
    };
    QStringList distinct = titles;
    for (qsizetype i = 0; i < specs.size(); ++i) {
        const auto number = titles.first(i).count(titles[i]);
        const auto same = titles.count(titles[i]);
        if (same == 1) continue;
        QStringList parts, own;  // those that some others share, and those that none does
        for (const QString& part : parts_of(specs[i])) {
            qsizetype sharing = 0;
            for (qsizetype k = 0; k < specs.size(); ++k) {
                sharing += titles[k] == titles[i] && parts_of(specs[k]).contains(part) ? 1 : 0;
            }
            if (sharing < same) parts += part;
            if (sharing == 1) own += part;
        }
        if (!own.isEmpty()) parts = own;
        const QString difference = parts.isEmpty() ? QString::number(number + 1) : parts.join(QStringLiteral(", "));
        distinct[i] = QStringLiteral("%1 · %2").arg(difference, titles[i]);
    }
    return distinct;
}

}  // namespace throng::ui
