#include "core/video/source_files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "core/video/av.h"
#include "core/video/camera_source.h"
#include "core/video/image_file.h"
#include "core/video/url.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxPlaylist = 1 << 20;  // bytes; larger files are not playlists

std::string local_path(std::string_view text) {
    if (std::optional<std::string> path = file_url_path(text)) return *std::move(path);
    return url_scheme(text).empty() ? std::string(text) : std::string();
}

// The entries of an M3U8 playlist or of a list for FFmpeg's concat format.
void add_playlist(const fs::path& path, SourceFiles& found) {
    std::error_code failure;
    const std::uintmax_t size = fs::file_size(path, failure);
    if (failure || size > kMaxPlaylist) return;
    std::ifstream stream(path);
    std::string line;
    std::getline(stream, line);
    const bool concat = line.starts_with("ffconcat");
    if (!concat && !line.starts_with("#EXTM3U")) return;
    while (std::getline(stream, line)) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (concat && line.starts_with("file ")) {
            line.erase(0, 5);
            if (line.size() >= 2 && line.front() == '\'' && line.back() == '\'') line = line.substr(1, line.size() - 2);
        } else if (concat || line.empty() || line.front() == '#') {
            continue;
        }
        const std::string entry = local_path(line);
        if (entry.empty()) continue;
        found.files.push_back((path.parent_path() / entry).string());
        // FFmpeg may resolve a path after "file:" relative to the current folder.
        if (entry != line) found.files.push_back(entry);
    }
}

void add_path(const std::string& path, SourceFiles& found) {
    std::error_code ignored;
    if (path.empty()) return;
    if (fs::is_directory(path, ignored)) {
        found.folders.push_back(path);
        return;
    }
    found.files.push_back(path);
    if (fs::is_regular_file(path, ignored)) add_playlist(path, found);
}

// Reads one word of a pipeline in gst-launch syntax and removes quotes and backslashes.
std::string next_word(std::string_view text, std::size_t& at) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
    std::string word;
    char quote = 0;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '\\' && at + 1 < text.size()) {
            word += text[++at];
        } else if (quote != 0) {
            if (c == quote)
                quote = 0;
            else
                word += c;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            break;
        } else {
            word += c;
        }
    }
    return word;
}

// Collects the value of each property that names a file: `location=a.mp4`, `uri=file:///a.mp4`, `device=/dev/video0`.
void add_pipeline(std::string_view pipeline, SourceFiles& found) {
    std::error_code ignored;
    for (std::size_t at = 0; at < pipeline.size();) {
        const std::string word = next_word(pipeline, at);
        // These elements read a numbered series, a folder or a whole disc.
        for (const char* element : {"multifile", "splitfile", "splitmux", "imagesequence", "dvd", "cdda"}) {
            if (word.find(element) != std::string::npos) found.complete = false;
        }
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos) continue;
        std::string value = word.substr(equals + 1);
        // GStreamer decodes this form of a URL, too.
        if (value.starts_with("file:/") && !value.starts_with("file://")) value.insert(5, "//");
        const std::string path = local_path(value);
        if (path.empty() || !fs::exists(path, ignored)) continue;
        add_path(path, found);
        if (fs::is_directory(path, ignored)) found.complete = false;
    }
}

void add_source(std::string_view spec, SourceFiles& found) {
    if (spec.starts_with("mosaic:")) {
        add_source(spec.substr(spec.find(':') + 1), found);
    } else if (spec.starts_with("gst:")) {
        add_pipeline(spec.substr(spec.find(':') + 1), found);
    } else if (!spec.starts_with("crowd:") && !is_camera(spec)) {
        add_path(local_path(spec), found);
    }
}

bool has_extension_of(std::span<const std::string_view> known, const fs::path& path) {
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::find(known.begin(), known.end(), extension) != known.end();
}

// Returns true if FFmpeg recognizes a video by the first bytes of the file. Formats of sound, text and data do not count.
bool begins_as_video(const fs::path& path) {
    static constexpr auto kDemuxers = std::to_array<std::string_view>(
        {"mov",      "matroska", "avi",      "mpegts",   "mpeg",     "mpegvideo",    "flv",         "asf",
         "ogg",      "h264",     "hevc",     "obu",      "ivf",      "yuv4mpegpipe", "dv",          "mxf",
         "nut",      "gif",      "rm",       "m4v",      "dhav",     "wtv",          "jpegxl_pipe", "j2k_pipe",
         "exr_pipe", "dpx_pipe", "psd_pipe", "sgi_pipe", "qoi_pipe", "dds_pipe"});
    constexpr int kCertain = AVPROBE_SCORE_EXTENSION + 1;
    std::vector<std::uint8_t> bytes = read_head(path, std::size_t{1} << 16);
    const std::size_t size = bytes.size();
    if (size == 0) return false;
    bytes.resize(size + AVPROBE_PADDING_SIZE);
    const AVProbeData data{"", bytes.data(), static_cast<int>(size), nullptr};
    int score = 0;
    const AVInputFormat* format = av_probe_input_format3(&data, 1, &score);
    if (format == nullptr || score < kCertain) return false;
    const std::string_view names = format->name;
    return std::find(kDemuxers.begin(), kDemuxers.end(), names.substr(0, names.find(','))) != kDemuxers.end();
}

}  // namespace

std::span<const std::string_view> video_extensions() {
    static constexpr auto kExtensions = std::to_array<std::string_view>(
        {".mp4",   ".mkv",  ".mov", ".avi",  ".webm", ".m4v",  ".ts",   ".gif", ".mpg",  ".mpeg",
         ".mts",   ".m2ts", ".wmv", ".flv",  ".3gp",  ".ogv",  ".apng", ".asf", ".mxf",  ".mjpg",
         ".mjpeg", ".vob",  ".mod", ".tod",  ".trp",  ".m2t",  ".dv",   ".y4m", ".ivf",  ".qt",
         ".f4v",   ".insv", ".lrv", ".dav",  ".h264", ".264",  ".h265", ".265", ".hevc", ".obu",
         ".m2v",   ".m1v",  ".3g2", ".divx", ".rm",   ".rmvb", ".nut",  ".ogm", ".wtv",  ".mpe"});
    return kExtensions;
}

bool has_video_extension(const fs::path& path) {
    return has_extension_of(video_extensions(), path);
}

SourceFiles files_of_source(std::string_view spec) {
    SourceFiles found;
    add_source(spec, found);
    return found;
}

bool is_media_file(const std::string& path) {
    // Other images that FFmpeg reads, and raw images: what cannot be read must be named.
    static constexpr auto kImages = std::to_array<std::string_view>(
        {".jp2", ".j2k", ".jxl", ".tga", ".exr", ".dpx", ".psd", ".sgi", ".pcx", ".qoi", ".dds", ".ras",
         ".dng", ".cr2", ".cr3", ".nef", ".arw", ".raf", ".orf", ".rw2", ".hdr", ".pam", ".pnm", ".jpf"});
    // Sound in containers of videos, and sidecars that begin like images.
    static constexpr auto kOthers = std::to_array<std::string_view>(
        {".m4a", ".m4b",  ".mka",   ".oga", ".ogg", ".opus", ".wma", ".aac", ".mp3", ".wav", ".flac", ".thm", ".aae",
         ".xmp", ".json", ".jsonl", ".txt", ".csv", ".html", ".srt", ".vtt", ".md",  ".xml", ".pdf",  ".zip"});
    if (has_image_extension(path) || has_video_extension(path) || has_extension_of(kImages, path)) return true;
    return !has_extension_of(kOthers, path) && (is_still_image(path) || begins_as_video(path));
}

}  // namespace throng
