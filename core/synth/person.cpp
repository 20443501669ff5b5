// All lengths are relative to the side of the face's box. The origin is its center, x to the right, y down.
#include "core/synth/person.h"

namespace throng::synth {
namespace {

constexpr float kHeadWidth = 0.425F;  // half-axes of the head
constexpr float kHeadTop = 0.60F;
constexpr float kHeadBottom = 0.575F;
constexpr float kHeadMiddle = -0.085F;  // height of its widest part
constexpr float kHeadDepth = 0.42F;     // shift of features when the head rotates
constexpr float kEyeX = 0.185F;
constexpr float kEyeY = -0.115F;
constexpr float kMouthY = 0.265F;

Rgb scaled(Rgb c, float f) {
    return {c.r * f, c.g * f, c.b * f};
}

// Draws one person: puts shapes on the rotated head or on the body.
class Artist {
public:
    Artist(const Looks& looks, const Pose& pose, const Scene& scene, std::vector<Shape>& shapes)
        : looks_(looks),
          pose_(pose),
          scene_(scene),
          shapes_(shapes),
          yaw_(rotation(pose.yaw)),
          pitch_(rotation(pose.pitch)),
          roll_(rotation(pose.roll)),
          skin_(looks.skin) {}

    void draw() {
        hair_behind();
        body();
        neck();
        ears();
        head();
        eyes();
        nose();
        beard();
        mouth();
        brows();
        hair_in_front();
        if (looks_.glasses) glasses();
    }

private:
    Color color(Rgb c) const {
        const Rgb seen{c.r * scene_.light * scene_.tint.r, c.g * scene_.light * scene_.tint.g,
                       c.b * scene_.light * scene_.tint.b};
        const Rgb air = between(seen, scene_.haze, scene_.haze_part);
        return color_of(clamped(air.r, 0.0F, 1.0F), clamped(air.g, 0.0F, 1.0F), clamped(air.b, 0.0F, 1.0F));
    }

    // Returns the luma levels for a change of brightness, given for full light.
    float shade(float levels) const { return levels * scene_.light * (1.0F - scene_.haze_part); }

    // Returns the soft edge relative to the face's box, never sharper than the scene allows.
    float soft(float edge) const {
        const float pixels = edge * pose_.size;
        return pixels > scene_.blur ? pixels : scene_.blur;
    }

    Shape& add(float x, float y, float a, float b, Rotation r, Rgb c, float edge, float opacity) {
        Shape shape;
        const float half = 0.35F;  // pixels; smaller shapes would vanish between the samples
        const float wide = a * pose_.size;
        const float high = b * pose_.size;
        shape.set_ellipse(x, y, wide > half ? wide : half, high > half ? high : half, r, soft(edge));
        shape.color = color(c);
        shape.opacity = opacity;
        shapes_.push_back(shape);
        return shapes_.back();
    }

    // On the body: moves with the person but does not rotate with the head.
    Shape& on_body(float x, float y, float a, float b, Rgb c, float edge, float tilt = 0, float opacity = 1) {
        return add(pose_.x + x * pose_.size, pose_.y + y * pose_.size, a, b, rotation(tilt), c, edge, opacity);
    }

    // On the clothes.
    Shape& on_torso(float x, float y, float a, float b, Rgb c, float edge, float tilt = 0, float opacity = 1) {
        return on_body(x, y - 0.11F, a, b, c, edge, tilt, opacity);
    }

    // On the head's outline, which rotates in the image plane only, around its own center.
    Shape& on_outline(float x, float y, float a, float b, Rgb c, float edge, float tilt = 0, float opacity = 1) {
        const float px = x * roll_.cosine - y * roll_.sine;
        const float py = x * roll_.sine + y * roll_.cosine;
        return on_body(px, py, a, b, c, edge, pose_.roll + tilt, opacity);
    }

