// Plans which rectangles of a frame go through the network, and at which scales. Objects from min_size to max_size
// pixels are found in a frame of any size.
//
// A network finds objects whose longer side is in the range of its family (Reach), in pixels of its input. The first
// pass scales the frame so that min_size becomes the minimum (1: native resolution). Each further pass divides the
// scale by scale_factor, until an object of max_size, or as large as the frame, is at most the maximum. An input larger
// than kMaxTileWidth x kMaxTileHeight is cut into tiles that overlap. An object belongs to the tile whose core contains
// its center.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/algo/cnn_boxes.h"
#include "core/algo/cnn_input.h"
#include "core/detect/detector.h"
#include "core/frame/frame.h"
#include "core/model/network.h"

namespace throng {

// Of a family of networks, in pixels of the input.
struct Reach {
    float min_object, max_object;
    float max_zoom;        // scale of a frame, for objects below min_object
    std::int32_t overlap;  // of tiles
};
inline constexpr Reach kFaceReach{10, 192, 4, 192};
// YOLOX has a stride for people of any height, up to that of the input: one pass, never enlarged.
inline constexpr Reach kPersonReach{16, 1e9F, 1, 768};
inline constexpr std::int32_t kMaxTileWidth = 4096;  // pixels of the input; large enough for the 4K formats
inline constexpr std::int32_t kMaxTileHeight = 2304;
inline constexpr std::int32_t kLetterboxSide = 640;  // pixels of the input if the file fixes none

// Key of DetectorParams::switches.
inline constexpr std::string_view kCnnInputSwitch = "input";
enum class CnnInput : std::uint8_t {
    native,     // "native": all scales that min_size, max_size and scale_factor require
    letterbox,  // "letterbox": the whole frame once, at the size that the model file fixes
};

// One run of the network.
struct CnnPass {
    // Input pixels; multiples of input_multiple (letterbox: as in the file). Samples outside the content are padding.
    std::int32_t width = 0, height = 0;
    std::int32_t content_width = 0, content_height = 0;
    CnnPlacement placement{};  // of the input in the frame
    CnnCore core{};            // boxes with centers outside belong to another tile
};

struct CnnPlan {
    std::vector<CnnPass> passes;  // scales descending, then tiles row by row
    // Raw boxes whose longer side, in pixels of the frame, is outside [min_side, max_side] are dropped.
    float min_side = 0;
    float max_side = 0;
};

// width and height are those of the frame, at least 1.
[[nodiscard]] CnnPlan plan_passes(const Network& network, std::int32_t width, std::int32_t height,
                                  const DetectorParams& params, CnnInput input);

// Returns the choice in params.switches. Throws Error(usage) naming the switch for an unknown choice.
[[nodiscard]] CnnInput cnn_input_choice(const DetectorParams& params);

// Returns the raw threshold: params.score_threshold or the family's default. That of a family of faces gives fewer than
// one false face per 100 frames without faces (tests/bench/cnn_accuracy.cpp). Throws Error(usage) outside (0, 1].
[[nodiscard]] float cnn_score_threshold(const DetectorParams& params, HeadFamily family);

// Return the resampling of a pass along an axis of a plane with `size` samples. Subsampled (chroma) planes have half as
// many samples as the frame has pixels, rounded up.
[[nodiscard]] CnnAxis horizontal_axis(const CnnPass& pass, std::int32_t size, bool subsampled);
[[nodiscard]] CnnAxis vertical_axis(const CnnPass& pass, std::int32_t size, bool subsampled);

// Returns the color conversion of a frame that is not bgr24. Gray uses y_offset and y_scale only.
[[nodiscard]] CnnColor cnn_color_of(const FrameInfo& info);

}  // namespace throng
