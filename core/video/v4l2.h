// Lists the V4L2 devices and their capabilities. All functions are fast and do not throw.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace throng::v4l2 {

struct Camera {
    int number = 0;    // N of /dev/videoN
    std::string path;  // /dev/videoN
    std::string name;  // as the driver reports it
};

// Returns the devices that capture video and can be opened, ordered by number.
[[nodiscard]] std::vector<Camera> cameras();

[[nodiscard]] bool has_memory_to_memory_device();

// The mode to request from a camera: the largest frame of at most 1920x1080 at 25 frames per second or more, MJPEG or
// raw. best_mode returns none if the driver reports no modes; use its default then.
struct Mode {
    std::string input_format;  // FFmpeg's name: "mjpeg", "yuyv422", "nv12"…
    int width = 0;
    int height = 0;
    double fps = 0;
};
[[nodiscard]] std::optional<Mode> best_mode(const std::string& path);

}  // namespace throng::v4l2