    // On the front of the head: shifts and narrows as the head rotates.
    Shape& on_face(float x, float y, float a, float b, Rgb c, float edge, float tilt = 0, float opacity = 1) {
        const float outward = x * (1.0F / 0.5F);
        const float upward = (y - kHeadMiddle) * (1.0F / 0.72F);
        const float relief = root(1.0F - outward * outward - upward * upward);
        const float z = kHeadDepth * relief;
        const float rotated_x = x * yaw_.cosine + z * yaw_.sine - 0.35F * kHeadDepth * yaw_.sine;
        const float rotated_y = y * pitch_.cosine + z * pitch_.sine - 0.35F * kHeadDepth * pitch_.sine;
        // The side that rotates away is seen at a slant.
        const float slant = yaw_.cosine - 0.9F * outward * yaw_.sine;
        return on_outline(rotated_x, rotated_y, a * clamped(slant, 0.35F, 1.2F), b, c, edge, tilt, opacity);
    }

    Rgb skin(float brightness) const { return scaled(skin_, brightness); }
    // Shadow on skin is warmer, not only darker.
    Rgb skin_shadow(float depth) const {
        return {skin_.r * (1.0F - 0.75F * depth), skin_.g * (1.0F - 0.95F * depth), skin_.b * (1.0F - depth)};
    }

    void hair_behind();
    void body();
    void collar();
    void neck();
    void ears();
    void head();
    void eye(float side);
    void eyes();
    void nose();
    void beard();
    void mouth();
    void brows();
    void hair_in_front();
    void cap_of_hair(Rgb c, float reach, float hairline, float temples, float tilt);
    void glasses();

