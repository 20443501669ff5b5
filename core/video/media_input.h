// Opens what FFmpeg can demux, a file, a pipe, a connection, a stream or a device, and decides whether it is live.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/video/av.h"
#include "core/video/byte_stream.h"
#include "core/video/orientation.h"
#include "core/video/source.h"
#include "core/video/watchdog.h"

namespace throng {

// The component that reads the bytes of the input.
enum class ByteReader {
    ffmpeg,
    connection,  // ByteStream: a URL of a protocol that transfers files
    pipe,        // ByteStream: a path that is neither a file nor a folder
};

struct DecoderRow;
struct DecoderTable;

struct MediaRequest {
    std::string url;           // as FFmpeg takes it; a path for a pipe
    std::string shown;         // for messages, passwords masked
    std::string input_format;  // FFmpeg's name of a device or format; empty: detected from the data
    std::vector<std::pair<std::string, std::string>> options;  // for that format
    bool device = false;                                       // a camera: no probing, non-blocking
    ByteReader bytes = ByteReader::ffmpeg;
    bool live = false;                         // return frames with minimal delay
    bool may_end = false;                      // decide on opening whether the input has an end: see MediaInput::live
    std::optional<Orientation> orientation{};  // if set: that of all frames, whatever FFmpeg finds
    SourceOptions source;
    const DecoderTable* decoders = nullptr;  // null: that of decoders.h
    // With the decoder "auto": the row of that table behind which decoders are tried, because it and those before failed
    // with this input, and OpenDecoder::passed_over. Null: all are tried.
    const DecoderRow* failed_decoder = nullptr;
    std::string passed_over{};
};

// An input whose headers were read.
struct MediaInput {
    std::unique_ptr<Watchdog> watchdog = std::make_unique<Watchdog>();  // FFmpeg holds its address
    av::InputLog log;
    std::unique_ptr<ByteStream> bytes;  // input of `format`; null if FFmpeg reads the bytes
    av::InputPtr format;
    AVStream* stream = nullptr;              // the video
    std::deque<av::PacketPtr> ahead;         // packets read while opening
    std::chrono::duration<double> waited{};  // time that reading has waited for data
    // With may_end, an input is live if it has no length and no duration, and its sender sends in real time.
    bool live = false;
};

// Returns the request for a path that is not a folder. Determines the kind of file without opening a FIFO or a
// character device.
[[nodiscard]] MediaRequest file_request(const std::string& path, const SourceOptions& options);

// Throws Error(input) if the input cannot be opened or has no video, and Error(interrupted) after a stop request.
[[nodiscard]] MediaInput open_input(const MediaRequest& request, const std::stop_token& stop);

// Reads the next packet of any stream and adds the time that it took to MediaInput::waited. Returns an FFmpeg status.
[[nodiscard]] int read_packet(MediaInput& input, AVPacket& packet);

// Returns true for formats that list further inputs. The length of such a list is not the length of the video.
[[nodiscard]] bool is_playlist(std::string_view format);

// Formats a rate or a size with at most two decimals: "30", "29.97", "12.5".
[[nodiscard]] std::string short_number(double value);

}  // namespace throng
