#include "core/video/source_files.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/line_reader.h"
#include "core/video/camera_source.h"
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
    // Playlists that were read: folder and file without links and dots. A playlist may name itself by any number of paths.
    std::set<std::pair<fs::path, fs::path>> playlists;
};

fs::path canonical_or_same(const fs::path& path) {
    std::error_code failure;
    fs::path found = fs::canonical(path.empty() ? "." : path, failure);
    return failure ? path : found;
}

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

bool is_space(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

// Takes the next word from a text, without its quotes and backslashes. `quotes`: the characters that quote. escapes: a
// backslash also has its meaning between quotes.
std::string next_word(std::string_view& text, std::string_view quotes, bool escapes) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    std::string word;
    char quote = 0;
    for (; !text.empty() && (quote != 0 || !is_space(text.front())); text.remove_prefix(1)) {
        const char c = text.front();
        if (c == '\\' && (quote == 0 || escapes) && text.size() > 1) {
            text.remove_prefix(1);
            word += text.front();
        } else if (quote == 0 ? quotes.find(c) != std::string_view::npos : c == quote) {
            quote = quote == 0 ? c : '\0';
        } else {
            word += c;
        }
    }
    return word;
}

void add_concat_line(const fs::path& playlist, std::string_view line, Found& found) {
    if (next_word(line, "'", false) == "file") add_entry(playlist, next_word(line, "'", false), found);
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
    if (!found.playlists.emplace(canonical_or_same(path.parent_path()), canonical_or_same(path)).second) return;
    stream.clear();
    stream.seekg(0);
    constexpr std::size_t kMaxEntry = std::size_t{1} << 20U;  // bytes of a line, which names a file
    LineReader lines(stream, path.string(), kMaxEntry);
    static_cast<void>(lines.next());
    while (lines.next()) {
        const std::string_view line =
            lines.line().substr(0, lines.line().find('\0'));  // as FFmpeg and the system read it
        concat ? add_concat_line(path, line, found) : add_m3u8_line(path, line, found);
    }
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

// Collects the value of each property that names a file: `location=a.mp4`, `uri=file:///a.mp4`, `device=/dev/video0`.
void add_pipeline(std::string_view pipeline, Found& found) {
    std::error_code ignored;
    while (!pipeline.empty()) {
        const std::string word = next_word(pipeline, "\"'", true);
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
    } else if (!spec.starts_with("crowd:") && !spec.starts_with("csi:") && !is_camera(spec)) {
        add_path(local_path(spec), found);
    }
}

}  // namespace

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

}  // namespace throng
