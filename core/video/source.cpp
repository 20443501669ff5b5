#include "core/video/source.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "core/base/error.h"
#include "core/video/camera_source.h"
#include "core/video/crowd_source.h"
#include "core/video/file_kind.h"
#include "core/video/gstreamer_source.h"
#include "core/video/image_source.h"
#include "core/video/media_source.h"
#include "core/video/mosaic_source.h"
#include "core/video/url.h"

namespace throng {
namespace {

using Source = std::unique_ptr<VideoSource>;

Source open_path(std::string_view spec, const SourceOptions& options, const std::stop_token& stop) {
    const std::string path = file_url_path(spec).value_or(std::string(spec));
    struct stat status {};
    if (path.empty() || ::stat(path.c_str(), &status) != 0) {
        const Message why = path.empty() ? "no source specified" : std::generic_category().message(errno).c_str();
        throw Error(ErrorKind::input, why, path, "check the path");
    }
    const ImageSizes sizes = options.in_strips ? ImageSizes::strips : ImageSizes::whole;
    if (S_ISDIR(status.st_mode)) return open_image_folder(path, sizes, stop);
    if (S_ISREG(status.st_mode) && status.st_size == 0) throw Error(ErrorKind::input, "the file is empty", path);
    if (S_ISREG(status.st_mode) && is_still_image(path)) return open_image(path, sizes, stop);
    return open_media(file_request(path, options), stop);
}

// The mosaic is composed on the host. Messages name the inner source.
Source open_mosaic(std::string_view spec, const SourceOptions& options, const std::stop_token& stop) {
    SourceOptions on_host = options;
    on_host.prefer_device_frames = false;
    return make_mosaic(open_source(spec.substr(spec.find(':') + 1), on_host, stop));
}

bool is_address(std::string_view spec) {
    return !url_scheme(spec).empty() && url_scheme(spec) != "file";
}

// The first kind that matches opens the source. The last one, a path, always matches.
struct SourceKind {
    bool (*matches)(std::string_view spec);
    Source (*open)(std::string_view spec, const SourceOptions& options, const std::stop_token& stop);
};
constexpr std::array<SourceKind, 7> kKinds = {{
    {[](std::string_view spec) { return spec.starts_with("mosaic:"); }, open_mosaic},
    {[](std::string_view spec) { return spec.starts_with("crowd:"); },
     [](std::string_view spec, const SourceOptions&, const std::stop_token&) { return open_crowd(spec); }},
    {[](std::string_view spec) { return spec.starts_with("gst:"); }, open_gstreamer},
    {[](std::string_view spec) { return spec.starts_with("csi:"); }, open_csi},
    {is_camera, open_camera},
    {is_address, open_network},
    {[](std::string_view) { return true; }, open_path},
}};

}  // namespace

std::unique_ptr<VideoSource> open_source(std::string_view spec, const SourceOptions& options, std::stop_token stop) {
    const auto kind =
        std::find_if(kKinds.begin(), kKinds.end(), [spec](const SourceKind& k) { return k.matches(spec); });
    return kind->open(spec, options, stop);
}

}  // namespace throng
