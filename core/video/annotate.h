// Draws detections into an image: for recordings, images and tests. Straight into the bytes, so that thousands are
// cheap.
#pragma once

#include <cstdint>
#include <vector>

#include "core/detect/detection.h"
#include "core/frame/frame_pool.h"

namespace throng {

enum class Privacy : std::uint8_t {
    none,
    blur,      // smooth
    pixelate,  // blocks
};

struct AnnotateStyle {
    bool kept = true;                 // bold boxes, their color from orange (low score) to green (high)
    bool raw = false;                 // one-pixel, see-through boxes below them
    bool labels = false;              // score and hits at each kept box
    Privacy privacy = Privacy::none;  // hides what is in the kept boxes, before anything is drawn
    // Scores at the two ends of the colors; equal: the lowest and the highest of the frame.
    float low_score = 0;
    float high_score = 0;
};

// image is bgr24 (PixelConverter::bgr_copy). Boxes are in its pixels; parts outside are clipped, and boxes with
// values that are not finite are left out.
void annotate(WritableFrame& image, const std::vector<Detection>& kept, const std::vector<Detection>& raw,
              const AnnotateStyle& style);

// Eyes, nose and corners of the mouth of each kept face, where the set has them; in pixels of the image.
void draw_landmarks(WritableFrame& image, const DetectionSet& kept);

// Averages each face and a margin around it down to a few cells, out of which it cannot be recognized.
void hide_faces(WritableFrame& image, const std::vector<Detection>& faces, Privacy privacy);

}  // namespace throng
