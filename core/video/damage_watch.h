// Decides which decoded frames may be incorrect, from what the decoder reports.
#pragma once

#include <cstdint>

#include "core/video/av.h"
#include "core/video/media_reader.h"

namespace throng {

// Not thread-safe. One per MediaReader; start again with a new one.
class DamageWatch {
public:
    // Forgets the damage so far: decoding has begun again elsewhere, without the frames before.
    void begin_again(const MediaReader& reader) {
        *this = {};
        errors_seen_ = reader.num_errors();
    }

    // Call for every frame that the reader returns, in order. Returns true if the frame, or one that it depends on, may be
    // decoded incorrectly.
    [[nodiscard]] bool is_damaged(const AVFrame& av_frame, const MediaReader& reader);

private:
    std::uint64_t errors_seen_ = 0;
    int suspect_frames_ = 0;  // frames that were in the decoder when it reported an error
    bool damaged_ = false;    // until the next key frame
};

}  // namespace throng
