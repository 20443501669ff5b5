#include "core/video/formats.h"

#include <algorithm>
#include <array>

#include "core/base/extension.h"

namespace throng {
namespace {

constexpr auto kFileFormats = std::to_array<FileFormat>({
    {NameKind::image, true, "apng", ".png"},
    {NameKind::image, true, nullptr, ".jpg .jpeg .jpe .webp .bmp .dib .tif .tiff .ppm .pgm .pbm"},
    {NameKind::image, false, nullptr,
     ".jfif .heic .heif .hif .avif .jp2 .j2k .jpf .jxl .tga .exr .hdr .pfm .pam .pnm .dpx .psd .sgi .pcx .qoi .dds "
     ".ras .ico .cur .dng .cr2 .cr3 .nef .arw .raf .orf .rw2"},
    {NameKind::video, false, "mp4", ".mp4 .m4v"},
    {NameKind::video, false, "mov", ".mov"},
    {NameKind::video, false, "matroska", ".mkv"},
    {NameKind::video, false, "gif", ".gif"},
    {NameKind::video, false, "apng", ".apng"},
    {NameKind::video, false, nullptr,
     ".avi .webm .ts .mpg .mpeg .mpe .mts .m2ts .m2t .wmv .asf .flv .f4v .3gp .3g2 .ogv .ogm .mxf .mjpg .mjpeg .vob "
     ".mod "
     ".tod .trp .dv .y4m .ivf .qt .insv .lrv .dav .h264 .264 .h265 .265 .hevc .obu .m2v .m1v .divx .rm .rmvb .nut "
     ".wtv"},
    {NameKind::other, false, nullptr,
     ".m4a .m4b .mka .oga .ogg .opus .wma .aac .mp3 .wav .flac .thm .aae .xmp .json .jsonl .txt .csv .html .srt .vtt "
     ".md "
     ".xml .pdf .zip"},
});
constexpr FileFormat kUnknownFormat;

}  // namespace

std::span<const FileFormat> file_formats() {
    return kFileFormats;
}

const FileFormat& format_of_name(const std::filesystem::path& path) {
    const std::string extension = lower_extension(path);
    const auto* const found = std::find_if(kFileFormats.begin(), kFileFormats.end(), [&](const FileFormat& format) {
        return extension.size() > 1 &&
               (std::string(format.extensions) + ' ').find(extension + ' ') != std::string::npos;
    });
    return found == kFileFormats.end() ? kUnknownFormat : *found;
}

bool names_animation(const std::filesystem::path& path) {
    const char* muxer = format_of_name(path).muxer;
    return muxer != nullptr && (muxer == std::string_view("gif") || muxer == std::string_view("apng"));
}

bool names_video(const std::filesystem::path& path) {
    return format_of_name(path).muxer != nullptr && !names_animation(path);
}

}  // namespace throng
