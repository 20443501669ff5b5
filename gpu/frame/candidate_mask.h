// Which parts of a frame may hold a face: skin by its color, or a region of interest.
// The mask has a sample for every chroma sample and is summed up with the pyramid, so that asking for a window's share
// costs four reads.
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
    // Region of interest in pixels of the frame; without extent: all of it.
    int roi_x = 0, roi_y = 0, roi_width = 0, roi_height = 0;
    // A window is looked at when at least this share of its mask samples is set. In [0, 1].
    float least_share = 0.25F;

    [[nodiscard]] bool active() const { return skin || (roi_width > 0 && roi_height > 0); }
};

}  // namespace throng::gpu
