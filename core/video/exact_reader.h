// Reads a video file for writing it again: every frame with its exact time stamp, and what the pixels mean.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/frame/frame.h"
#include "core/video/av.h"
#include "core/video/source.h"

namespace throng {

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
    std::string container;     // FFmpeg's name of the demuxer: "mov,mp4,m4a,3gp,3g2,mj2", "gif"
    std::string codec;         // "h264"
    int other_videos = 0;      // further video streams, which are not read
    int audio_tracks = 0;
    int plays = 0;  // how often an animation is played; 0: without end, as other videos that become animations
    std::optional<std::int64_t> frame_count;  // by the container
};

// Decodes in software: hardware decoders differ in what they return for damaged files. Not thread-safe.
class ExactReader {
public:
    // Decodes the first frame. path: a regular file. Throws like open_source.
    ExactReader(const std::string& path, const std::stop_token& stop);
    ~ExactReader();

    // Moves to the first frame from `seconds` on: next returns it, with the ticks of a reader that read all frames.
    // Returns the frame before it, if there is one. Call at most once, before next. Throws as next does, and
    // Error(interrupted) after a stop request.
    [[nodiscard]] std::optional<Frame> begin_at(double seconds, const std::stop_token& stop);

    // Returns false at the end and after a stop request. Throws Error(input) for a frame that cannot be converted.
    [[nodiscard]] bool next(ExactFrame& frame, const std::stop_token& stop);

    [[nodiscard]] const VideoFormat& format() const;
    // As VideoSource::incomplete.
    [[nodiscard]] std::string incomplete() const;
    // Returns how many time stamps were missing or not later than the previous one. Those frames follow the previous
    // one after one frame step, or after one tick.
    [[nodiscard]] std::int64_t corrected_times() const;
    // Returns false if the stream has no time stamps at all, so that all were made from the frame rate.
    [[nodiscard]] bool has_times() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace throng
