#include "core/video/annotate.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>

#include "core/algo/nms_rules.h"

namespace throng {
namespace {

// Blue, green, red.
using Color = cv::Vec3b;
Color without_alpha(const BoxColor& color) {
    return {color.blue, color.green, color.red};
}
const Color kDark{20, 16, 12};
const Color kLandmark{92, 206, 255};
const Color kRaw{255, 236, 200};
constexpr int kRawOpacity = 96;  // of 256
constexpr int kHaloOpacity = 128;
const std::array<Color, 3> kScale = {{{28, 138, 255}, {60, 222, 250}, {140, 232, 60}}};  // low to high score

constexpr int kPixelsPerStroke = 400;  // pixels of the image's shorter side per pixel of line width

// Returns the pixels of the frame, which change.
cv::Mat_<Color> canvas_of(WritableFrame& frame) {
    return {frame.info().height, frame.info().width, reinterpret_cast<Color*>(frame.data(0)),
            static_cast<std::size_t>(frame.plane(0).pitch)};
}

// Calls use(Color&) for each pixel of the box that exists.
template <class Use>
void for_each_pixel(const cv::Mat_<Color>& canvas, const cv::Rect& box, const Use& use) {
    cv::Mat_<Color> part = canvas(box & cv::Rect({}, canvas.size()));
    for (int y = 0; y < part.rows; ++y) std::for_each_n(part[y], part.cols, use);
}

void fill(const cv::Mat_<Color>& canvas, const cv::Rect& box, const Color& color) {
    for_each_pixel(canvas, box, [&](Color& pixel) { pixel = color; });
}

void blend(const cv::Mat_<Color>& canvas, const cv::Rect& box, const Color& color, int opacity) {
    const int rest = 256 - opacity;
    const cv::Vec3i added(color[0] * opacity, color[1] * opacity, color[2] * opacity);
    for_each_pixel(canvas, box, [&](Color& pixel) {
        for (int c = 0; c < 3; ++c) pixel[c] = static_cast<std::uint8_t>((pixel[c] * rest + added[c]) >> 8);
    });
}

// Returns the outline of the box, `stroke` pixels wide and inside the box. Has no pixel twice.
std::array<cv::Rect, 4> sides(const cv::Rect& box, int stroke) {
    const int top = std::min(stroke, box.height);
    const int bottom = std::min(stroke, box.height - top);
    const int left = std::min(stroke, box.width);
    const int right = std::min(stroke, box.width - left);
    const int between = box.height - top - bottom;
    return {{{box.x, box.y, box.width, top},
             {box.x, box.y + box.height - bottom, box.width, bottom},
             {box.x, box.y + top, left, between},
             {box.x + box.width - right, box.y + top, right, between}}};
}

cv::Rect grown(const cv::Rect& box, int by) {
    return {box.x - by, box.y - by, box.width + 2 * by, box.height + 2 * by};
}

bool drawable(const Detection& detection) {
    return is_valid_detection(detection.box, detection.score) && std::isfinite(detection.box.x + detection.box.w);
}

// Rounds to whole pixels. Clamps coordinates far outside the image, so that they fit an int.
cv::Rect pixel_box(const Box& box, const cv::Size& size) {
    const auto pixel = [](float value, int side) {
        const auto limit = static_cast<float>(side) + 64;
        return static_cast<int>(std::lround(std::clamp(value, -limit, 2 * limit)));
    };
    const int left = pixel(box.x, size.width);
    const int top = pixel(box.y, size.height);
    return {left, top, std::max(pixel(box.x + box.w, size.width) - left, 1),
            std::max(pixel(box.y + box.h, size.height) - top, 1)};
}

Color color_of(float score, float low, float high) {
    const float position = high > low ? std::clamp((score - low) / (high - low), 0.0F, 1.0F) : 1.0F;
    const float scaled = position * static_cast<float>(kScale.size() - 1);
    const auto index = std::min(static_cast<std::size_t>(scaled), kScale.size() - 2);
    const float part = scaled - static_cast<float>(index);
    const auto mix = [part](std::uint8_t a, std::uint8_t b) {
        return static_cast<std::uint8_t>(
            std::lround(static_cast<float>(a) * (1 - part) + static_cast<float>(b) * part));
    };
    const Color& from = kScale[index];
    const Color& to = kScale[index + 1];
    return {mix(from[0], to[0]), mix(from[1], to[1]), mix(from[2], to[2])};
}

std::string label_of(const Detection& detection) {
    const int decimals = std::abs(detection.score) < 100 ? 2 : 0;
    std::string text = fmt::format("{:.{}f}", detection.score, decimals);
    if (detection.hits > 1) text += fmt::format(" x{}", detection.hits);
    return text;
}

void draw_label(const cv::Mat_<Color>& canvas, const cv::Rect& box, const std::string& text, Color color, int stroke) {
    const double scale = 0.25 + 0.12 * stroke;
    int baseline = 0;
    const cv::Size size = cv::getTextSize(text, cv::FONT_HERSHEY_SIMPLEX, scale, 1, &baseline);
    const int pad = stroke + 1;
    const int height = size.height + 2 * pad;
    const int top = box.y >= height ? box.y - height : box.y;  // above the box, or inside it at the top
    const int left = std::clamp(box.x, 0, std::max(canvas.cols - size.width - 2 * pad, 0));
    fill(canvas, {left, top, size.width + 2 * pad, height}, color);
    cv::putText(canvas, text, {left + pad, top + height - pad}, cv::FONT_HERSHEY_SIMPLEX, scale, cv::Scalar(kDark), 1,
                cv::LINE_AA);
}

int stroke_of(const cv::Mat_<Color>& canvas) {
    return std::clamp((std::min(canvas.cols, canvas.rows) + kPixelsPerStroke / 2) / kPixelsPerStroke, 2, 12);
}

void draw_edge(const cv::Mat_<Color>& canvas, const cv::Rect& box, int stroke, Color color) {
    for (const cv::Rect& side : sides(grown(box, 1), stroke + 2)) blend(canvas, side, kDark, kHaloOpacity);
    for (const cv::Rect& side : sides(box, stroke)) fill(canvas, side, color);
}

// Returns the color of a hue in [0, 1), bright enough for a dark text on it.
Color color_of(double hue) {
    const auto channel = [hue](double offset) {
        const double turn = std::fmod(hue + offset, 1.0);
        const double level = std::clamp(std::abs(6 * turn - 3) - 1, 0.0, 1.0);
        return static_cast<std::uint8_t>(std::lround(90 + 165 * level));
    };
    return {channel(1.0 / 3), channel(2.0 / 3), channel(0)};
}

void draw_kept(const cv::Mat_<Color>& canvas, const std::vector<Detection>& kept, const AnnotateStyle& style) {
    const int stroke = stroke_of(canvas);
    float low = style.low_score;
    float high = style.high_score;
    if (!(high > low) && !kept.empty()) {
        const auto [least, most] = std::minmax_element(
            kept.begin(), kept.end(), [](const Detection& a, const Detection& b) { return a.score < b.score; });
        low = least->score;
        high = most->score;
    }
    const auto color = [&](const Detection& detection) {
        return style.screen ? without_alpha(kScreenKept) : color_of(detection.score, low, high);
    };
    for (const Detection& detection : kept) {
        if (!drawable(detection)) continue;
        const cv::Rect box = pixel_box(detection.box, canvas.size());
        draw_edge(canvas, box, stroke, color(detection));
    }
    if (!style.labels) return;
    for (const Detection& detection : kept) {  // after all boxes, so that no box covers a label
        if (!drawable(detection)) continue;
        draw_label(canvas, pixel_box(detection.box, canvas.size()), label_of(detection), color(detection), stroke);
    }
}

}  // namespace

double track_hue(std::int64_t id) {
    constexpr double kGoldenRatio = 0.6180339887498949;
    const double turns = static_cast<double>(id) * kGoldenRatio;
    return turns - std::floor(turns);
}

void draw_tracks(WritableFrame& frame, const std::vector<Track>& tracks) {
    const cv::Mat_<Color> canvas = canvas_of(frame);
    const int stroke = stroke_of(canvas);
    const auto box_of = [&](const Track& track) { return pixel_box(track.smoothed, canvas.size()); };
    for (const Track& track : tracks) {
        if (!track.confirmed || track.covered) continue;
        draw_edge(canvas, box_of(track), track.state == TrackState::predicted ? 1 : stroke,
                  color_of(track_hue(track.id)));
    }
    for (const Track& track : tracks) {  // after all boxes, so that no box covers a label
        if (!track.confirmed || track.covered) continue;
        draw_label(canvas, box_of(track), std::to_string(track.id), color_of(track_hue(track.id)), stroke);
    }
}

void draw_landmarks(WritableFrame& frame, const DetectionSet& kept) {
    if (kept.landmarks.size() != kept.detections.size()) return;
    const cv::Mat_<Color> canvas = canvas_of(frame);
    for (std::size_t i = 0; i < kept.landmarks.size(); ++i) {
        const Detection& face = kept.detections[i];
        if (!drawable(face)) continue;
        const float dot = std::clamp(face.box.w / 14, 1.0F, 12.0F);
        const float* xy = kept.landmarks[i].xy;
        for (int point = 0; point < 5; ++point, xy += 2) {
            const float x = xy[0];
            const float y = xy[1];
            if (!std::isfinite(x) || !std::isfinite(y)) continue;
            const cv::Rect area = pixel_box({x - dot / 2, y - dot / 2, dot, dot}, canvas.size());
            if (dot >= 2) blend(canvas, grown(area, 1), kDark, kHaloOpacity);
            fill(canvas, area, kLandmark);
        }
    }
}

void annotate(WritableFrame& frame, const std::vector<Detection>& kept, const std::vector<Detection>& raw,
              const AnnotateStyle& style) {
    const cv::Mat_<Color> canvas = canvas_of(frame);
    if (style.raw) {
        const Color color = style.screen ? without_alpha(kScreenRaw) : kRaw;
        const int opacity = style.screen ? kScreenRaw.alpha * 256 / 255 : kRawOpacity;
        for (const Detection& detection : raw) {
            if (!drawable(detection)) continue;
            for (const cv::Rect& side : sides(pixel_box(detection.box, canvas.size()), 1))
                blend(canvas, side, color, opacity);
        }
    }
    if (style.kept) draw_kept(canvas, kept, style);
}

}  // namespace throng
