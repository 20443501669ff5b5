// Assigns skin tones, hair, clothes and features to people.
#include "core/synth/person.h"
#include "core/synth/random.h"

namespace throng::synth {
namespace {

constexpr Rgb kSkins[] = {{0.98F, 0.84F, 0.74F}, {0.95F, 0.78F, 0.65F}, {0.89F, 0.70F, 0.55F}, {0.82F, 0.61F, 0.45F},
                          {0.72F, 0.51F, 0.36F}, {0.60F, 0.41F, 0.28F}, {0.50F, 0.34F, 0.24F}};
constexpr Rgb kDarkHair[] = {{0.07F, 0.06F, 0.06F}, {0.13F, 0.09F, 0.07F}, {0.20F, 0.13F, 0.09F}};
constexpr Rgb kLightHair[] = {{0.36F, 0.22F, 0.12F}, {0.52F, 0.35F, 0.17F}, {0.74F, 0.58F, 0.32F},
                              {0.55F, 0.23F, 0.10F}, {0.58F, 0.57F, 0.56F}, {0.80F, 0.79F, 0.77F},
                              {0.30F, 0.17F, 0.11F}};
constexpr Rgb kShirts[] = {{0.16F, 0.24F, 0.42F}, {0.62F, 0.15F, 0.17F}, {0.13F, 0.39F, 0.35F}, {0.84F, 0.66F, 0.24F},
                           {0.86F, 0.86F, 0.88F}, {0.18F, 0.19F, 0.22F}, {0.45F, 0.28F, 0.52F}, {0.80F, 0.44F, 0.32F},
                           {0.35F, 0.55F, 0.72F}, {0.42F, 0.47F, 0.30F}, {0.74F, 0.52F, 0.60F}, {0.30F, 0.33F, 0.40F}};
constexpr Rgb kEyes[] = {{0.20F, 0.12F, 0.07F}, {0.28F, 0.17F, 0.10F}, {0.24F, 0.36F, 0.46F}, {0.28F, 0.36F, 0.22F}};

template <int n>
Rgb pick(const Rgb (&colors)[n], Random& random) {
    return colors[random.below(n)];
}

}  // namespace

Looks looks_of(std::uint64_t seed, int person) {
    Random random(seed, 0x10000 + static_cast<std::uint64_t>(person));
    Looks looks;
    const float tone = random.unit() * 5.99F;
    const int lighter = static_cast<int>(tone);
    looks.skin = between(kSkins[lighter], kSkins[lighter + 1], tone - static_cast<float>(lighter));
    looks.hair = tone > 3.2F || random.chance(0.4F) ? pick(kDarkHair, random) : pick(kLightHair, random);
    looks.eyes = tone > 3.0F ? kEyes[random.below(2)] : pick(kEyes, random);
    looks.shirt = pick(kShirts, random);
    const float wash = random.between(0.72F, 1.08F);
    looks.shirt = {looks.shirt.r * wash, looks.shirt.g * wash, looks.shirt.b * wash};
    looks.second = pick(kShirts, random);
    looks.collar = static_cast<Collar>(random.below(static_cast<int>(Collar::count)));

    const bool woman = random.chance(0.5F);
    if (woman) {
        constexpr HairStyle kStyles[] = {HairStyle::bob, HairStyle::long_hair, HairStyle::long_hair, HairStyle::curls,
                                         HairStyle::bun, HairStyle::fringe,    HairStyle::parted,    HairStyle::scarf,
                                         HairStyle::bun, HairStyle::beanie};
        looks.hair_style = kStyles[random.below(10)];
        looks.lips = random.unit();
    } else {
        constexpr HairStyle kStyles[] = {HairStyle::cropped, HairStyle::parted, HairStyle::cropped, HairStyle::bald,
                                         HairStyle::fringe,  HairStyle::curls,  HairStyle::parted,  HairStyle::beanie,
                                         HairStyle::cropped, HairStyle::parted};
        looks.hair_style = kStyles[random.below(10)];
        looks.beard = random.chance(0.22F);
        looks.moustache = looks.beard || random.chance(0.08F);
        looks.stubble = random.chance(0.35F) ? random.unit() : 0.0F;
    }
    looks.glasses = random.chance(0.2F);
    looks.head_width = random.between(0.95F, 1.04F) * (woman ? 0.97F : 1.0F);
    looks.jaw = woman ? random.between(0.0F, 0.2F) : random.between(0.15F, 0.5F);
    looks.eye_distance = random.between(0.95F, 1.05F);
    looks.eye_size = random.between(0.92F, 1.1F) * (woman ? 1.08F : 1.0F);
    looks.brows = random.between(0.75F, 1.15F) * (woman ? 0.8F : 1.15F);
    looks.nose = random.between(0.9F, 1.12F);
    looks.mouth_width = random.between(0.9F, 1.12F);
    looks.shoulders = random.between(0.95F, 1.06F) * (woman ? 0.9F : 1.05F);
    looks.smile = random.unit();
    return looks;
}

}  // namespace throng::synth
