#include "ui/session/source.h"

#include "core/video/image_file.h"
#include "core/video/source_files.h"
#include "ui/models/recent_model.h"

namespace throng::ui {

QString Source::patterns() {
    QStringList patterns;
    for (const auto extensions : {video_extensions(), image_extensions()}) {
        for (const std::string_view extension : extensions) {
            patterns += u'*' + QString::fromUtf8(extension.data(), static_cast<qsizetype>(extension.size()));
        }
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
