#include "core/video/file_kind.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/video/coded_image.h"
#include "core/video/formats.h"
#include "core/video/image_file.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kProbedBytes = std::size_t{1} << 16;

// FFmpeg's demuxers of what moves. Those of sound, text and data do not count.
constexpr auto kDemuxers = std::to_array<std::string_view>(
    {"mov", "matroska", "avi",          "mpegts", "mpeg", "mpegvideo", "flv", "asf", "ogg", "h264", "hevc",
     "obu", "ivf",      "yuv4mpegpipe", "dv",     "mxf",  "nut",       "gif", "rm",  "m4v", "dhav", "wtv"});

}  // namespace

FileType find_file_type(const fs::path& path, std::size_t at_most) {
    if (const std::optional<ImageHeader> header = read_image_header(path, ImagePart::kind, at_most)) {
        if (!header->animated || header->kind == ImageKind::webp) return {FileKind::still};
        if (header->kind == ImageKind::jpeg) return {FileKind::video, "mjpeg", true};
        const std::optional<ImageHeader> whole = read_image_header(path, ImagePart::all);
        return {FileKind::animation, "apng", true, whole ? whole->orientation : Orientation()};
    }
    const std::string demuxer = probe_demuxer(read_head(path, kProbedBytes));
    if (std::find(kDemuxers.begin(), kDemuxers.end(), demuxer) == kDemuxers.end()) return {};
    return {demuxer == "gif" ? FileKind::animation : FileKind::video, demuxer};
}

bool is_still_image(const fs::path& path) {
    return find_file_type(path).kind == FileKind::still;
}

bool is_media_file(const std::string& path) {
    const NameKind kind = format_of_name(path).kind;
    return kind == NameKind::unknown ? find_file_type(path).kind != FileKind::unknown : kind != NameKind::other;
}

}  // namespace throng
