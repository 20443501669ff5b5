#include "core/video/video_division.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/video/demuxer.h"
#include "core/video/file_kind.h"
#include "core/video/formats.h"
#include "core/video/image_file.h"

namespace throng {
namespace {

constexpr double kMaxParts = 99'999;  // names have five digits

}  // namespace

Division divide_video(const std::string& path, double seconds, const std::stop_token& stop) {
    const bool is_video = format_of_name(path).kind == NameKind::video;
    const auto whole = [&](std::string why) { return Division{1, std::move(why), !is_video}; };
    try {
        if (is_still_image(path)) return whole("it is an image");
        const Demuxer demuxer(file_request(path, {}), stop);
        const std::optional<double> duration = demuxer.duration();
        if (!demuxer.seekable() || !demuxer.has_index()) return whole("its format cannot seek");
        if (!duration) return whole("its duration is unknown");
        if (demuxer.has_one_key_frame()) return whole("it has no key frames to begin at but the first");
        const double parts = std::round(*duration / seconds);
        if (parts < 2) return {1, "it is short", true};
        return {static_cast<int>(std::min(parts, kMaxParts)), {}, false};
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::interrupted) throw;
        return whole("it cannot be opened");  // processing it reports why
    }
}

}  // namespace throng
