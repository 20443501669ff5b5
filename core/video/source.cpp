#include "core/video/source.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "core/video/image_file.h"
#include "core/video/image_source.h"
#include "core/video/media_file_source.h"
#include "core/video/url.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

using Source = std::unique_ptr<VideoSource>;

bool has_prefix(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

bool is_motion_jpeg(const fs::path& path) {
    const std::string extension = path.extension().string();
    return extension == ".mjpg" || extension == ".mjpeg";
}

Source open_path(std::string_view spec, const SourceOptions& options) {
    const std::string path = url_scheme(spec) == "file" ? file_url_path(spec) : std::string(spec);
    struct stat status {};
    if (path.empty() || ::stat(path.c_str(), &status) != 0) {
        throw Error(ErrorKind::input, path.empty() ? "no source is named" : std::strerror(path.empty() ? 0 : errno),
                    path, "check the path");
    }
    if (S_ISDIR(status.st_mode)) return open_image_folder(path);
    if (S_ISREG(status.st_mode) && status.st_size == 0) throw Error(ErrorKind::input, "the file is empty", path);
    if (S_ISREG(status.st_mode) && is_still_image(path) && !is_motion_jpeg(path)) return open_image(path);
    return open_media_file(file_request(path, options));
}

// The first kind that matches opens the source; a path is what is left.
struct SourceKind {
    bool (*matches)(std::string_view spec);
    Source (*open)(std::string_view spec, const SourceOptions& options);
};
constexpr std::array<SourceKind, 1> kKinds = {{
    {[](std::string_view) { return true; }, open_path},
}};

}  // namespace

std::unique_ptr<VideoSource> open_source(std::string_view spec, const SourceOptions& options) {
    const auto kind =
        std::find_if(kKinds.begin(), kKinds.end(), [spec](const SourceKind& k) { return k.matches(spec); });
    return kind->open(spec, options);
}

std::vector<CameraInfo> list_cameras() {
    return {};
}

}  // namespace throng
