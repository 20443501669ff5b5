// A frame for writing its file again: with its exact time stamp, and what the pixels mean.
#pragma once

#include <cstdint>
#include <string>

#include "core/frame/frame.h"
#include "core/video/av.h"

namespace throng {

class Demuxer;
struct MediaFrame;

struct ExactFrame {
    Frame frame;                // host memory, in the orientation of display. pts as VideoSource defines it for files.
    std::int64_t ticks = 0;     // time from the first frame, in units of VideoFormat::time_base; strictly increasing
    std::int64_t duration = 0;  // in the same units; if the file has none, the time since the previous frame
    bool top_field_first = false;
    bool composed = false;  // over white, because pixels were transparent
};

// The properties of the first frame, in the orientation of display.
struct VideoFormat {
    FrameInfo first;  // as the first frame has it
    int width = 0;    // pixels
    int height = 0;
    AVRational time_base{1, 25};
    double fps = 0;          // nominal; 0: unknown
    double first_frame = 0;  // seconds from the start of the video track
    AVRational sample_aspect_ratio{0, 1};
    AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
    AVColorPrimaries primaries = AVCOL_PRI_UNSPECIFIED;
    AVColorTransferCharacteristic transfer = AVCOL_TRC_UNSPECIFIED;
    AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
    AVChromaLocation chroma_location = AVCHROMA_LOC_UNSPECIFIED;
    bool interlaced = false;
    bool rotated = false;      // the frames are stored in another orientation
    std::string pixel_format;  // of the file: "yuv420p10le"
    int bits = 8;              // per component in the file
    bool subsampled = true;    // chroma is stored at half the width and height, or there is none
    int other_videos = 0;      // further video streams, which are not read
    int audio_tracks = 0;
    int plays = 0;  // how often an animation is played; 0: without end, as other videos that become animations
};

// Describes the first frame of a file. `first` is empty.
[[nodiscard]] VideoFormat describe_format(const MediaFrame& frame, const Demuxer& input, const std::string& path);

}  // namespace throng
