// A drawn, animated crowd with exact ground truth: the demo without a camera, and a test input without real people.
// Every frame is a pure function of the options and its number. Its bytes are the same on every machine, compiler and
// number of threads. The code uses float32 with + - * / and comparisons only (no contraction, no libm), and the
// project's own random generator.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/algo/box.h"
#include "core/base/choice_names.h"
#include "core/frame/frame.h"
#include "core/frame/frame_pool.h"

namespace throng {

inline constexpr double kMinCrowdFps = 0.001;
inline constexpr double kMaxCrowdFps = 1000;

enum class CrowdMotion : std::uint8_t {
    stand,  // rows that drift; no one covers another face for long
    walk,   // everyone walks through the hall at a pace and distance of their own and covers those behind
};

inline constexpr std::pair<std::string_view, CrowdMotion> kCrowdMotions[] = {{"stand", CrowdMotion::stand},
                                                                             {"walk", CrowdMotion::walk}};

struct CrowdOptions {
    int faces = 60;           // people in the hall, 0 to 5000; all are in view in frame 0, some leave it later
    int width = 1920;         // pixels, 64 to 16384
    int height = 1080;        // pixels, 64 to 16384
    std::uint64_t seed = 1;   // another seed gives other people
    double fps = 30;          // frames per second of animation, kMinCrowdFps to kMaxCrowdFps
    std::int64_t frames = 0;  // number of frames for players; 0: endless
    CrowdMotion motion = CrowdMotion::stand;
    int uncover = -1;  // >= 0: black rectangles cover all faces but those of the first `uncover` people

    friend bool operator==(const CrowdOptions&, const CrowdOptions&) = default;
};

// Throws Error(usage) naming the option if a value is out of range.
void check_options(const CrowdOptions& options);

// Parses "faces=60,size=1920x1080,seed=1,fps=30,frames=300,motion=walk,uncover=12". Keys may be in any order, are
// optional, and occur at most once. Throws Error(usage) naming a key that is unknown, repeated, malformed or invalid.
[[nodiscard]] CrowdOptions parse_crowd_options(std::string_view spec);

// Converts "1920x1080" to width and height. Throws Error(usage) for any other format.
void parse_crowd_size(std::string_view text, CrowdOptions& options);

// One face of a frame. The box is a square like the windows of frontal Haar cascades: from above the brows to below the
// mouth, centered on the nose. It may extend beyond the frame.
struct CrowdFace {
    Box box{};
    int person = 0;       // from 0, constant over all frames. Walking: who has left comes back as another person.
    float visible = 1;    // visible fraction of the face, 0 to 1: in the frame, not behind a person or a rectangle
    bool ignore = false;  // visible < kVisibleFace (walking: kVisibleWalkingFace): detecting it is optional
};

// A face with a smaller visible fraction is marked `ignore`. Below kHiddenFace it is omitted from the ground truth, but
// of people who walk, all faces that are partly within the frame are listed.
inline constexpr float kVisibleFace = 0.8F;
inline constexpr float kVisibleWalkingFace = 0.5F;
inline constexpr float kHiddenFace = 0.15F;

// Thread-safe: all members are const, and the only shared mutable state is the pool.
class Crowd {
public:
    // threads: 0 selects one thread per core. Throws Error(usage) as check_options does.
    explicit Crowd(const CrowdOptions& options, int threads = 0);
    ~Crowd();
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;

    [[nodiscard]] const CrowdOptions& options() const noexcept;

    // Returns frame n >= 0: yuv420p, BT.709, limited range, pts n / fps. Its luma plane is the detector's gray image.
    [[nodiscard]] Frame frame(std::int64_t n) const;

    // Draws frame n into a yuv420p image of the options' size and sets its info. Throws Error(internal) for another
    // format or size.
    void draw(std::int64_t n, WritableFrame& image) const;

    // Returns the faces of frame n, by person, without drawing.
    [[nodiscard]] std::vector<CrowdFace> truth(std::int64_t n) const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace throng
