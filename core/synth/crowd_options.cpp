#include <charconv>
#include <string>

#include "core/base/error.h"
#include "core/base/key_values.h"
#include "core/synth/crowd.h"

namespace throng {
namespace {

constexpr int kMaxFaces = 5000;
constexpr int kMinSide = 64;
constexpr int kMaxSide = 16384;

[[noreturn]] void reject(std::string_view key, std::string_view value, std::string_view advice) {
    throw Error(ErrorKind::usage, {"invalid value '%1'", std::string(value)}, "crowd: " + std::string(key),
                std::string(advice));
}

template <typename Integer>
Integer whole_number(std::string_view key, std::string_view text, std::string_view advice) {
    Integer value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) reject(key, text, advice);
    return value;
}

double real_number(std::string_view key, std::string_view text, std::string_view advice) {
    double value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) reject(key, text, advice);
    return value;
}

constexpr std::string_view kFacesAdvice = "use a whole number from 0 to 5000";
constexpr std::string_view kSizeAdvice = "use WIDTHxHEIGHT, each from 64 to 16384 pixels";
constexpr std::string_view kSeedAdvice = "use a whole number from 0 to 18446744073709551615";
constexpr std::string_view kFpsAdvice = "use 0.001 to 1000 frames per second";
constexpr std::string_view kFramesAdvice = "use a whole number from 0 (endless) to 1000000000";
constexpr std::string_view kMotionAdvice = "use stand or walk";
constexpr std::string_view kUncoverAdvice = "use a whole number from 0 to the number of faces";

}  // namespace

void check_options(const CrowdOptions& options) {
    if (options.faces < 0 || options.faces > kMaxFaces) reject("faces", std::to_string(options.faces), kFacesAdvice);
    for (const int side : {options.width, options.height}) {
        if (side < kMinSide || side > kMaxSide) {
            reject("size", std::to_string(options.width) + "x" + std::to_string(options.height), kSizeAdvice);
        }
    }
    if (!(options.fps >= kMinCrowdFps && options.fps <= kMaxCrowdFps))
        reject("fps", std::to_string(options.fps), kFpsAdvice);
    if (options.frames < 0 || options.frames > 1000000000)
        reject("frames", std::to_string(options.frames), kFramesAdvice);
    if (options.uncover < -1 || options.uncover > options.faces)
        reject("uncover", std::to_string(options.uncover), kUncoverAdvice);
}

void parse_crowd_size(std::string_view text, CrowdOptions& options) {
    const std::size_t cross = text.find('x');
    if (cross == std::string_view::npos) reject("size", text, kSizeAdvice);
    options.width = whole_number<int>("size", text.substr(0, cross), kSizeAdvice);
    options.height = whole_number<int>("size", text.substr(cross + 1), kSizeAdvice);
}

CrowdOptions parse_crowd_options(std::string_view spec) {
    CrowdOptions options;
    for (const auto& [key, value] : key_values(spec, "crowd: ")) {
        if (key == "faces") {
            options.faces = whole_number<int>(key, value, kFacesAdvice);
        } else if (key == "size") {
            parse_crowd_size(value, options);
        } else if (key == "seed") {
            options.seed = whole_number<std::uint64_t>(key, value, kSeedAdvice);
        } else if (key == "fps") {
            options.fps = real_number(key, value, kFpsAdvice);
        } else if (key == "frames") {
            options.frames = whole_number<std::int64_t>(key, value, kFramesAdvice);
        } else if (key == "motion") {
            const std::optional<CrowdMotion> motion = choice_of(kCrowdMotions, value);
            if (!motion) reject(key, value, kMotionAdvice);
            options.motion = *motion;
        } else if (key == "uncover") {
            options.uncover = whole_number<int>(key, value, kUncoverAdvice);
            if (options.uncover < 0) reject(key, value, kUncoverAdvice);
        } else {
            throw Error(ErrorKind::usage, {"unknown option '%1'", std::string(key)}, "crowd:",
                        "valid options are faces, size, seed, fps, frames, motion and uncover, as in "
                        "crowd:faces=60,size=1920x1080,seed=1");
        }
    }
    check_options(options);
    return options;
}

}  // namespace throng