    const Looks& looks_;
    const Pose& pose_;
    const Scene& scene_;
    std::vector<Shape>& shapes_;
    Rotation yaw_, pitch_, roll_;
    Rgb skin_;
};

void Artist::hair_behind() {
    const Rgb dark = scaled(looks_.hair, 0.72F);
    switch (looks_.hair_style) {
        case HairStyle::bob: {
            Shape& s = on_outline(0, 0.02F, 0.56F, 0.66F, dark, 0.04F);
            s.square = 0.45F;
            s.shade_v = shade(-10);
            s.solid = true;
            break;
        }
        case HairStyle::long_hair: {
            Shape& s = on_outline(0, 0.28F, 0.57F, 0.98F, dark, 0.05F);
            s.square = 0.35F;
            s.shade_v = shade(-12);
            s.solid = true;
            break;
        }
        case HairStyle::curls:
            for (int i = 0; i < 9; ++i) {
                const auto turn = rotation(0.37F * static_cast<float>(i - 4) * 0.5F);
                // Around the top of the head from ear to ear: twice the half angle.
                const float s = 2.0F * turn.sine * turn.cosine;
                const float c = turn.cosine * turn.cosine - turn.sine * turn.sine;
                const float s2 = 2.0F * s * c * 0.5F + s * 0.5F;
                on_outline(0.50F * s2, kHeadMiddle - 0.10F - 0.48F * c, 0.22F, 0.22F, dark, 0.05F).solid = true;
            }
            break;
        case HairStyle::bun: on_outline(0.0F, -0.76F, 0.20F, 0.18F, looks_.hair, 0.03F).shade_v = shade(-14); break;
        case HairStyle::scarf: {
            Shape& s = on_outline(0, 0.05F, 0.53F, 0.76F, scaled(looks_.second, 0.85F), 0.03F);
            s.square = 0.25F;
            s.shade_u = shade(8.0F * scene_.key);
            s.solid = true;
            break;
        }
        default: break;
    }
}

void Artist::body() {
    const float wide = looks_.shoulders;
    // Shoulders and chest: one rounded box below, one slope above.
    Shape& chest = on_torso(0, 2.05F, 0.98F * wide, 1.32F, looks_.shirt, 0.03F);
    chest.square = 0.75F;
    chest.shade_u = shade(16.0F * scene_.key);
    chest.shade_v = shade(-14);
    chest.solid = true;
    Shape& slope = on_torso(0, 1.12F, 0.80F * wide, 0.46F, looks_.shirt, 0.05F);
    slope.shade_u = shade(13.0F * scene_.key);
    // The chest's shading continues over the seam.
    slope.shade_v = shade(-4.9F);
    slope.color.y += shade(9.9F);
    slope.solid = true;
    // Arms against the chest.
    for (const float side : {-1.0F, 1.0F}) {
        on_torso(side * 0.74F * wide, 2.25F, 0.035F, 0.85F, scaled(looks_.shirt, 0.55F), 0.06F, -0.04F * side, 0.7F);
    }
    collar();
}

void Artist::collar() {
    const Rgb dark = scaled(looks_.shirt, 0.8F);
    switch (looks_.collar) {
        case Collar::round: on_torso(0, 0.72F, 0.34F, 0.17F, dark, 0.03F); break;
        case Collar::v_neck: {
            Shape& v = on_torso(0, 0.64F, 0.27F, 0.36F, skin_shadow(0.16F), 0.02F);
            v.shade_v = shade(-14);
            break;
        }
        case Collar::shirt_and_tie:
        case Collar::jacket: {
            // An open jacket: a white front between two lapels, with or without a tie.
            const Rgb white{0.90F, 0.90F, 0.92F};
            Shape& front = on_torso(0, 1.30F, 0.27F, 0.74F, white, 0.03F);
            front.shade_v = shade(-18);
            if (looks_.collar == Collar::shirt_and_tie) {
                Shape& tie = on_torso(0, 1.32F, 0.075F, 0.60F, looks_.second, 0.02F);
                tie.square = 0.4F;
                on_torso(0, 0.80F, 0.085F, 0.07F, scaled(looks_.second, 0.85F), 0.02F);
            }
            for (const float side : {-1.0F, 1.0F}) {
                Shape& lapel =
                    on_torso(side * 0.33F, 1.28F, 0.13F, 0.74F, scaled(looks_.shirt, 0.78F), 0.02F, -0.28F * side);
                lapel.shade_u = shade(6.0F);
                on_torso(side * 0.14F, 0.71F, 0.15F, 0.065F, scaled(white, 0.96F), 0.015F, -0.55F * side);
            }
            break;
        }
        case Collar::hood:
        case Collar::count:
            on_torso(0, 0.78F, 0.58F, 0.26F, scaled(looks_.shirt, 0.82F), 0.04F);
            on_torso(0, 0.68F, 0.36F, 0.18F, scaled(looks_.shirt, 0.5F), 0.03F);
            for (const float side : {-1.0F, 1.0F})
                on_torso(side * 0.16F, 1.22F, 0.016F, 0.27F, {0.88F, 0.88F, 0.86F}, 0.012F);
            break;
    }
}

void Artist::neck() {
    Shape& neck = on_body(0, 0.58F, 0.235F, 0.34F, skin_shadow(0.36F), 0.03F);
    neck.square = 0.5F;
    neck.shade_u = shade(scene_.key < 0 ? -16.0F : 16.0F);
    neck.shade_v = shade(-6);
    // The chin's shadow.
    on_body(0, 0.50F, 0.21F, 0.12F, skin_shadow(0.50F), 0.06F, 0, 0.6F);
}

void Artist::ears() {
    if (looks_.hair_style == HairStyle::bob || looks_.hair_style == HairStyle::long_hair ||
        looks_.hair_style == HairStyle::scarf) {
        return;
    }
    for (const float side : {-1.0F, 1.0F}) {
        const float x = side * (0.435F * looks_.head_width) - 0.12F * yaw_.sine;
        on_outline(x, -0.02F, 0.060F, 0.125F, skin_shadow(0.12F), 0.02F, 0.12F * side);
        on_outline(x, -0.01F, 0.030F, 0.075F, skin_shadow(0.38F), 0.03F, 0.12F * side);
    }
}

void Artist::head() {
    const float wide = kHeadWidth * looks_.head_width;
    Shape& head = on_outline(0, kHeadMiddle, wide, kHeadBottom, skin_, 0.022F);
    head.top = kHeadBottom / kHeadTop;
    head.square = 0.10F + 0.35F * looks_.jaw;
    head.shade_u = shade(15.0F * scene_.key);
    head.shade_v = shade(-9);
    head.shade_q = shade(-24);
    head.solid = true;
    // The light reaches the forehead, cheeks and chin, but not the temples and the sides of the jaw.
    on_face(0.03F * scene_.key, -0.33F, 0.24F, 0.13F, skin(1.16F), 0.16F, 0, 0.55F);
    for (const float side : {-1.0F, 1.0F}) {
        on_face(side * 0.205F, 0.08F, 0.125F, 0.10F, skin(1.15F), 0.10F, 0, 0.65F);
        const Rgb blush{skin_.r * 1.02F, skin_.g * 0.82F, skin_.b * 0.80F};
        on_face(side * 0.235F, 0.125F, 0.11F, 0.08F, blush, 0.10F, 0, 0.45F);
    }
    on_face(0, 0.425F, 0.13F, 0.065F, skin(1.12F), 0.08F, 0, 0.6F);
}

void Artist::eye(float side) {
    const float x = side * kEyeX * looks_.eye_distance;
    const float open = 1.0F - pose_.lids;
    const float size = looks_.eye_size;
    // The eye socket is the strongest feature for cascades.
    on_face(x, kEyeY - 0.005F, 0.135F, 0.080F, skin_shadow(0.50F), 0.075F, 0.08F * side, 0.80F);
    on_face(x - side * 0.085F, kEyeY + 0.005F, 0.05F, 0.06F, skin_shadow(0.55F), 0.05F, 0, 0.6F);
    const float half = 0.043F * size * (0.12F + 0.88F * open);
    // The lids cut white, iris and pupil. The iris is taller than the opening only if the eye is closed.
    on_face(x, kEyeY, 0.088F * size, half, {0.86F, 0.84F, 0.82F}, 0.012F, 0.06F * side, 0.25F + 0.65F * open);
    const float gaze = 0.10F * pose_.yaw;
    const float iris = 0.042F * size;
    on_face(x + gaze, kEyeY, iris, iris < half ? iris : half, looks_.eyes, 0.010F, 0, open);
    on_face(x + gaze, kEyeY, 0.022F * size, 0.022F * size < half ? 0.022F * size : half, {0.03F, 0.02F, 0.02F}, 0.010F,
            0, open);
    on_face(x + gaze - 0.014F + 0.02F * scene_.key, kEyeY - 0.015F, 0.010F, 0.010F, {1, 1, 1}, 0.008F, 0, 0.9F * open);
    // Lashes follow the upper lid down; a fold above it.
    const float lid = kEyeY - half + 0.004F;
    on_face(x, lid, 0.098F * size, 0.013F, {0.10F, 0.07F, 0.06F}, 0.013F, 0.04F * side, 0.9F).bend = 1.9F * open;
    on_face(x, kEyeY - 0.066F, 0.09F, 0.009F, skin_shadow(0.55F), 0.016F, 0.05F * side, 0.5F).bend = 2.0F;
    on_face(x, kEyeY + 0.058F, 0.085F, 0.011F, skin_shadow(0.42F), 0.025F, 0, 0.45F).bend = -1.6F;
}

void Artist::eyes() {
    for (const float side : {-1.0F, 1.0F}) eye(side);
}

void Artist::brows() {
    const Rgb hair = looks_.hair_style == HairStyle::bald ? Rgb{0.16F, 0.12F, 0.10F} : scaled(looks_.hair, 0.7F);
    const Rgb brow = between(hair, skin_shadow(0.55F), 0.25F);
    for (const float side : {-1.0F, 1.0F}) {
        const float x = side * (kEyeX * looks_.eye_distance + 0.008F);
        Shape& bow =
            on_face(x + side * 0.005F, kEyeY - 0.118F, 0.120F, 0.021F * looks_.brows, brow, 0.018F, 0.05F * side, 0.9F);
        bow.bend = 1.5F;
    }
}

void Artist::nose() {
    const float lit_side = scene_.key < 0.0F ? -1.0F : 1.0F;
    const float n = looks_.nose;
    // A shadow on the side away from the light, a ridge, a tip, two nostrils.
    on_face(-lit_side * 0.058F, 0.02F, 0.028F, 0.13F, skin_shadow(0.40F), 0.035F, 0.10F * lit_side, 0.55F);
    on_face(0.006F * lit_side, -0.045F, 0.030F, 0.155F, skin(1.20F), 0.035F, 0, 0.85F);
    on_face(0, 0.085F, 0.068F * n, 0.052F * n, skin(1.06F), 0.03F, 0, 0.9F);
    on_face(0.012F * lit_side, 0.075F, 0.026F, 0.024F, skin(1.30F), 0.025F, 0, 0.7F);
    for (const float side : {-1.0F, 1.0F}) {
        on_face(side * 0.068F * n, 0.100F, 0.032F * n, 0.034F, skin_shadow(0.16F), 0.02F, 0, 0.8F);
        on_face(side * 0.040F * n, 0.126F, 0.024F * n, 0.013F, skin_shadow(0.78F), 0.014F, -0.25F * side, 0.9F);
    }
    on_face(0, 0.155F, 0.075F, 0.022F, skin_shadow(0.35F), 0.04F, 0, 0.5F);
}

void Artist::beard() {
    const Rgb hair = scaled(looks_.hair, 0.9F);
    if (looks_.stubble > 0.0F) {
        Shape& s = on_face(0, 0.26F, 0.33F, 0.25F, between(skin_, hair, 0.5F), 0.08F, 0, 0.35F * looks_.stubble);
        s.cut_above(-0.5F, 0, 0.5F);
    }
    if (looks_.beard) {
        // A rounded box cut off at the cheeks; the mouth is painted over it.
        Shape& s = on_face(0, 0.24F, 0.375F, 0.30F, hair, 0.05F, 0, 0.86F);
        s.cut_above(-0.15F, 0, 0.333F);
        s.shade_v = shade(-6);
        s.shade_u = shade(8.0F * scene_.key);
        on_face(0, 0.265F, 0.155F, 0.075F, skin_, 0.03F, 0, 0.9F);
    }
    if (looks_.moustache) {
        for (const float side : {-1.0F, 1.0F})
            on_face(side * 0.068F, 0.192F, 0.085F, 0.026F, hair, 0.022F, 0.20F * side, 0.85F);
    }
}

void Artist::mouth() {
    const float wide = 0.150F * looks_.mouth_width * (1.0F + 0.12F * looks_.smile);
    const float open = 0.060F * pose_.mouth;
    const Rgb natural{skin_.r * 0.80F, skin_.g * 0.58F, skin_.b * 0.58F};
    const Rgb lip = between(natural, {0.66F, 0.14F, 0.20F}, 0.8F * looks_.lips);
    const bool teeth = looks_.smile > 0.55F;
    const float grin = teeth ? 0.022F * looks_.smile : 0.0F;
    const float lift = 0.004F + 0.040F * looks_.smile;  // of the corners
    const float middle = kMouthY + 0.5F * lift;
    // Returns the bend of a part of this half-height that raises its ends by the lift.
    const auto bow = [lift](float half_height) { return -lift / half_height; };

    on_face(0, kMouthY + 0.008F, wide * 1.15F, 0.062F, skin_shadow(0.30F), 0.07F, 0, 0.45F);
    const float below = 0.024F + open + grin;
    Shape& lower = on_face(0, middle + below, wide * 0.72F, 0.028F, scaled(lip, 1.10F), 0.016F, 0, 0.9F);
    lower.bend = 0.55F * bow(0.028F);
    lower.shade_v = shade(6);
    on_face(0, middle - 0.014F, wide * 0.90F, 0.020F, scaled(lip, 0.84F), 0.014F, 0, 0.95F).bend = bow(0.020F);
    if (pose_.mouth > 0.05F || teeth) {
        const float half = 0.010F + 0.5F * (open + grin);
        on_face(0, middle + half - 0.006F, wide * 0.80F, half, {0.22F, 0.06F, 0.06F}, 0.010F).bend = 0.8F * bow(half);
        const float row = 0.006F + 0.45F * grin + 0.15F * open;
        on_face(0, middle + row - 0.004F, wide * 0.70F, row, {0.92F, 0.90F, 0.86F}, 0.008F, 0, 0.92F).bend =
            0.8F * bow(row);
    } else {
        const Rgb line{skin_.r * 0.38F, skin_.g * 0.20F, skin_.b * 0.20F};
        on_face(0, middle + 0.002F, wide * 0.94F, 0.008F, line, 0.011F, 0, 0.9F).bend = bow(0.008F);
    }
    for (const float side : {-1.0F, 1.0F}) {
        on_face(side * wide * 0.98F, middle - lift, 0.022F, 0.012F, skin_shadow(0.60F), 0.018F, -0.5F * side, 0.65F);
        if (looks_.smile > 0.35F) {
            on_face(side * 0.215F, 0.175F, 0.014F, 0.095F, skin_shadow(0.34F), 0.03F, -0.42F * side,
                    0.40F * looks_.smile);
        }
    }
    on_face(0, kMouthY + 0.105F, 0.085F, 0.018F, skin_shadow(0.36F), 0.035F, 0, 0.55F).bend = 0.8F;
}

// Draws the upper part of an ellipse larger than the head by `reach`, down to the hairline. The hairline is a height
// from 0 (the head's center) to 1, lower by `temples` at the sides.
void Artist::cap_of_hair(Rgb c, float reach, float hairline, float temples, float tilt) {
    Shape& cap =
        on_outline(0, kHeadMiddle - 0.04F, kHeadWidth * looks_.head_width + reach, kHeadTop + reach, c, 0.025F, tilt);
    // Rotated by half a turn, so that "below the cut" is above it.
    cap.ux = -cap.ux;
    cap.uy = -cap.uy;
    cap.vx = -cap.vx;
    cap.vy = -cap.vy;
    cap.cut_above(hairline, -temples, 0.05F);
    cap.shade_u = shade(-14.0F * scene_.key);
    cap.shade_v = shade(10);
    cap.solid = true;
}

void Artist::hair_in_front() {
    const Rgb gleam = between(looks_.hair, {1, 0.96F, 0.9F}, 0.30F);
    switch (looks_.hair_style) {
        case HairStyle::bald:
        case HairStyle::count: on_outline(0.10F * scene_.key, -0.52F, 0.13F, 0.07F, skin(1.3F), 0.08F, 0, 0.6F); return;
        case HairStyle::cropped: cap_of_hair(looks_.hair, 0.015F, 0.64F, 0.46F, 0); break;
        case HairStyle::parted:
            cap_of_hair(looks_.hair, 0.045F, 0.60F, 0.40F, 0.16F);
            cap_of_hair(looks_.hair, 0.04F, 0.60F, 0.25F, -0.42F);
            break;
        case HairStyle::fringe:
            cap_of_hair(looks_.hair, 0.045F, 0.47F, 0.30F, 0);
            for (int i = -2; i <= 2; ++i) {
                const auto x = static_cast<float>(i);
                on_outline(0.135F * x, -0.44F + 0.014F * x * x, 0.10F, 0.085F,
                           scaled(looks_.hair, i % 2 == 0 ? 1.08F : 0.95F), 0.035F, 0.12F * x);
            }
            break;
        case HairStyle::bob:
        case HairStyle::long_hair: {
            cap_of_hair(looks_.hair, 0.055F, 0.60F, 0.42F, 0.20F);
            cap_of_hair(looks_.hair, 0.055F, 0.60F, 0.42F, -0.20F);
            // Two curtains next to the face.
            const float length = looks_.hair_style == HairStyle::bob ? 0.44F : 0.64F;
            for (const float side : {-1.0F, 1.0F}) {
                Shape& curtain =
                    on_outline(side * 0.455F, -0.40F + length, 0.095F, length, looks_.hair, 0.03F, -0.04F * side);
                curtain.shade_u = shade(9.0F * side);
            }
            break;
        }
        case HairStyle::curls:
            cap_of_hair(looks_.hair, 0.05F, 0.60F, 0.42F, 0);
            for (int i = -3; i <= 3; ++i) {
                const auto x = static_cast<float>(i);
                Shape& curl = on_outline(0.135F * x, -0.56F + 0.024F * x * x, 0.115F, 0.105F,
                                         scaled(looks_.hair, i % 2 == 0 ? 1.12F : 0.9F), 0.035F);
                curl.shade_v = shade(-10);
            }
            break;
        case HairStyle::bun: cap_of_hair(looks_.hair, 0.025F, 0.60F, 0.44F, 0); break;
        case HairStyle::scarf: {
            // A frame around the face.
            Shape& s = on_outline(0, kHeadMiddle + 0.02F, 0.46F, 0.62F, looks_.second, 0.025F);
            s.ring = 0.22F;
            s.shade_u = shade(8.0F * scene_.key);
            on_outline(0, -0.575F, 0.33F, 0.13F, looks_.second, 0.03F);
            return;
        }
        case HairStyle::beanie:
            cap_of_hair(looks_.hair, 0.01F, 0.40F, 0.30F, 0);
            cap_of_hair(scaled(looks_.second, 0.75F), 0.075F, 0.44F, 0.10F, 0);
            cap_of_hair(looks_.second, 0.085F, 0.63F, 0.10F, 0);
            return;
    }
    on_outline(0.14F * scene_.key, -0.585F, 0.17F, 0.035F, gleam, 0.06F, 0.35F * scene_.key, 0.35F);
}

void Artist::glasses() {
    const Rgb frame{0.10F, 0.09F, 0.10F};
    for (const float side : {-1.0F, 1.0F}) {
        const float x = side * (kEyeX * looks_.eye_distance + 0.005F);
        Shape& rim = on_face(x, kEyeY + 0.012F, 0.138F, 0.105F, frame, 0.012F);
        rim.square = 0.35F;
        rim.ring = 0.13F;
        on_face(x - 0.03F, kEyeY - 0.03F, 0.05F, 0.014F, {1, 1, 1}, 0.03F, -0.6F, 0.28F);
        on_face(side * 0.37F, kEyeY - 0.005F, 0.055F, 0.011F, frame, 0.012F);
    }
    on_face(0, kEyeY + 0.0F, 0.052F, 0.011F, frame, 0.012F);
}

}  // namespace

void draw_person(const Looks& looks, const Pose& pose, const Scene& scene, std::vector<Shape>& shapes) {
    Artist(looks, pose, scene, shapes).draw();
}

Box face_box(const Pose& pose) noexcept {
    return {pose.x - 0.5F * pose.size, pose.y - 0.5F * pose.size, pose.size, pose.size};
}

Shape cover(const Pose& pose) noexcept {
    Shape shape;
    shape.set_ellipse(pose.x, pose.y - 0.05F * pose.size, 0.56F * pose.size, 0.62F * pose.size, {}, 0.5F);
    shape.box = true;
    shape.solid = true;
    return shape;
}

}  // namespace throng::synth
