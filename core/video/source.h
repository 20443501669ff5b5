// The interface of all frame sources: files, streams, cameras, images and the synthetic crowd.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/choice_names.h"
#include "core/base/message.h"
#include "core/frame/device_converter.h"
#include "core/frame/frame.h"

namespace throng {

enum class ReadStatus {
    frame,           // a frame was read
    timeout,         // no frame yet: a live source waits or reconnects (call again), or a stop was requested
    format_changed,  // a frame was read; its size or format differs from that of the previous frame
    end,             // no more frames
};

struct SourceInfo {
    std::string name;  // as the user specified it, passwords in URLs masked
    Message details;   // "h264 1920x1080 30 fps, software"
    int width = 0;     // of the next frame, if known; 0: unknown
    int height = 0;
    double fps = 0;  // 0: unknown
    std::optional<std::int64_t> frame_count;
    std::optional<double> duration;  // seconds
    bool live = false;
    bool seekable = false;
};

// A connection that delivered frames for this long counts as stable: the count of reconnection attempts restarts.
inline constexpr std::chrono::seconds kLastingConnection{10};

// Maximum time that read of a live source waits for a frame.
inline constexpr std::chrono::milliseconds kReadWait{200};

// Not thread-safe: read, seek and info must be called from one thread (the decode thread).
class VideoSource {
public:
    VideoSource() = default;
    VideoSource(const VideoSource&) = delete;
    VideoSource& operator=(const VideoSource&) = delete;
    virtual ~VideoSource() = default;

    // Blocks until a frame, a time-out (live sources, kReadWait), the end, or a stop request (returns timeout). Throws
    // Error(input) if the input is too damaged to continue; frames read before remain valid.
    //
    // The pts of a frame is never less than that of the previous frame. A seek and each loop iteration begin a new
    // sequence.
    // File: the pts counts from the start of the video track, by the clock of the file. If that clock wraps, or jumps
    // back (concatenated files), the pts continues with the next frame step (PacketClock).
    // Live source: the pts counts from the first frame received, by the clock of the sender within a connection. Each
    // connection is aligned to the wall-clock time since that first frame, so the pts jumps by the length of an outage.
    // The same holds where the clock of the sender jumps back.
    virtual ReadStatus read(Frame& frame, std::stop_token stop) = 0;

    // The next read returns the frame at or before this time. Returns false if the source cannot seek.
    virtual bool seek(double seconds) { return static_cast<void>(seconds), false; }

    // If set, the first frame follows the last one, with the index and the time of the first frame. Only for sources
    // that can loop without restarting their decoder. Other sources end, and any source may end if looping is not safe.
    virtual void set_loop(bool loop) { static_cast<void>(loop); }

    // Switches to software decoding after a failure of the device that decodes or holds the frames. The next read
    // returns the frame after the one with this index and time (index -1: the first frame); a live source continues
    // with the next frame it receives. Returns false if the source cannot resume. Throws Error(input) like open_source.
    virtual bool resume_on_host(std::int64_t index, double pts) {
        return static_cast<void>(index), static_cast<void>(pts), false;
    }

    [[nodiscard]] virtual SourceInfo info() const = 0;
    // Returns the file of the last frame. Differs from info().name for a folder of images.
    [[nodiscard]] virtual std::string current_name() const { return info().name; }
    // Returns one line about errors that did not end the source ("reconnecting, attempt 3"); empty without errors.
    [[nodiscard]] virtual Message notice() const { return {}; }
    // Returns why the frames read so far are not the complete, undamaged frames of the input: a truncated or damaged
    // file, skipped images, a connection that broke in the middle of a file. Empty while nothing is missing. Final once
    // read has returned end. Does not cover frames that a live source drops or replaces.
    [[nodiscard]] virtual std::string incomplete() const { return {}; }
    // Returns the milliseconds of work for the last frame without waiting for data, if the source measures them (live
    // sources decode on their own thread). None: use the duration of read.
    [[nodiscard]] virtual std::optional<double> decode_ms() const { return std::nullopt; }
    // Returns the number of frames of a live source that were replaced with a newer frame before they were read. Those
    // before the first call of read, while nobody asked for frames, do not count.
    [[nodiscard]] virtual std::uint64_t replaced() const { return 0; }
    // Returns how often a live source has been opened again after an error.
    [[nodiscard]] virtual std::uint64_t reconnects() const { return 0; }
};

enum class DecoderKind : std::uint8_t {
    automatic,  // hardware first when prefer_device_frames is set, then software
    cuda,
    nvv4l2dec,
    nvmpi,
    v4l2m2m,
    software,
};

// "auto", then the best decoder first.
inline constexpr std::pair<std::string_view, DecoderKind> kDecoderNames[] = {
    {"auto", DecoderKind::automatic}, {"cuda", DecoderKind::cuda},       {"nvv4l2dec", DecoderKind::nvv4l2dec},
    {"nvmpi", DecoderKind::nvmpi},    {"v4l2m2m", DecoderKind::v4l2m2m}, {"software", DecoderKind::software},
};

struct SourceOptions {
    DecoderKind decoder = DecoderKind::automatic;
    // Return the frames of a hardware decoder in device memory (NV12, see Frame::on_host). If false, they are copied to
    // the host.
    bool prefer_device_frames = false;
    // Read still images that are too large for memory in strips: the frames have Frame::rows. If false, they are errors.
    bool in_strips = false;
    // Makes what converts device frames with 10 bits and reads those of GStreamer. Null: they are copied to the host.
    MakeDeviceConverter make_converter = nullptr;
    double open_timeout = 10;  // seconds: streams, pipes and devices
    double read_timeout = 5;   // seconds without data until a stream, pipe or device counts as stalled
    // Maximum number of reconnection attempts since the stream last delivered frames for kLastingConnection; -1: no
    // limit.
    int reconnects = -1;
    int device = 0;  // GPU for hardware decoding
};

// spec: a video or image file, a folder of images, rtsp://…, camera:N or /dev/videoN, csi:N, gst:PIPELINE,
// mosaic:SOURCE, crowd:faces=60,size=1920x1080,seed=1. Throws Error(input) if the source cannot be opened, Error(usage)
// for a malformed spec, Error(unavailable) if the requested decoder is unavailable, and Error(interrupted) after a stop
// request.
[[nodiscard]] std::unique_ptr<VideoSource> open_source(std::string_view spec, const SourceOptions& options = {},
                                                       std::stop_token stop = {});

// A camera that can be opened now, for the menu of the window: spec ("camera:0") and name of the device.
struct CameraInfo {
    std::string spec;
    std::string name;
};
[[nodiscard]] std::vector<CameraInfo> list_cameras();

// The table of decoders with their availability, for `throng info`.
struct DecoderInfo {
    DecoderKind kind;
    bool available = false;
    std::string details;  // if unavailable: the reason
};
[[nodiscard]] std::vector<DecoderInfo> list_decoders(int device = 0);

}  // namespace throng
