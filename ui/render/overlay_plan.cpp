#include "ui/render/overlay_plan.h"

#include <QLocale>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "core/video/annotate.h"

namespace throng::ui {
namespace {

constexpr double kLetterAspect = 0.62;     // width to line height of DejaVu Sans digits, plus spacing
constexpr double kMinLandmarkedSize = 18;  // logical pixels; the dots would hide smaller faces
const QColor kHalo(0, 0, 0, 140);          // keeps a bright edge readable on a bright frame

QRectF snapped(const QRectF& r, double ratio) {
    const double left = std::round(r.left() * ratio);
    const double top = std::round(r.top() * ratio);
    const double right = std::max(left + 1, std::round(r.right() * ratio));
    const double bottom = std::max(top + 1, std::round(r.bottom() * ratio));
    return {left / ratio, top / ratio, (right - left) / ratio, (bottom - top) / ratio};
}

bool drawable(const Detection& d) {
    return std::isfinite(d.box.x) && std::isfinite(d.box.y) && std::isfinite(d.box.w) && std::isfinite(d.box.h);
}

QColor color_of(const Track& track) {
    return QColor::fromHsvF(static_cast<float>(track_hue(track.id)), 0.65F, 1);
}

// Keeps labels from covering each other: the first one takes its cells of the image.
class LabelSpace {
public:
    // area, cell: logical pixels.
    LabelSpace(const QRectF& area, double cell)
        : area_(area),
          cell_(cell),
          columns_(static_cast<int>(std::ceil(area.width() / cell))),
          rows_(static_cast<int>(std::ceil(area.height() / cell))),
          taken_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_), 0) {}

    // Returns false if a part of the plate is taken, or all of it is outside the area, as one that is not finite.
    [[nodiscard]] bool take(const QRectF& plate) {
        const QRectF inside = plate.intersected(area_).translated(-area_.topLeft());
        if (!(inside.width() > 0 && inside.height() > 0)) return false;
        const auto first = [&](double at) { return static_cast<int>(at / cell_); };
        const auto end = [&](double at, int limit) { return std::min(limit, static_cast<int>(std::ceil(at / cell_))); };
        const int left = first(inside.left()), right = end(inside.right(), columns_);
        const int top = first(inside.top()), bottom = end(inside.bottom(), rows_);
        const auto row = [&](int y) { return taken_.begin() + static_cast<std::ptrdiff_t>(y) * columns_; };
        for (int y = top; y < bottom; ++y) {
            if (std::find(row(y) + left, row(y) + right, 1) != row(y) + right) return false;
        }
        for (int y = top; y < bottom; ++y) std::fill(row(y) + left, row(y) + right, 1);
        return true;
    }

private:
    QRectF area_;
    double cell_;
    int columns_, rows_;
    std::vector<char> taken_;  // by row and column
};

// Places the label, whose text is set.
OverlayLabel placed(OverlayLabel label, const QRectF& box, const ViewMapping& mapping, double size) {
    const double width = label_letter_width(size) * (static_cast<double>(std::strlen(label.text.data())) + 1);
    const double height = size * 1.3;
    // Above the box, or below its upper edge if the label would leave the frame.
    const double top = box.top() - height >= mapping.target().top() ? box.top() - height : box.top();
    label.plate = QRectF(box.left(), top, width, height);
    return label;
}

// Adds five dots per face, a few pixels each, with a dark rim.
void add_landmarks(const DetectionSet::Landmarks& points, const QRectF& box, const ViewMapping& mapping,
                   const QColor& color, double ratio, OverlayPlan& plan) {
    if (std::min(box.width(), box.height()) < kMinLandmarkedSize) return;
    const double pixel = 1 / ratio;
    const double side =
        std::clamp(std::round(std::min(box.width(), box.height()) / 18 * ratio), 2.0, 6 * ratio) * pixel;
    for (int i = 0; i < 10; i += 2) {
        const float x = points.xy[i];
        const float y = points.xy[i + 1];
        if (!std::isfinite(x) || !std::isfinite(y)) continue;
        const QPointF center = mapping.map(Box{x, y, 0, 0}).topLeft();
        const QRectF dot = snapped({center.x() - side / 2, center.y() - side / 2, side, side}, ratio);
        const QRectF rim = dot.adjusted(-pixel, -pixel, pixel, pixel);
        plan.frames.push_back({rim, rim.width(), kHalo});
        plan.frames.push_back({dot, dot.width(), color});
    }
}

