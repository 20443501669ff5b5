#include "core/synth/shape.h"

namespace throng::synth {
namespace {

int bounded(float x, int high) {
    return static_cast<int>(clamped(std::floor(x), 0.0F, static_cast<float>(high)));
}

float magnitude(float x) {
    return x < 0.0F ? -x : x;
}

}  // namespace

Color color_of(float r, float g, float b) noexcept {
    const float y = 0.2126F * r + 0.7152F * g + 0.0722F * b;
    return {16.0F + 219.0F * y, 128.0F + 224.0F / 1.8556F * (b - y), 128.0F + 224.0F / 1.5748F * (r - y)};
}

Color mix(Color a, Color b, float part_of_b) noexcept {
    return {a.y + (b.y - a.y) * part_of_b, a.cb + (b.cb - a.cb) * part_of_b, a.cr + (b.cr - a.cr) * part_of_b};
}

Color lit(Color c, float light) noexcept {
    return {16.0F + (c.y - 16.0F) * light, 128.0F + (c.cb - 128.0F) * light, 128.0F + (c.cr - 128.0F) * light};
}

void Shape::set_ellipse(float center_x, float center_y, float a, float b, Rotation r, float edge_pixels) noexcept {
    cx = center_x;
    cy = center_y;
    ux = r.cosine / a;
    uy = r.sine / a;
    vx = -r.sine / b;
    vy = r.cosine / b;
    // q rises by 2 per radius at the outline; the smaller axis has the sharper edge.
    edge = (a < b ? a : b) / (2.0F * edge_pixels);
}

void Shape::bound(int width, int height) noexcept {
    // Forward map: the inverse of (u, v), with columns scaled by the extent of coverage in each.
    const float determinant = ux * vy - uy * vx;
    const float reach = root(1.0F + ring + 0.5F / edge);
    const float up = (top < 1.0F ? reach / top : reach) + magnitude(bend) * reach * reach;
    const float xu = vy / determinant * reach;
    const float xv = -uy / determinant * up;
    const float yu = -vx / determinant * reach;
    const float yv = ux / determinant * up;
    // An ellipse extends less far than the box around its axes.
    const bool corners = box || square > 0.0F || bend != 0.0F;
    const float half_width = corners ? magnitude(xu) + magnitude(xv) : root(xu * xu + xv * xv);
    const float half_height = corners ? magnitude(yu) + magnitude(yv) : root(yu * yu + yv * yv);
    x0 = bounded(cx - half_width - 1.0F, width);
    x1 = bounded(cx + half_width + 2.0F, width);
    y0 = bounded(cy - half_height - 1.0F, height);
    y1 = bounded(cy + half_height + 2.0F, height);
}

}  // namespace throng::synth
