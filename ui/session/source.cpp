#include "ui/session/source.h"

#include "core/video/formats.h"
#include "ui/models/recent_model.h"

namespace throng::ui {

QString Source::patterns() {
    QStringList patterns;
    for (const FileFormat& format : file_formats()) {
        if (format.kind != NameKind::image && format.kind != NameKind::video) continue;
        const auto& names = format.extensions;
        patterns += u'*' + QString::fromUtf8(names.data(), static_cast<qsizetype>(names.size()))
                               .replace(QLatin1String(" "), QLatin1String(" *"));
    }
    return patterns.join(u' ');
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
