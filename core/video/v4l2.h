// The kernel's video devices: which there are, what they can do. Everything here is quick and never throws.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace throng::v4l2 {

struct Camera {
    int number = 0;    // N of /dev/videoN
    std::string path;  // /dev/videoN
    std::string name;  // the driver's name for it
};

// Devices that capture video and can be opened, by number.
[[nodiscard]] std::vector<Camera> cameras();

[[nodiscard]] bool has_memory_to_memory_device();

// The mode to ask a camera for: the largest frame of at most 1920x1080 that comes at 25 frames a second or more,
// MJPEG or raw. None where the driver tells nothing (its default then serves).
struct Mode {
    std::string input_format;  // FFmpeg's name: "mjpeg", "yuyv422", "nv12"…
    int width = 0;
    int height = 0;
    double fps = 0;
};
[[nodiscard]] std::optional<Mode> best_mode(const std::string& path);

}  // namespace throng::v4l2
