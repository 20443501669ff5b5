#include "core/video/camera_source.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/video/media_source.h"
#include "core/video/v4l2.h"

namespace throng {
namespace {

constexpr std::string_view kCamera = "camera:";
constexpr std::string_view kDevice = "/dev/video";

std::string cameras_in_words() {
    std::string text;
    for (const v4l2::Camera& camera : v4l2::cameras()) {
        text += (text.empty() ? "available: camera:" : ", camera:") + std::to_string(camera.number) + " (" +
                camera.name + ")";
    }
    return text.empty() ? "no camera is connected" : text;
}

// "/dev/videoN"
std::string device_path(std::string_view spec) {
    const std::string_view number =
        spec.substr(spec.substr(0, kCamera.size()) == kCamera ? kCamera.size() : kDevice.size());
    const bool digits = !number.empty() && number.size() <= 4 &&
                        std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits)
        throw Error(ErrorKind::usage, "not a camera number", std::string(spec), "use camera:0 for the first one");
    return std::string(kDevice) + std::to_string(std::stoi(std::string(number)));
}

}  // namespace

bool is_camera(std::string_view spec) {
    return spec.substr(0, kCamera.size()) == kCamera || spec.substr(0, kDevice.size()) == kDevice;
}

std::unique_ptr<VideoSource> open_camera(std::string_view spec, const SourceOptions& options,
                                         const std::stop_token& stop) {
    const std::string path = device_path(spec);
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
        throw Error(ErrorKind::input, "no such camera", std::string(spec), cameras_in_words());
    }
    MediaRequest request;
    request.url = path;
    request.shown = std::string(spec);
    request.input_format = "v4l2";
    request.device = true;
    request.live = true;
    request.source = options;
    if (const auto mode = v4l2::best_mode(path)) {
        request.options = {{"input_format", mode->input_format},
                           {"video_size", std::to_string(mode->width) + "x" + std::to_string(mode->height)}};
        if (mode->fps > 0) request.options.emplace_back("framerate", short_number(mode->fps));
    }
    for (bool own_mode = false;; own_mode = true) {
        try {
            return open_media(request, stop);
        } catch (const Error& failure) {
            if (failure.kind() != ErrorKind::input) throw;
            if (own_mode) throw Error(ErrorKind::input, failure.problem(), request.shown, cameras_in_words());
            logger().debug("{}: {}; trying the driver's own mode", path, failure.problem().text());
        }
        request.options.clear();
    }
}

std::vector<CameraInfo> list_cameras() {
    std::vector<CameraInfo> result;
    for (const v4l2::Camera& camera : v4l2::cameras()) {
        result.push_back({"camera:" + std::to_string(camera.number), camera.name});
    }
    return result;
}

}  // namespace throng
