#include "ui/session/source.h"

#include "core/video/image_file.h"
#include "ui/models/recent_model.h"

namespace throng::ui {

QString Source::patterns() {
    QString patterns = QStringLiteral("*.mp4 *.mkv *.mov *.avi *.webm *.m4v *.ts *.gif");
    for (const std::string_view extension : image_extensions()) {
        patterns +=
            QStringLiteral(" *") + QString::fromUtf8(extension.data(), static_cast<qsizetype>(extension.size()));
    }
    return patterns;
}

QString Source::title() const {
    return source_title(spec_);
}

QString Source::opening() const {
    return opening_.isEmpty() ? QString() : source_title(opening_);
}

void Source::set_spec(const QString& spec) {
    spec_ = spec;
    info_ = {};
    emit changed();
    emit infoChanged();
}

void Source::set_info(const SourceInfo& info) {
    info_ = info;
    emit infoChanged();
}

void Source::set_opening(const QString& spec) {
    if (opening_ == spec) return;
    opening_ = spec;
    emit openingChanged();
}

}  // namespace throng::ui
