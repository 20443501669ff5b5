#include "core/synth/backdrop.h"

#include "core/synth/random.h"

namespace throng::synth {
namespace {

struct Palette {
    Rgb ceiling, wall, floor, glow, beam, second_beam;
};
constexpr Palette kPalettes[] = {
    {{0.045F, 0.055F, 0.12F},
     {0.13F, 0.15F, 0.30F},
     {0.10F, 0.09F, 0.16F},
     {0.85F, 0.55F, 0.38F},
     {0.40F, 0.62F, 1.0F},
     {1.0F, 0.50F, 0.62F}},
    {{0.03F, 0.08F, 0.10F},
     {0.08F, 0.22F, 0.26F},
     {0.06F, 0.12F, 0.14F},
     {0.90F, 0.72F, 0.42F},
     {0.35F, 0.95F, 0.85F},
     {0.60F, 0.60F, 1.0F}},
    {{0.09F, 0.04F, 0.11F},
     {0.26F, 0.11F, 0.25F},
     {0.14F, 0.08F, 0.14F},
     {0.95F, 0.60F, 0.30F},
     {0.85F, 0.45F, 1.0F},
     {0.40F, 0.70F, 1.0F}},
};

Color color(Rgb c) {
    return color_of(c.r, c.g, c.b);
}

Shape panel(float x, float y, float half_width, float half_height, Rgb c, float edge, float opacity) {
    Shape shape;
    shape.set_ellipse(x, y, half_width, half_height, {}, edge);
    shape.box = true;
    shape.color = color(c);
    shape.opacity = opacity;
    return shape;
}

Shape glow(float x, float y, float a, float b, Rgb c, float opacity) {
    Shape shape;
    shape.set_ellipse(x, y, a, b, {}, 1);
    shape.edge = 0.5F;  // fades from the center to 1.4 radii
    shape.color = color(c);
    shape.opacity = opacity;
    return shape;
}

Shape disc(float x, float y, float radius, float edge, Rgb c, float opacity) {
    Shape shape;
    shape.set_ellipse(x, y, radius, radius, {}, edge);
    shape.color = color(c);
    shape.opacity = opacity;
    return shape;
}

constexpr int kBeams = 5;

// Returns the inclination of beam i, -1 to 1, at this instant.
float beam_lean(int i, double seconds) {
    const double rate = 0.045 + 0.011 * i;
    return static_cast<float>(sine_of_turns(rate * seconds + 0.21 * i));
}

}  // namespace

Backdrop::Backdrop(const CrowdOptions& options, int threads)
    : options_(options),
      still_(options.width, options.height, {}),
      hue_(static_cast<int>(mixed(options.seed + 2) % 3)) {
    const auto w = static_cast<float>(options.width);
    const auto h = static_cast<float>(options.height);
    const Palette& p = kPalettes[hue_];
    std::vector<Shape> shapes;
    const float edge = 0.004F * h;

    // Wall and floor with a soft horizon; panels of the wall, lit from below.
    shapes.push_back(panel(0.5F * w, 0.5F * h, w, h, p.ceiling, 1, 1));
    shapes.push_back(panel(0.5F * w, 0.30F * h, w, 0.26F * h, p.wall, 0.12F * h, 1));
    shapes.push_back(panel(0.5F * w, 0.95F * h, w, 0.45F * h, p.floor, 0.10F * h, 1));
    const int panels = 2 * (options.width / (options.height / 3 + 1)) + 2;
    for (int i = 0; i <= panels; ++i) {
        const float x = w * static_cast<float>(i) / static_cast<float>(panels);
        const float shade = i % 2 == 0 ? 1.12F : 0.86F;
        shapes.push_back(panel(x, 0.22F * h, 0.30F * w / static_cast<float>(panels), 0.17F * h,
                               {p.wall.r * shade, p.wall.g * shade, p.wall.b * shade}, 4 * edge, 0.6F));
        shapes.push_back(panel(x, 0.22F * h, 0.0016F * h, 0.17F * h, between(p.wall, p.glow, 0.7F), edge, 0.5F));
        shapes.push_back(glow(x, 0.40F * h, 0.10F * h, 0.22F * h, p.glow, 0.16F));
    }
    shapes.push_back(glow(0.5F * w, 0.36F * h, 0.5F * w, 0.20F * h, p.glow, 0.28F));

    // The truss: a dark beam across the ceiling with lamps under it.
    shapes.push_back(panel(0.5F * w, 0.028F * h, w, 0.005F * h, {0.02F, 0.02F, 0.03F}, edge, 0.9F));
    shapes.push_back(panel(0.5F * w, 0.060F * h, w, 0.004F * h, {0.02F, 0.02F, 0.03F}, edge, 0.9F));

    const int braces = 2 * (options.width / (options.height / 20 + 1)) + 2;
    for (int i = 0; i < braces; ++i) {
        const float x = w * (static_cast<float>(i) + 0.5F) / static_cast<float>(braces);
        Shape brace;
        brace.set_ellipse(x, 0.044F * h, 0.0022F * h, 0.020F * h, rotation(i % 2 == 0 ? 0.8F : -0.8F), edge);
        brace.box = true;
        brace.color = color({0.02F, 0.02F, 0.03F});
        brace.opacity = 0.85F;
        shapes.push_back(brace);
    }

    Random random(options.seed, 0xBAC);
    // Strings of bulbs and distant out-of-focus lights.
    const int count = 14 + 40 * options.width / (options.height + options.width / 4);
    for (int i = 0; i < count; ++i) {
        Lamp lamp{};
        lamp.x = w * random.unit();
        lamp.y = h * random.between(0.10F, 0.20F);
        lamp.radius = h * random.between(0.003F, 0.011F);
        lamp.color = between(random.chance(0.6F) ? p.glow : p.beam, {1, 1, 1}, 0.35F);
        lamp.rate = random.between(0.1F, 0.5F);
        lamp.phase = random.unit();
        lamps_.push_back(lamp);
    }
    for (Shape& shape : shapes) shape.bound(options.width, options.height);
    paint(still_, shapes, threads);
}

void Backdrop::moving(double seconds, std::vector<Shape>& shapes) const {
    const auto w = static_cast<float>(options_.width);
    const auto h = static_cast<float>(options_.height);
    const Palette& p = kPalettes[hue_];
    const std::size_t first = shapes.size();
    for (const Lamp& lamp : lamps_) {
        const auto wave = static_cast<float>(
            sine_of_turns(static_cast<double>(lamp.rate) * seconds + static_cast<double>(lamp.phase)));
        shapes.push_back(disc(lamp.x, lamp.y, lamp.radius, 0.0025F * h, lamp.color, 0.22F + 0.12F * wave));
    }
    for (int i = 0; i < kBeams; ++i) {
        const float x = w * (static_cast<float>(i) + 0.5F) / static_cast<float>(kBeams);
        const Rgb light = i % 2 == 0 ? p.beam : p.second_beam;
        Shape beam;
        const float lean = 0.55F * beam_lean(i, seconds);
        const Rotation r = rotation(lean);
        const float length = 0.42F * h;
        beam.set_ellipse(x - length * r.sine, 0.06F * h + length * r.cosine, 0.055F * h, length, r, 1);
        beam.edge = 0.55F;
        beam.color = color(light);
        beam.opacity = 0.20F;
        shapes.push_back(beam);
        // A bar of light under the truss. Cascades would detect a round lamp with its halo as a face.
        shapes.push_back(glow(x, 0.07F * h, 0.060F * h, 0.020F * h, between(light, {1, 1, 1}, 0.4F), 0.50F));
        for (int bulb = -2; bulb <= 2; ++bulb) {
            shapes.push_back(
                disc(x + 0.013F * h * static_cast<float>(bulb), 0.068F * h, 0.0052F * h, 0.002F * h, {1, 1, 1}, 0.95F));
        }
    }
    for (std::size_t i = first; i < shapes.size(); ++i) shapes[i].bound(options_.width, options_.height);
}

Scene Backdrop::light(const Pose& pose, double seconds) const {
    const auto w = static_cast<float>(options_.width);
    const auto h = static_cast<float>(options_.height);
    const Palette& p = kPalettes[hue_];
    Scene scene;
    // The key lights hang over the center, so the light comes from there.
    scene.key = clamped((0.5F * w - pose.x) / (0.5F * w), -1.0F, 1.0F) * 0.8F;
    scene.light = 1.02F - 0.10F * pose.depth;
    scene.tint = {1.0F, 0.985F, 0.965F};
    // A passing beam tints and brightens the people.
    for (int i = 0; i < kBeams; ++i) {
        const float lamp = w * (static_cast<float>(i) + 0.5F) / static_cast<float>(kBeams);
        const float lean = 0.55F * beam_lean(i, seconds);
        const float there = lamp - lean * (pose.y - 0.06F * h);
        const float off = (pose.x - there) / (0.11F * h);
        const float part = 0.16F * clamped(1.0F - off * off, 0.0F, 1.0F) * (0.4F + 0.6F * pose.depth);
        scene.tint = between(scene.tint, i % 2 == 0 ? p.beam : p.second_beam, part);
        scene.light += 0.9F * part;
    }
    scene.haze = between(p.wall, p.glow, 0.35F);
    scene.haze_part = 0.16F * pose.depth;
    scene.blur = 0.65F + 0.35F * pose.depth;
    return scene;
}

}  // namespace throng::synth