// Adds what is found of one class.
void add_found(const FrameResult& result, const ViewMapping& mapping, const OverlayOptions& options,
               double device_ratio, LabelSpace& space, OverlayPlan& plan) {
    const double pixel = 1 / device_ratio;
    const auto whole = [&](double width) { return std::max(1.0, std::round(width * device_ratio)) * pixel; };

    if (options.raw) {
        for (const Detection& d : result.raw.detections) {
            if (!drawable(d)) continue;
            plan.frames.push_back(
                {snapped(mapping.map(d.box), device_ratio), whole(options.raw_width), options.raw_color});
        }
    }
    const auto add_edge = [&](const QRectF& box, double max_width, const QColor& color) {
        // Thinner edges for small faces, which a bold edge would hide.
        const double width = whole(std::min(max_width, std::max(1.5, std::min(box.width(), box.height()) / 12)));
        const double half = width / 2;
        const QRectF outer = snapped(box.adjusted(-half, -half, half, half), device_ratio);
        plan.frames.push_back({outer.adjusted(-pixel, -pixel, pixel, pixel), width + 2 * pixel, kHalo});
        plan.frames.push_back({outer, width, color});
    };
    const bool tracked = options.tracks && !result.tracks.empty();
    if (options.kept) {
        for (const Detection& d : result.kept.detections) {
            if (!tracked && drawable(d)) add_edge(mapping.map(d.box), options.kept_width, options.kept_color);
        }
        for (const Track& track : result.tracks) {
            if (!tracked || !track.confirmed || track.covered) continue;
            const double width = track.state == TrackState::predicted ? 1 : options.kept_width;
            add_edge(mapping.map(track.smoothed), width, color_of(track));
        }
    }
    const DetectionSet& set = result.kept;
    if (options.kept && options.landmarks && set.landmarks.size() == set.detections.size()) {
        for (std::size_t i = 0; i < set.landmarks.size(); ++i) {
            const Detection& d = set.detections[i];
            if (!drawable(d)) continue;
            add_landmarks(set.landmarks[i], mapping.map(d.box), mapping, options.landmark_color, device_ratio, plan);
        }
    }
    if (!options.labels) return;
    const auto add_label = [&](OverlayLabel label, const Box& box) {
        label = placed(label, snapped(mapping.map(box), device_ratio), mapping, options.label_size);
        label.plate = snapped(label.plate, device_ratio);
        if (space.take(label.plate)) plan.labels.push_back(label);
    };
    const bool comma = QLocale().decimalPoint() == QStringLiteral(",");
    for (const Detection& d : result.kept.detections) {
        if (tracked || !drawable(d)) continue;
        OverlayLabel label;
        std::snprintf(label.text.data(), label.text.size(), "%.3g x%d", static_cast<double>(d.score), d.hits);
        if (comma) std::replace(label.text.begin(), label.text.end(), '.', ',');
        add_label(label, d.box);
    }
    for (const Track& track : result.tracks) {
        if (!tracked || !track.confirmed || track.covered) continue;
        OverlayLabel label;
        std::snprintf(label.text.data(), label.text.size(), "%lld", static_cast<long long>(track.id));
        add_label(label, track.smoothed);
    }
}

}  // namespace

void OverlayPlan::clear() {
    frames.clear();
    labels.clear();
}

double label_letter_width(double label_size) {
    return label_size * kLetterAspect;
}

void plan_overlay(const FrameResult& result, const ViewMapping& mapping, const OverlayOptions& options,
                  double device_ratio, OverlayPlan& plan) {
    plan.clear();
    plan.plate_color = options.kept_color;
    plan.label_size = options.label_size;
    if (mapping.empty()) return;
    LabelSpace space(options.labels ? mapping.map_part(mapping.visible_part()) : QRectF(), options.label_size / 2);
    for_each_class(
        result, [&](const FrameResult& of_class) { add_found(of_class, mapping, options, device_ratio, space, plan); });
}

}  // namespace throng::ui
