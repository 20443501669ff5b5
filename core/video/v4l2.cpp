#include "core/video/v4l2.h"

#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <tuple>

namespace throng::v4l2 {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxWidth = 1920;
constexpr int kMaxHeight = 1080;
constexpr double kFluentRate = 25;

class Device {
public:
    explicit Device(const std::string& path) : descriptor_(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)) {}
    ~Device() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    template <class T>
    bool ask(unsigned long request, T& argument) const {
        if (descriptor_ < 0) return false;
        int status = 0;
        do {
            status = ::ioctl(descriptor_, request, &argument);
        } while (status < 0 && errno == EINTR);
        return status >= 0;
    }

private:
    int descriptor_;
};

std::vector<std::pair<int, std::string>> device_files() {
    std::vector<std::pair<int, std::string>> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/dev", ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.rfind("video", 0) != 0 || name.size() == 5 || name.size() > 9) continue;
        const std::string digits = name.substr(5);
        if (digits.find_first_not_of("0123456789") != std::string::npos) continue;
        found.emplace_back(std::stoi(digits), entry.path().string());
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::uint32_t capabilities(const v4l2_capability& answer) {
    return (answer.capabilities & V4L2_CAP_DEVICE_CAPS) != 0 ? answer.device_caps : answer.capabilities;
}

template <std::size_t n>
std::string text(const __u8 (&field)[n]) {
    std::string result;
    for (std::size_t i = 0; i < n && field[i] != 0; ++i) result += static_cast<char>(field[i]);
    return result;
}

struct Format {
    std::uint32_t fourcc;
    std::string_view name;
    int rank;  // higher is better, for equal size and rate: raw needs no decoding, packed needs conversion
};
constexpr std::array<Format, 6> kFormats = {{{V4L2_PIX_FMT_NV12, "nv12", 3},
                                             {V4L2_PIX_FMT_YUV420, "yuv420p", 3},
                                             {V4L2_PIX_FMT_YUYV, "yuyv422", 2},
                                             {V4L2_PIX_FMT_UYVY, "uyvy422", 2},
                                             {V4L2_PIX_FMT_MJPEG, "mjpeg", 1},
                                             {V4L2_PIX_FMT_GREY, "gray", 0}}};

double fastest_rate(const Device& device, std::uint32_t fourcc, std::uint32_t width, std::uint32_t height) {
    double best = 0;
    v4l2_frmivalenum interval{};
    interval.pixel_format = fourcc;
    interval.width = width;
    interval.height = height;
    for (; device.ask(VIDIOC_ENUM_FRAMEINTERVALS, interval); ++interval.index) {
        const v4l2_fract& shortest =
            interval.type == V4L2_FRMIVAL_TYPE_DISCRETE ? interval.discrete : interval.stepwise.min;
        if (shortest.numerator > 0) best = std::max(best, 1.0 * shortest.denominator / shortest.numerator);
        if (interval.type != V4L2_FRMIVAL_TYPE_DISCRETE) break;
    }
    return best;
}

struct RankedMode {
    Mode mode;
    int rank = 0;
    [[nodiscard]] auto key() const {
        return std::tuple(mode.fps >= kFluentRate || mode.fps == 0, mode.width * mode.height, rank, mode.fps);
    }
};

void consider(const Device& device, const Format& format, std::uint32_t width, std::uint32_t height,
              std::optional<RankedMode>& best) {
    if (width > kMaxWidth || height > kMaxHeight || width == 0 || height == 0) return;
    const RankedMode candidate{{std::string(format.name), static_cast<int>(width), static_cast<int>(height),
                                fastest_rate(device, format.fourcc, width, height)},
                               format.rank};
    if (!best || candidate.key() > best->key()) best = candidate;
}

}  // namespace

std::vector<Camera> cameras() {
    std::vector<Camera> result;
    for (const auto& [number, path] : device_files()) {
        v4l2_capability answer{};
        if (!Device(path).ask(VIDIOC_QUERYCAP, answer)) continue;
        const std::uint32_t can = capabilities(answer);
        const bool captures = (can & (V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_CAPTURE_MPLANE)) != 0;
        const bool transforms = (can & (V4L2_CAP_VIDEO_M2M | V4L2_CAP_VIDEO_M2M_MPLANE)) != 0;
        if (captures && !transforms) result.push_back({number, path, text(answer.card)});
    }
    return result;
}

bool has_memory_to_memory_device() {
    for (const auto& [number, path] : device_files()) {
        v4l2_capability answer{};
        if (!Device(path).ask(VIDIOC_QUERYCAP, answer)) continue;
        if ((capabilities(answer) & (V4L2_CAP_VIDEO_M2M | V4L2_CAP_VIDEO_M2M_MPLANE)) != 0) return true;
    }
    return fs::exists("/dev/nvhost-nvdec") ||
           fs::exists("/dev/v4l2-nvdec");  // the Jetson decoder has a device node of its own
}

std::optional<Mode> best_mode(const std::string& path) {
    const Device device(path);
    std::optional<RankedMode> best;
    for (const Format& format : kFormats) {
        v4l2_frmsizeenum size{};
        size.pixel_format = format.fourcc;
        for (; device.ask(VIDIOC_ENUM_FRAMESIZES, size); ++size.index) {
            if (size.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
                consider(device, format, size.discrete.width, size.discrete.height, best);
                continue;
            }
            const std::uint32_t width = std::min<std::uint32_t>(size.stepwise.max_width, kMaxWidth);
            const std::uint32_t height = std::min<std::uint32_t>(size.stepwise.max_height, kMaxHeight);
            consider(device, format, width, height, best);
            break;
        }
    }
    if (!best) return std::nullopt;
    return best->mode;
}

}  // namespace throng::v4l2
