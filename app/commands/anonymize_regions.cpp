#include "app/commands/anonymize_regions.h"

#include <utility>

#include "core/annotations/labels.h"

namespace throng {

RegionWriter::RegionWriter(const std::string& path, std::string source) : source_(std::move(source)) {
    if (!path.empty()) file_.emplace(path);
}

void RegionWriter::write(const Frame& frame, const RedactRegions& regions, const RedactOptions& options) {
    if (!file_) return;
    RegionLabels labels;
    labels.source = source_;
    labels.frame = next_++;
    labels.width = frame.width();
    labels.height = frame.height();
    labels.pts = frame.info().pts;
    file_->write(region_line(std::move(labels), regions, options));
}

void RegionWriter::commit() {
    if (file_) file_->commit();
}

}  // namespace throng
