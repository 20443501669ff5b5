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

struct Color {
    std::uint8_t b, g, r;
};
constexpr Color without_alpha(const BoxColor& color) {
    return {color.blue, color.green, color.red};
}
constexpr Color kDark{20, 16, 12};
constexpr Color kLandmark{92, 206, 255};
constexpr Color kRaw{255, 236, 200};
constexpr int kRawOpacity = 96;  // of 256
constexpr int kHaloOpacity = 128;
constexpr std::array<Color, 3> kScale = {{{28, 138, 255}, {60, 222, 250}, {140, 232, 60}}};  // low to high score

constexpr int kPixelsPerStroke = 400;  // pixels of the image's shorter side per pixel of line width

// A rectangle of whole pixels, right and bottom excluded.
struct PixelBox {
    int left, top, right, bottom;
    [[nodiscard]] bool empty() const { return left >= right || top >= bottom; }
};

PixelBox clipped(const PixelBox& box, int width, int height) {
    return {std::max(box.left, 0), std::max(box.top, 0), std::min(box.right, width), std::min(box.bottom, height)};
}

class Canvas {
public:
    explicit Canvas(WritableFrame& frame)
        : data_(frame.data(0)),
          pitch_(frame.plane(0).pitch),
          width_(frame.info().width),
          height_(frame.info().height) {}

    [[nodiscard]] int width() const { return width_; }
    [[nodiscard]] int height() const { return height_; }
    [[nodiscard]] cv::Mat mat() const { return {height_, width_, CV_8UC3, data_, static_cast<std::size_t>(pitch_)}; }

    void fill(PixelBox box, Color color) {
        box = clipped(box, width_, height_);
        for (int y = box.top; y < box.bottom; ++y) {
            std::uint8_t* pixel = at(box.left, y);
            for (int x = box.left; x < box.right; ++x, pixel += 3) {
                pixel[0] = color.b;
                pixel[1] = color.g;
                pixel[2] = color.r;
            }
        }
    }

    void blend(PixelBox box, Color color, int opacity) {
        box = clipped(box, width_, height_);
        const int rest = 256 - opacity;
        const int b = color.b * opacity;
        const int g = color.g * opacity;
        const int r = color.r * opacity;
        for (int y = box.top; y < box.bottom; ++y) {
            std::uint8_t* pixel = at(box.left, y);
            for (int x = box.left; x < box.right; ++x, pixel += 3) {
                pixel[0] = static_cast<std::uint8_t>((pixel[0] * rest + b) >> 8);
                pixel[1] = static_cast<std::uint8_t>((pixel[1] * rest + g) >> 8);
                pixel[2] = static_cast<std::uint8_t>((pixel[2] * rest + r) >> 8);
            }
        }
    }

private:
    [[nodiscard]] std::uint8_t* at(int x, int y) const { return data_ + pitch_ * y + std::ptrdiff_t{3} * x; }

    std::uint8_t* data_;
    std::ptrdiff_t pitch_;
    int width_;
    int height_;
};

// Draws the outline of the box, `stroke` pixels wide and inside the box. Draws no pixel twice.
std::array<PixelBox, 4> sides(const PixelBox& box, int stroke) {
    const int inner_top = std::min(box.top + stroke, box.bottom);
    const int inner_bottom = std::max(box.bottom - stroke, inner_top);
    return {{{box.left, box.top, box.right, inner_top},
             {box.left, inner_bottom, box.right, box.bottom},
             {box.left, inner_top, std::min(box.left + stroke, box.right), inner_bottom},
             {std::max(box.right - stroke, box.left + stroke), inner_top, box.right, inner_bottom}}};
}

PixelBox grown(const PixelBox& box, int by) {
    return {box.left - by, box.top - by, box.right + by, box.bottom + by};
}

bool drawable(const Detection& detection) {
    return is_valid_detection(detection.box, detection.score) && std::isfinite(detection.box.x + detection.box.w);
}

// Rounds to whole pixels. Clamps coordinates far outside the image, so that they fit an int.
PixelBox pixel_box(const Box& box, int width, int height) {
    const auto pixel = [](float value, int size) {
        const auto limit = static_cast<float>(size) + 64;
        return static_cast<int>(std::lround(std::clamp(value, -limit, 2 * limit)));
    };
    PixelBox result{pixel(box.x, width), pixel(box.y, height), pixel(box.x + box.w, width),
                    pixel(box.y + box.h, height)};
    result.right = std::max(result.right, result.left + 1);
    result.bottom = std::max(result.bottom, result.top + 1);
    return result;
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
    return {mix(from.b, to.b), mix(from.g, to.g), mix(from.r, to.r)};
}

