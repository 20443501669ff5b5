// Draws detections into an image, for recordings, images and tests. Writes directly into the pixels, so that thousands
// of boxes are cheap.
#pragma once

#include <cstdint>
#include <vector>

#include "core/detect/detection.h"
#include "core/frame/frame_pool.h"
#include "core/track/tracker.h"

namespace throng {

struct BoxColor {
    std::uint8_t red, green, blue, alpha;
};
// The colors of boxes on screen.
inline constexpr BoxColor kScreenRaw{255, 255, 255, 80};
inline constexpr BoxColor kScreenKept{46, 230, 191, 255};

struct AnnotateStyle {
    bool kept = true;     // bold boxes, colored from orange (low score) to green (high score)
    bool screen = false;  // in the colors of the screen instead
    bool raw = false;     // translucent boxes, one pixel wide, below the kept boxes
    bool labels = false;  // score and hits at each kept box
    // Scores at the two ends of the color scale. If equal, the lowest and the highest score of the frame.
    float low_score = 0;
    float high_score = 0;
};

// image must be bgr24 (PixelConverter::bgr_copy). Boxes are in pixels of the image and are clipped to it. Boxes with
// values that are not finite are skipped.
void annotate(WritableFrame& image, const std::vector<Detection>& kept, const std::vector<Detection>& raw,
              const AnnotateStyle& style);

// Draws the smoothed box and the id of each confirmed track that is not covered, in its color; thin if predicted.
void draw_tracks(WritableFrame& image, const std::vector<Track>& tracks);

// Returns the hue of a track in [0, 1): consecutive ids differ most.
[[nodiscard]] double track_hue(std::int64_t id);

// Draws the eyes, the nose and the corners of the mouth of each kept face, if the set has landmarks. Landmarks are in
// pixels of the image.
void draw_landmarks(WritableFrame& image, const DetectionSet& kept);

}  // namespace throng
