#include "ui/session/playlist.h"

#include <QFileInfo>
#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/video/file_kind.h"
#include "core/video/image_source.h"
#include "ui/base/post.h"

namespace throng::ui {
namespace {

constexpr qsizetype kMaxFiles = 10000;

}  // namespace

QStringList media_files(const QStringList& paths) {
    namespace fs = std::filesystem;
    QStringList found;
    for (const QString& path : paths) {
        const fs::path given = path.toStdString();
        std::error_code error;
        if (!fs::is_directory(given, error)) {
            found += path;
            continue;
        }
        std::vector<std::string> files;
        fs::recursive_directory_iterator each(given, fs::directory_options::skip_permission_denied, error);
        for (; !error && each != fs::recursive_directory_iterator(); each.increment(error)) {
            if (static_cast<qsizetype>(files.size()) + found.size() >= kMaxFiles) break;
            std::error_code unreadable;
            if (each->is_regular_file(unreadable) && is_media_file(each->path().string())) {
                files.push_back(each->path().string());
            }
        }
        std::sort(files.begin(), files.end(), natural_less);
        for (const std::string& file : files) found += QString::fromStdString(file);
    }
    found.removeDuplicates();  // a file is found by its name
    return found.mid(0, kMaxFiles);
}

Playlist::Playlist(Source& source, QObject* parent) : QObject(parent), source_(source) {
    connect(&source, &Source::changed, this, &Playlist::follow_source);
}

qsizetype Playlist::index() const {
    return source_.spec().isEmpty() ? -1 : files_.indexOf(QFileInfo(source_.spec()).absoluteFilePath());
}

QString Playlist::place() const {
    const qsizetype at = index();
    return at < 0 || count() < 2 ? QString() : tr("%1 of %2").arg(at + 1).arg(count());
}

void Playlist::openAll(const QList<QUrl>& urls) {
    QStringList specs;
    for (const QUrl& url : urls) specs += url.isLocalFile() ? url.toLocalFile() : url.toString();
    if (specs.size() == 1) emit openRequested(specs.front());
    if (specs.size() > 1) list(specs, true);
}

bool Playlist::step(int files) {
    const qsizetype to = index() + files;
    if (index() < 0 || to < 0 || to >= files_.size()) return false;
    emit openRequested(files_[to]);
    return true;
}

// A file that was opened alone has those of its folder beside it.
void Playlist::follow_source() {
    const QString spec = source_.spec();
    if (!spec.isEmpty() && index() < 0) {
        files_.clear();
        together_ = false;
        ++list_number_;
        if (const QFileInfo file(spec); file.isFile()) list({file.absoluteFilePath()}, false);
    }
    emit changed();
}

void Playlist::list(const QStringList& paths, bool together) {
    pool_.start([this, paths, together, number = ++list_number_] {
        QStringList found;
        if (together) {
            found = media_files(paths);
        } else {
            const QString folder = QFileInfo(paths.front()).path();
            for (const QString& file : media_files({folder})) {
                if (QFileInfo(file).path() == folder) found += file;
            }
        }
        post(this, [this, together, number, found = std::move(found)] {
            if (number != list_number_) return;
            if (together && found.isEmpty()) {
                emit failed(Error(ErrorKind::input, "no videos or images in what was dropped", "",
                                  "drop files, or folders with files"));
                return;
            }
            files_ = found;
            together_ = together;
            emit changed();
            if (together) emit openRequested(found.front());
        });
    });
}

}  // namespace throng::ui
