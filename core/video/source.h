// Where frames come from: files, streams, cameras, images and the procedural crowd behind one interface.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/frame/frame.h"

namespace throng {

enum class ReadStatus {
    frame,           // a frame was read
    timeout,         // a live source has none yet (or is reconnecting); call again
    format_changed,  // a frame was read and its size or format differs from the one before
    end,             // no more
};

struct SourceInfo {
    std::string name;     // as the user gave it, passwords in URLs masked
    std::string details;  // "h264 1920x1080 30 fps, software"
    int width = 0;        // of the next frame, as far as known; 0 unknown
    int height = 0;
    double fps = 0;  // 0 unknown
    std::optional<std::int64_t> frame_count;
    std::optional<double> duration;  // seconds
    bool live = false;
    bool seekable = false;
};

// A connection that gave frames for this long was a good one.
inline constexpr std::chrono::seconds kLastingConnection{10};

// How long a live source waits for a frame before it says that none came.
inline constexpr std::chrono::milliseconds kReadWait{200};

// read, seek and info are called from one thread (the decode thread).
class VideoSource {
public:
    VideoSource() = default;
    VideoSource(const VideoSource&) = delete;
    VideoSource& operator=(const VideoSource&) = delete;
    virtual ~VideoSource() = default;

    // Blocks until a frame, a time-out (live sources, kReadWait), the end, or a stop request (gives timeout).
    // Throws Error(input) when the input is broken beyond going on; frames read before stay valid.
    //
    // The pts of a frame never lies before that of the frame before it. Of a file it counts from the start of its
    // video track, by the file's own clock; where that jumps back by more than a second (files put together), it goes
    // on with the next frame step. Of a live source it counts from the first frame that came, by the sender's clock
    // within a connection; each connection joins it to the wall-clock time since that first frame, so it jumps by the
    // length of an outage. A seek, and every time that a looped file starts again, begin a new order.
    virtual ReadStatus read(Frame& frame, std::stop_token stop) = 0;

    // The next read gives the frame at or before this time. False where the source cannot seek.
    virtual bool seek(double seconds) { return static_cast<void>(seconds), false; }

    // The frame behind the last one is the first one again, numbered and timed as such: for sources that can go round
    // without stopping their decoder. The others just end, and so may any source where going round is not safe.
    virtual void set_loop(bool loop) { static_cast<void>(loop); }

    // The device that decodes or holds its frames is lost: from now on frames come from the host's decoder. The next
    // read gives the frame behind the one with this number and time (number -1: the first). False where the source
    // cannot go on there: a live one just goes on with what comes next. Throws Error(input) as open_source does.
    virtual bool resume_on_host(std::int64_t index, double pts) {
        return static_cast<void>(index), static_cast<void>(pts), false;
    }

    [[nodiscard]] virtual SourceInfo info() const = 0;
    // The file that the last frame came from: differs from info().name for a folder of images.
    [[nodiscard]] virtual std::string current_name() const { return info().name; }
    // One line about trouble that did not end the source ("reconnecting, attempt 3"), empty when all is well.
    [[nodiscard]] virtual std::string notice() const { return {}; }
    // Why the frames given so far are not all that the input holds, or not as it holds them (a cut-short or damaged
    // file, images left out, a connection lost in the middle of a file); empty while nothing is missing. Final once
    // read has returned end. Frames that a live source loses or replaces are not meant.
    [[nodiscard]] virtual std::string incomplete() const { return {}; }
    // Milliseconds of work behind the last frame, without the waiting for data, where the source knows them apart
    // (live sources decode on a thread of their own); none: the time that read took.
    [[nodiscard]] virtual std::optional<double> decode_ms() const { return std::nullopt; }
    // Frames of a live source that a newer one replaced before they were read.
    [[nodiscard]] virtual std::uint64_t replaced() const { return 0; }
};

struct SourceOptions {
    std::string decoder =
        "auto";  // auto, software, cuda, v4l2m2m; auto tries hardware when prefer_device_frames is set
    // Hand frames out in device memory where a hardware decoder leaves them there (NV12, see Frame::on_host); otherwise
    // they are brought to the host.
    bool prefer_device_frames = false;
    double open_timeout = 10;  // seconds: streams, pipes and devices
    double read_timeout = 5;   // seconds without data until a stream, pipe or device counts as stalled
    // Attempts to open a stream again since it last gave frames for kLastingConnection; -1 without limit.
    int reconnects = -1;
    int device = 0;  // GPU for hardware decoding
};

// spec: a video or image file, a folder of images, rtsp://…, camera:N or /dev/videoN, gst:PIPELINE, mosaic:SOURCE,
// crowd:faces=60,size=1920x1080,seed=1. Throws Error(input) when it cannot be opened, Error(usage) for a malformed
// spec, Error(unavailable) for a decoder that was asked for and is not there, Error(interrupted) after a stop request.
[[nodiscard]] std::unique_ptr<VideoSource> open_source(std::string_view spec, const SourceOptions& options = {},
                                                       std::stop_token stop = {});

// Cameras that can be opened now, for the window's menu: spec ("camera:0") and the device's own name.
struct CameraInfo {
    std::string spec;
    std::string name;
};
[[nodiscard]] std::vector<CameraInfo> list_cameras();

// The table of decoders and what of it works here, for `throng info`.
struct DecoderInfo {
    std::string name;  // as SourceOptions::decoder takes it
    bool available = false;
    std::string details;  // why not, where it is not
};
[[nodiscard]] std::vector<DecoderInfo> list_decoders(int device = 0);

}  // namespace throng
