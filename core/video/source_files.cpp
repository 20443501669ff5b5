#include "core/video/source_files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/extension.h"
#include "core/video/av.h"
#include "core/video/camera_source.h"
#include "core/video/image_file.h"
#include "core/video/url.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

std::string local_path(std::string_view text) {
    if (std::optional<std::string> path = file_url_path(text)) return *std::move(path);
    return url_scheme(text).empty() ? std::string(text) : std::string();
}

struct Found : SourceFiles {
    std::set<std::string> known;  // of `files`
};

void add_file(const fs::path& path, Found& found) {
    if (found.known.insert(path.string()).second) found.files.push_back(path.string());
}

// Adds a file that the playlist names.
void add_entry(const fs::path& playlist, const std::string& text, Found& found) {
    const std::string entry = local_path(text);
    if (entry.empty()) return;
    add_file(playlist.parent_path() / entry, found);
    // FFmpeg may resolve a path after "file:" relative to the current folder.
    if (entry != text) add_file(entry, found);
}

// Reads one word of a list for FFmpeg's concat format: quoted parts, and backslashes outside them.
std::string next_token(std::string_view& line) {
    constexpr std::string_view kSpace = " \t\r\n";
    line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
    std::string token;
    bool quoted = false;
    for (; !line.empty() && (quoted || kSpace.find(line.front()) == std::string_view::npos); line.remove_prefix(1)) {
        if (line.front() == '\'') {
            quoted = !quoted;
            continue;
        }
        if (line.front() == '\\' && !quoted && line.size() > 1) line.remove_prefix(1);
        token += line.front();
    }
    return token;
}

void add_concat_line(const fs::path& playlist, std::string_view line, Found& found) {
    if (next_token(line) == "file") add_entry(playlist, next_token(line), found);
}

// A line is a file; tags name others as URI="…": keys, initialization sections, variants.
void add_m3u8_line(const fs::path& playlist, std::string_view line, Found& found) {
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    if (line.empty()) return;
    if (line.front() != '#') return add_entry(playlist, std::string(line), found);
    constexpr std::string_view kUri = "URI=\"";
    const std::size_t uri = line.find(kUri);
    if (uri == std::string_view::npos) return;
    const std::string_view value = line.substr(uri + kUri.size());
    add_entry(playlist, std::string(value.substr(0, value.find('"'))), found);
}

// A DASH manifest names its segments by templates: every file of its folder may be one.
void add_dash(const fs::path& manifest, Found& found) {
    found.complete = false;
    const fs::path folder = manifest.parent_path();
    std::set<fs::path> files;  // in an order that does not depend on the disk
    std::error_code failure;
    for (fs::directory_iterator it(folder.empty() ? "." : folder, failure), end; !failure && it != end;
         it.increment(failure)) {
        std::error_code ignored;
        if (it->is_regular_file(ignored)) files.insert(folder / it->path().filename());
    }
    for (const fs::path& file : files) add_file(file, found);
}

// Adds the files that a playlist names; other files name none.
void add_playlist(const fs::path& path, Found& found) {
    constexpr std::size_t kHead = 1024;  // bytes in which FFmpeg's marks are
    std::ifstream stream(path, std::ios::binary);
    std::string head(kHead, '\0');
    stream.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(stream.gcount()));
    const bool concat = head.starts_with("ffconcat");
    if (!concat && !head.starts_with("#EXTM3U")) {
        if (head.find("<MPD") != std::string::npos) add_dash(path, found);
        return;
    }
    stream.clear();
    stream.seekg(0);
    std::string line;
    std::getline(stream, line);
    while (std::getline(stream, line)) concat ? add_concat_line(path, line, found) : add_m3u8_line(path, line, found);
}

// Adds what the files so far name. A playlist may name playlists.
void add_named_files(Found& found) {
    for (std::size_t i = 0; i < found.files.size(); ++i) {
        const fs::path file = found.files[i];
        std::error_code ignored;
        if (fs::is_regular_file(file, ignored)) add_playlist(file, found);
    }
}

void add_path(const std::string& path, Found& found) {
    std::error_code ignored;
    if (path.empty()) return;
    if (fs::is_directory(path, ignored)) {
        found.folders.push_back(path);
        return;
    }
    add_file(path, found);
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
void add_pipeline(std::string_view pipeline, Found& found) {
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

void add_source(std::string_view spec, Found& found) {
    if (spec.starts_with("mosaic:")) {
        add_source(spec.substr(spec.find(':') + 1), found);
    } else if (spec.starts_with("gst:")) {
        add_pipeline(spec.substr(spec.find(':') + 1), found);
    } else if (!spec.starts_with("crowd:") && !is_camera(spec)) {
        add_path(local_path(spec), found);
    }
}

bool has_extension_of(std::span<const std::string_view> known, const fs::path& path) {
    return std::find(known.begin(), known.end(), lower_extension(path)) != known.end();
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

std::string find_demuxer(const fs::path& path) {
    static constexpr auto kDemuxers = std::to_array<std::string_view>(
        {"mov",      "matroska", "avi",      "mpegts",   "mpeg",     "mpegvideo",    "flv",         "asf",
         "ogg",      "h264",     "hevc",     "obu",      "ivf",      "yuv4mpegpipe", "dv",          "mxf",
         "nut",      "gif",      "rm",       "m4v",      "dhav",     "wtv",          "jpegxl_pipe", "j2k_pipe",
         "exr_pipe", "dpx_pipe", "psd_pipe", "sgi_pipe", "qoi_pipe", "dds_pipe"});
    constexpr int kCertain = AVPROBE_SCORE_EXTENSION + 1;
    std::vector<std::uint8_t> bytes = read_head(path, std::size_t{1} << 16);
    const std::size_t size = bytes.size();
    if (size == 0) return {};
    bytes.resize(size + AVPROBE_PADDING_SIZE);
    const AVProbeData data{"", bytes.data(), static_cast<int>(size), nullptr};
    int score = 0;
    const AVInputFormat* format = av_probe_input_format3(&data, 1, &score);
    if (format == nullptr || score < kCertain) return {};
    std::string_view name = format->name;
    name = name.substr(0, name.find(','));
    return std::find(kDemuxers.begin(), kDemuxers.end(), name) != kDemuxers.end() ? std::string(name) : std::string();
}

SourceFiles files_of_source(std::string_view spec) {
    Found found;
    add_source(spec, found);
    add_named_files(found);
    return found;
}

std::vector<std::string> files_of_file(const std::string& path) {
    Found found;
    add_file(path, found);
    add_named_files(found);
    return std::move(found.files);
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
    return !has_extension_of(kOthers, path) && (is_still_image(path) || !find_demuxer(path).empty());
}

}  // namespace throng
