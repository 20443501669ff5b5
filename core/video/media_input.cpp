#include "core/video/media_input.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "core/base/error.h"
#include "core/video/file_kind.h"
#include "core/video/name_lookup.h"
#include "core/video/packet_clock.h"
#include "core/video/url.h"

namespace throng {
namespace {

constexpr double kMaxProbe = 3;  // seconds of a live stream that are probed before it starts
// A live streaming server may begin with the last group of pictures (GOP), and so be some seconds ahead of real time.
constexpr double kFarAhead = 20;                  // seconds
constexpr std::size_t kMaxBytesAhead = 64 << 20;  // no GOP is larger
constexpr double kGrace = 1;  // seconds: lets the ByteStream, whose message is more specific, time out first
constexpr auto kPacedWait = std::chrono::milliseconds(500);

// Returns true for text that FFmpeg would render as on a terminal. Such a file is not intended as a video.
bool is_text(AVCodecID codec) {
    constexpr std::array kText = {AV_CODEC_ID_ANSI, AV_CODEC_ID_BINTEXT, AV_CODEC_ID_XBIN, AV_CODEC_ID_IDF};
    return std::find(kText.begin(), kText.end(), codec) != kText.end();
}

std::pair<Message, Message> explanation(int status, const MediaRequest& request, bool live, bool expired) {
    if (expired) {
        return {{"no answer within %1 s", short_number(request.source.open_timeout)},
                "check the address, the network and whether the sender is running"};
    }
    switch (status) {
        case AVERROR_HTTP_UNAUTHORIZED:
            if (const auto url = parse_url(request.url); url && !(url->user + url->password).empty()) {
                return {"the server rejected the user name or password",
                        "check both, and encode @ / : in them as %40 %2F %3A"};
            }
            return {"the server requires a user name and a password", "put user:password@ before the host"};
        case AVERROR_HTTP_FORBIDDEN: return {"the server denied access", "check the user name and the password"};
        case AVERROR_HTTP_NOT_FOUND: return {"not found on the server", "check the path after the host"};
        case AVERROR_PROTOCOL_NOT_FOUND:
            return {"this FFmpeg build does not support this protocol", "check the part before the colon"};
        case AVERROR(ENODEV):
        case AVERROR(EBUSY): return {av::message(status).c_str(), "another program may be using it"};
        default: break;
    }
    // Demuxers so report a file that ends in its header.
    const bool ends = status == AVERROR_EOF || status == AVERROR(EINVAL) || status == AVERROR(EIO);
    const bool unreadable = status == AVERROR_INVALIDDATA || (ends && !live);
    const Message what = unreadable ? Message("not a readable video") : Message(av::message(status).c_str());
    if (has_unencoded_password(request.url)) return {what, kEncodePassword};
    if (unreadable) return {what, "the file may be damaged, cut short, or of another type"};
    return {what, live ? "check the address and whether the sender is running" : ""};
}

// Opens the ByteStream if the request has one. Returns an FFmpeg status.
int open_bytes(const MediaRequest& request, MediaInput& input, av::Dictionary& options, const std::stop_token& stop) {
    const ByteLimits limits{request.source.open_timeout, request.source.read_timeout};
    int status = 0;
    if (request.bytes == ByteReader::pipe) input.bytes = open_pipe_stream(request.url, limits, stop, status);
    if (request.bytes == ByteReader::connection) {
        input.bytes = open_url_stream(request.url, options, limits, stop, status);
        if (!input.bytes) return status;
        if (const std::string allowed = input.bytes->allowed_protocols(); !allowed.empty()) {
            options.set("protocol_whitelist", allowed);
        }
        if (input.bytes->size()) input.live = false;  // preliminary: it may be a playlist
    }
    if (input.bytes) input.watchdog->arm(request.source.open_timeout + kGrace, stop);
    return status;
}

void open_format(const MediaRequest& request, MediaInput& input, const std::stop_token& stop) {
    wait_for_host(request.url, request.shown, request.source.open_timeout, stop);
    av::Dictionary options;
    for (const auto& [key, value] : request.options) options.set(key, value);
    if (request.device) av::register_devices();
    auto* format = request.input_format.empty() ? nullptr : av_find_input_format(request.input_format.c_str());
    if (format == nullptr && !request.input_format.empty()) {
        throw Error(ErrorKind::unavailable, {"this FFmpeg build has no support for %1", request.input_format},
                    request.shown);
    }

    input.watchdog->arm(request.source.open_timeout, stop);
    AVFormatContext* context = nullptr;
    int status = open_bytes(request, input, options, stop);
    // FFmpeg's demuxer of image files takes the characters %, * and ? in a name for a pattern of names.
    options.set("pattern_type", "none");
    if (input.live) options.set("fpsprobesize", "5");  // frames; the default of 20 would delay the first frame
    // PacketClock does so. FFmpeg treats any jump back in time as a clock overflow and adds 26 hours.
    options.set("correct_ts_overflow", "0");
    const av::LogScope scope(input.log);
    if (status >= 0) {
        context = avformat_alloc_context();
        if (context == nullptr) throw std::bad_alloc();
        context->interrupt_callback = {Watchdog::interrupt, input.watchdog.get()};
        if (input.bytes) context->pb = &input.bytes->context();
        if (request.device) context->flags |= AVFMT_FLAG_NONBLOCK;
        if (input.live) {
            // Drops the packets that were read while probing, because they are late. A ByteStream keeps them: a short
            // stream may have no others.
            if (!input.bytes) context->flags |= AVFMT_FLAG_NOBUFFER;
            context->max_analyze_duration = static_cast<std::int64_t>(kMaxProbe * AV_TIME_BASE);
        }
        const std::string redirected = input.bytes ? input.bytes->location() : "";
        const std::string& url = redirected.empty() ? request.url : redirected;
        input.log.demuxer = context;
        status = avformat_open_input(&context, url.c_str(), format, options.address());
    }
    input.format.reset(context);  // null after a failure
    input.log.skipped = 0;        // in the header, which has no frames
    if (status >= 0 && !request.device) status = avformat_find_stream_info(context, nullptr);
    if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped while opening", request.shown);
    if (status >= 0) return;
    if (input.bytes && !input.bytes->failure().empty()) {
        throw Error(ErrorKind::input, input.bytes->failure(), request.shown, "check the sender of the video");
    }
    const bool expired = input.watchdog->expired() || status == AVERROR(ETIMEDOUT) || status == AVERROR_EXIT;
    const auto [what, advice] = explanation(status, request, input.live, expired);
    throw Error(ErrorKind::input, what, request.shown, advice);
}

void choose_stream(const MediaRequest& request, MediaInput& input) {
    AVFormatContext& format = *input.format;
    const int index = av_find_best_stream(&format, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    input.stream = index >= 0 ? format.streams[index] : nullptr;
    // Cover art of an audio file is not a video.
    if (input.stream == nullptr || (input.stream->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0 ||
        is_text(input.stream->codecpar->codec_id)) {
        throw Error(ErrorKind::input, "the input contains no video", request.shown, "choose a file with a video track");
    }
    for (unsigned i = 0; i < format.nb_streams; ++i) {
        if (format.streams[i] != input.stream) format.streams[i]->discard = AVDISCARD_ALL;
    }
}

// Returns true if the sender sends faster than real time, as for a file. Reads packets until they are far ahead of real
// time, until the end, or until reading has waited too long for data, as with a camera.
bool is_sent_ahead(const MediaRequest& request, MediaInput& input, const std::stop_token& stop) {
    const auto begin = std::chrono::steady_clock::now();
    const double tick = av_q2d(input.stream->time_base);
    const double step = frame_step_of(*input.format, *input.stream);
    std::size_t bytes = 0;
    double sent = 0;  // seconds of video
    input.watchdog->arm(request.source.read_timeout, stop);
    while (input.waited < kPacedWait && bytes < kMaxBytesAhead) {
        av::PacketPtr packet = av::make_packet();
        const int status = read_packet(input, *packet);
        if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped while opening", request.shown);
        if (status == AVERROR_EOF) return input.bytes == nullptr || input.bytes->closed_by_sender();
        if (status < 0) return false;
        if (packet->stream_index == input.stream->index) {
            bytes += static_cast<std::size_t>(packet->size);
            sent += packet->duration > 0 ? static_cast<double>(packet->duration) * tick : step;
        }
        input.ahead.push_back(std::move(packet));
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
        if (sent > kFarAhead + elapsed.count()) return true;
    }
    return bytes >= kMaxBytesAhead;
}

bool has_end(const MediaRequest& request, MediaInput& input, const std::stop_token& stop) {
    const bool list = is_playlist(input.format->iformat->name);
    const bool has_length = input.bytes && input.bytes->size() && !list;
    const bool has_duration = input.format->duration != AV_NOPTS_VALUE && input.format->duration > 0;
    return has_length || has_duration || (!list && is_sent_ahead(request, input, stop));
}

}  // namespace

std::string short_number(double value) {
    return fmt::format("{:g}", std::round(value * 100) / 100);
}

bool is_playlist(std::string_view format) {
    constexpr std::array<std::string_view, 4> kLists = {"hls", "dash", "sdp", "concat"};
    return std::any_of(kLists.begin(), kLists.end(),
                       [format](std::string_view name) { return format.substr(0, name.size()) == name; });
}

MediaRequest file_request(const std::string& path, const SourceOptions& options) {
    MediaRequest request;
    const std::filesystem::file_status status = std::filesystem::status(path);
    const bool pipe = std::filesystem::is_fifo(status) || std::filesystem::is_character_file(status) ||
                      std::filesystem::is_socket(status);
    if (pipe) request.bytes = ByteReader::pipe;
    request.url = pipe ? path : "file:" + path;  // prevents FFmpeg from parsing a colon in the name as a protocol
    request.shown = path;
    // An untrusted file must not cause other addresses to be opened.
    request.options = {{"protocol_whitelist", "file,crypto,data"}};
    if (const FileType type = pipe ? FileType() : find_file_type(path); type.begins_as_image) {
        request.input_format = type.demuxer;
        request.orientation = type.orientation;
    }
    request.source = options;
    return request;
}

MediaInput open_input(const MediaRequest& request, const std::stop_token& stop) {
    av::set_up();
    MediaInput input;
    input.live = request.live;
    open_format(request, input, stop);
    choose_stream(request, input);
    if (request.may_end) input.live = !has_end(request, input, stop);
    if (input.bytes) input.bytes->finish_opening();
    return input;
}

int read_packet(MediaInput& input, AVPacket& packet) {
    const av::LogScope scope(input.log);
    const auto begin = std::chrono::steady_clock::now();
    const int status = av_read_frame(input.format.get(), &packet);
    input.waited += std::chrono::steady_clock::now() - begin;
    return status;
}

}  // namespace throng