std::string label_of(const Detection& detection) {
    const int decimals = std::abs(detection.score) < 100 ? 2 : 0;
    std::string text = fmt::format("{:.{}f}", detection.score, decimals);
    if (detection.hits > 1) text += fmt::format(" x{}", detection.hits);
    return text;
}

void draw_label(Canvas& canvas, const PixelBox& box, const std::string& text, Color color, int stroke) {
    const double scale = 0.25 + 0.12 * stroke;
    int baseline = 0;
    const cv::Size size = cv::getTextSize(text, cv::FONT_HERSHEY_SIMPLEX, scale, 1, &baseline);
    const int pad = stroke + 1;
    const int height = size.height + 2 * pad;
    const int top = box.top >= height ? box.top - height : box.top;  // above the box, or inside it at the top
    const int left = std::clamp(box.left, 0, std::max(canvas.width() - size.width - 2 * pad, 0));
    canvas.fill({left, top, left + size.width + 2 * pad, top + height}, color);
    cv::Mat image = canvas.mat();
    cv::putText(image, text, {left + pad, top + height - pad}, cv::FONT_HERSHEY_SIMPLEX, scale,
                cv::Scalar(kDark.b, kDark.g, kDark.r), 1, cv::LINE_AA);
}

int stroke_of(const Canvas& canvas) {
    return std::clamp((std::min(canvas.width(), canvas.height()) + kPixelsPerStroke / 2) / kPixelsPerStroke, 2, 12);
}

void draw_edge(Canvas& canvas, const PixelBox& box, int stroke, Color color) {
    for (const PixelBox& side : sides(grown(box, 1), stroke + 2)) canvas.blend(side, kDark, kHaloOpacity);
    for (const PixelBox& side : sides(box, stroke)) canvas.fill(side, color);
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

void draw_kept(Canvas& canvas, const std::vector<Detection>& kept, const AnnotateStyle& style) {
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
        const PixelBox box = pixel_box(detection.box, canvas.width(), canvas.height());
        draw_edge(canvas, box, stroke, color(detection));
    }
    if (!style.labels) return;
    for (const Detection& detection : kept) {  // after all boxes, so that no box covers a label
        if (!drawable(detection)) continue;
        draw_label(canvas, pixel_box(detection.box, canvas.width(), canvas.height()), label_of(detection),
                   color(detection), stroke);
    }
}

}  // namespace

double track_hue(std::int64_t id) {
    constexpr double kGoldenRatio = 0.6180339887498949;
    const double turns = static_cast<double>(id) * kGoldenRatio;
    return turns - std::floor(turns);
}

void draw_tracks(WritableFrame& frame, const std::vector<Track>& tracks) {
    Canvas canvas(frame);
    const int stroke = stroke_of(canvas);
    const auto box_of = [&](const Track& track) { return pixel_box(track.smoothed, canvas.width(), canvas.height()); };
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
    Canvas canvas(frame);
    for (std::size_t i = 0; i < kept.landmarks.size(); ++i) {
        const Detection& face = kept.detections[i];
        if (!drawable(face)) continue;
        const float dot = std::clamp(face.box.w / 14, 1.0F, 12.0F);
        const float* xy = kept.landmarks[i].xy;
        for (int point = 0; point < 5; ++point, xy += 2) {
            const float x = xy[0];
            const float y = xy[1];
            if (!std::isfinite(x) || !std::isfinite(y)) continue;
            const PixelBox area = pixel_box({x - dot / 2, y - dot / 2, dot, dot}, canvas.width(), canvas.height());
            if (dot >= 2) canvas.blend(grown(area, 1), kDark, kHaloOpacity);
            canvas.fill(area, kLandmark);
        }
    }
}

void annotate(WritableFrame& frame, const std::vector<Detection>& kept, const std::vector<Detection>& raw,
              const AnnotateStyle& style) {
    Canvas canvas(frame);
    if (style.raw) {
        const Color color = style.screen ? without_alpha(kScreenRaw) : kRaw;
        const int opacity = style.screen ? kScreenRaw.alpha * 256 / 255 : kRawOpacity;
        for (const Detection& detection : raw) {
            if (!drawable(detection)) continue;
            for (const PixelBox& side : sides(pixel_box(detection.box, canvas.width(), canvas.height()), 1))
                canvas.blend(side, color, opacity);
        }
    }
    if (style.kept) draw_kept(canvas, kept, style);
}

}  // namespace throng
