// A drawn, animated crowd with exact truth: the demo when there is no camera, and a test input without real people.
// Every frame is a pure function of the options and its number, the same bytes on every machine, compiler and number of
// threads: float32 with + - * / and comparisons only (no contraction, nothing of libm), and a random generator of our
// own.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/algo/box.h"
#include "core/frame/frame.h"
#include "core/frame/frame_pool.h"

namespace throng {

inline constexpr double kMinCrowdFps = 0.001;
inline constexpr double kMaxCrowdFps = 1000;

struct CrowdOptions {
    int faces = 60;           // people in the hall, 0 to 5000; all are in view in frame 0, later some pass its edges
    int width = 1920;         // pixels, 64 to 16384
    int height = 1080;        // pixels, 64 to 16384
    std::uint64_t seed = 1;   // another seed, other people
    double fps = 30;          // frames a second of animation, kMinCrowdFps to kMaxCrowdFps
    std::int64_t frames = 0;  // length for those who play it; 0: without end
    int uncover = -1;         // >= 0: all faces but those of the first `uncover` people are behind black rectangles

    friend bool operator==(const CrowdOptions&, const CrowdOptions&) = default;
};

// Throws Error(usage) naming the option when a value is out of range.
void check_options(const CrowdOptions& options);

// "faces=60,size=1920x1080,seed=1,fps=30,frames=300,uncover=12" in any order, every key at most once, none needed.
// Throws Error(usage) naming the key for one that is unknown, repeated, malformed or out of range.
[[nodiscard]] CrowdOptions parse_crowd_options(std::string_view spec);

// "1920x1080" to width and height. Throws Error(usage) for anything else.
void parse_crowd_size(std::string_view text, CrowdOptions& options);

// One face of a frame. The box is a square laid as the windows of frontal Haar cascades lie: from above the brows to
// below the mouth, centerd on the nose; it may reach over the frame's edge.
struct CrowdFace {
    Box box{};
    int person = 0;       // 0 to faces - 1, the same one in every frame
    float visible = 1;    // part of the face that is inside the frame and behind nobody and no black rectangle, 0 to 1
    bool ignore = false;  // visible < kVisibleFace: a detector may find it or not
};

// Below this visible part a face is marked `ignore`; below kHiddenFace it is left out of the truth.
inline constexpr float kVisibleFace = 0.8F;
inline constexpr float kHiddenFace = 0.15F;

// Thread-safe: all members are const and share nothing that changes but the pool.
class Crowd {
public:
    // threads: 0 for one a core. Throws Error(usage) as check_options does.
    explicit Crowd(const CrowdOptions& options, int threads = 0);
    ~Crowd();
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;

    [[nodiscard]] const CrowdOptions& options() const noexcept;

    // Frame n >= 0: yuv420p, BT.709, limited range, pts n / fps. Its luma plane is the detector's gray image.
    [[nodiscard]] Frame frame(std::int64_t n) const;

    // The same into an image of yuv420p and the options' size; sets its info. Throws Error(internal) for another
    // shape.
    void draw(std::int64_t n, WritableFrame& image) const;

    // The faces of frame n, by person, without drawing anything.
    [[nodiscard]] std::vector<CrowdFace> truth(std::int64_t n) const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace throng
