// Hides faces in the pixels of a frame. Each face is first reduced to at most 6x6 mean colors; everything that is drawn
// inside the opaque part of its region depends on those colors alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/algo/box.h"
#include "core/algo/redaction.h"
#include "core/base/choice_names.h"
#include "core/frame/frame.h"
#include "core/frame/frame_pool.h"

namespace throng {

enum class RedactStyle : std::uint8_t {
    blur,    // a smooth surface through the mean colors
    mosaic,  // blocks of the mean colors
    solid,   // one mean color
};

inline constexpr std::pair<std::string_view, RedactStyle> kRedactStyleNames[] = {
    {"blur", RedactStyle::blur}, {"mosaic", RedactStyle::mosaic}, {"solid", RedactStyle::solid}};

struct RedactOptions {
    RedactStyle style = RedactStyle::blur;
    // Distance from the box to the edge of the region on each side, as a share of the box's width or height. The
    // region is the ellipse in that larger rectangle. The outer 8 % of its radius is a soft edge. 0.3 hides the corners
    // of the box, too.
    float margin = 0.3F;

    friend bool operator==(const RedactOptions&, const RedactOptions&) = default;
};

// The faces to hide in one frame.
struct RedactRegions {
    std::vector<Box> boxes;  // pixels of the frame, without the margin; may lie partly or completely outside
    bool whole = false;      // hide the whole frame
};

// The faces to hide in one frame, with the style.
struct Redaction {
    RedactRegions regions;
    RedactOptions options;
};

// Returns the same regions for a frame that was resized by these factors.
[[nodiscard]] RedactRegions scaled(RedactRegions regions, float scale_x, float scale_y);

// Memory of an image that is changed in place, in any layout of interleaved or planar 8-bit samples.
struct RedactPlane {
    std::uint8_t* data = nullptr;
    std::ptrdiff_t pitch = 0;  // bytes per row
    int width = 0;             // sample positions per row
    int height = 0;            // rows
    int step = 1;              // bytes from one sample position to the next
    int channels = 1;          // bytes changed at each position, at most 4; the rest of the step (alpha) is kept
    int shift = 0;             // log2 of frame pixels per sample position, in both directions: 1 for 4:2:0 chroma
};
struct RedactImage {
    int width = 0;   // pixels
    int height = 0;  // pixels
    int num_planes = 0;
    RedactPlane planes[Frame::kMaxPlanes];
};

// Both share the memory of their argument. bgra_image is for 4 bytes per pixel whose fourth byte is kept.
[[nodiscard]] RedactImage redact_image(WritableFrame& frame);
[[nodiscard]] RedactImage bgra_image(std::uint8_t* pixels, std::ptrdiff_t pitch, int width, int height);

// Hides all regions in place; pixels outside remain unchanged. Fails safe: a box with a value that is not finite, or
// without extent, hides the whole frame. The mean colors of all regions are taken before anything is drawn. Where
// regions overlap, a later one is drawn over an earlier one; a pixel in the opaque part of any region keeps nothing of
// its original. Allocates little; safe to call on several threads for different images.
void redact(const RedactImage& image, const RedactRegions& regions, const RedactOptions& options);

// Hides the regions of an image that is read in strips, pixel for pixel as redact: first all its rows are measured, then
// they are redacted. Not thread-safe.
class StripRedactor {
public:
    // format: gray8 or bgr24.
    StripRedactor(PixelFormat format, int width, int height, const RedactRegions& regions,
                  const RedactOptions& options);
    ~StripRedactor();
    StripRedactor(const StripRedactor&) = delete;
    StripRedactor& operator=(const StripRedactor&) = delete;

    // Each takes all rows of the image, in order. redact changes `rows` in place.
    void measure(const PlaneView& rows);
    void redact(std::uint8_t* rows, std::ptrdiff_t pitch, int height);

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Returns a copy of the frame in host memory with the regions hidden, in the same format and with the same timing.
// Copies a device frame to the host first.
[[nodiscard]] Frame redacted(const Frame& frame, const RedactRegions& regions, const RedactOptions& options,
                             FramePool& pool);

// Returns the shapes of the regions that touch a frame of this size, in drawing order; a single whole-frame shape if
// the frame must be hidden entirely. For the CUDA version, and for redaction_opacity.
[[nodiscard]] std::vector<RedactShape> redact_shapes(int width, int height, const RedactRegions& regions,
                                                     const RedactOptions& options);

// Writes the opacity of each pixel, from 0 to 255 (replaced completely), into a gray image of width * height bytes
// without padding: what redact hides, for measurements.
void draw_redaction_mask(int width, int height, const RedactRegions& regions, const RedactOptions& options,
                         std::vector<std::uint8_t>& mask);

}  // namespace throng
