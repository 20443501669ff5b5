// The candidate mask selects the parts of a frame that may hold a face: skin by its color, or a region of interest. It
// has one sample per chroma sample and is integrated, so that a window's share costs four reads.
#pragma once

#include <cstdint>

namespace throng::gpu {

// Skin tone in Cb and Cr: D. Chai and K. N. Ngan, Face segmentation using skin-color map in videophone applications
// (IEEE TCSVT 1999), whose intervals are the defaults. Bounds are inclusive.
struct SkinTone {
    std::uint8_t cb_low = 77, cb_high = 127;
    std::uint8_t cr_low = 133, cr_high = 173;
};

struct CandidateMask {
    bool skin = false;  // takes effect on frames with chroma; on others every pixel counts as skin
    SkinTone tone;
    // Region of interest in pixels of the frame; the whole frame if the extent is 0.
    int roi_x = 0, roi_y = 0, roi_width = 0, roi_height = 0;
    // A window is evaluated if at least this share of its mask samples is set. In [0, 1].
    float min_share = 0.25F;

    [[nodiscard]] bool active() const { return skin || (roi_width > 0 && roi_height > 0); }
};

}  // namespace throng::gpu
