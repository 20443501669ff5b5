// Appearance of a person and its drawing: about fifty soft shapes on a head that rotates. A face is a stack of ellipses
// because frontal cascades detect that pattern: dark sockets, a bright ridge of the nose, a dark mouth. Necks are shaded,
// so that none is detected as a face. A change of looks changes the fingerprints that tests keep: inspect the images
// first.
#pragma once

#include <cstdint>
#include <vector>

#include "core/algo/box.h"
#include "core/synth/layout.h"
#include "core/synth/shape.h"

namespace throng::synth {

enum class HairStyle : std::uint8_t { bald, cropped, parted, fringe, bob, long_hair, curls, bun, scarf, beanie, count };
enum class Collar : std::uint8_t { round, v_neck, shirt_and_tie, jacket, hood, count };

// Display-referred, in [0, 1].
struct Rgb {
    float r = 0, g = 0, b = 0;
};
[[nodiscard]] constexpr Rgb between(Rgb a, Rgb b, float t) {
    return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

struct Looks {
    Rgb skin, hair, shirt, second, eyes;  // second: tie, lapels, scarf or cap
    HairStyle hair_style = HairStyle::cropped;
    Collar collar = Collar::round;
    bool glasses = false;
    bool beard = false, moustache = false;
    float stubble = 0;  // 0 to 1
    float lips = 0;     // 0 natural to 1 with lipstick
    float head_width = 1, jaw = 0, eye_distance = 1, eye_size = 1, brows = 1, nose = 1, mouth_width = 1;
    float shoulders = 1;
    float smile = 0;  // 0 to 1
};

[[nodiscard]] Looks looks_of(std::uint64_t seed, int person);

// Lighting and visibility of a person.
struct Scene {
    float key = 0;        // side of the main light: -1 left to 1 right
    float light = 1;      // brightness
    Rgb tint{1, 1, 1};    // color of the light
    Rgb haze{};           // color of the air
    float haze_part = 0;  // 0 none to 1 haze only
    float blur = 0.7F;    // pixels: softness of every edge
};

// Appends the person's shapes in the order of painting. The shapes are not yet bounded.
void draw_person(const Looks& looks, const Pose& pose, const Scene& scene, std::vector<Shape>& shapes);

// Returns the square that a frontal cascade reports for this face.
[[nodiscard]] Box face_box(const Pose& pose) noexcept;

// Returns a black rectangle over the whole face.
[[nodiscard]] Shape cover(const Pose& pose) noexcept;

}  // namespace throng::synth
