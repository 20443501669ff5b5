// Cameras and streams: a thread opens, decodes, and reconnects after errors. read returns the newest frame.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "core/base/message.h"
#include "core/video/media_input.h"
#include "core/video/media_reader.h"
#include "core/video/source.h"

namespace throng {

// One connection of a live source, from its opening to its end or failure. Used by one thread.
class LiveInput {
public:
    LiveInput() = default;
    LiveInput(const LiveInput&) = delete;
    LiveInput& operator=(const LiveInput&) = delete;
    virtual ~LiveInput() = default;

    // Waits for the next frame, at most MediaRequest::source.read_timeout.
    [[nodiscard]] virtual MediaStatus next(MediaFrame& frame, const std::stop_token& stop) = 0;
    // Returns why next returned `broken`, or an end that is a failure. Empty: the sender ended.
    [[nodiscard]] virtual Message read_error() const = 0;
    // Returns how many seconds of the last call of next were spent waiting for data.
    [[nodiscard]] virtual double waited_seconds() const = 0;

    [[nodiscard]] virtual int width() const = 0;  // of the next frame in pixels; 0: unknown
    [[nodiscard]] virtual int height() const = 0;
    [[nodiscard]] virtual std::string details(int width, int height) const = 0;  // as SourceInfo::details
    [[nodiscard]] virtual double fps() const = 0;                                // 0: unknown
    [[nodiscard]] virtual double tick() const = 0;                               // seconds of MediaFrame::ticks
    [[nodiscard]] virtual double step() const = 0;                               // seconds between two frames
    [[nodiscard]] virtual std::int64_t num_jumps() const { return 0; }           // of the clock, back
    // As Demuxer::first_packet_hash; 0: unknown.
    [[nodiscard]] virtual std::uint64_t first_packet_hash() const { return 0; }
    // As MediaReader::remember_decoder.
    virtual void remember_decoder(MediaRequest&) const {}
};

// Opens a connection. Throws as open_source.
using OpenLiveInput =
    std::function<std::unique_ptr<LiveInput>(const MediaRequest& request, const std::stop_token& stop)>;

// Returns the connection of a reader that FFmpeg has opened.
[[nodiscard]] std::unique_ptr<LiveInput> live_input(std::unique_ptr<MediaReader> reader);

// Continues with an input that has been opened for this request, in a thread, until destroyed. A stream that stalls or
// ends is opened again after pauses that grow from 0.5 to 10 seconds. The number of attempts
// since it last delivered frames for kLastingConnection is at most source.reconnects. The source ends if the sender
// closed cleanly and begins again with the same packet, because it sends a file repeatedly.
[[nodiscard]] std::unique_ptr<VideoSource> make_live_source(const MediaRequest& request,
                                                            std::unique_ptr<LiveInput> input, OpenLiveInput open);

}  // namespace throng
