#include "tests/support/rtsp_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/video/av.h"

namespace throng::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPacketBytes = 1400;
constexpr int kRtspPollMs = 20;

bool send_all(int socket, const std::string& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t sent = ::send(socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        done += static_cast<std::size_t>(sent);
    }
    return true;
}

bool readable(int socket) {
    pollfd expected{socket, POLLIN, 0};
    return ::poll(&expected, 1, kRtspPollMs) > 0;
}

std::string header(const std::string& request, const std::string& name) {
    const auto at = request.find("\r\n" + name + ": ");
    if (at == std::string::npos) return {};
    const auto begin = at + name.size() + 4;
    return request.substr(begin, request.find("\r\n", begin) - begin);
}

// Sends the file's packets through FFmpeg's RTP muxer. Each RTP or RTCP packet is sent to the client with interleaved
// framing.
class RtpSender {
public:
    RtpSender(const std::string& file, int client) : client_(client) {
        AVFormatContext* input = nullptr;
        if (avformat_open_input(&input, file.c_str(), nullptr, nullptr) < 0)
            throw std::runtime_error("cannot read " + file);
        input_.reset(input);
        stream_ = av_find_best_stream(input, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
        if (stream_ < 0) throw std::runtime_error("no video in " + file);

        avformat_alloc_output_context2(&output_, nullptr, "rtp", "rtp://127.0.0.1");
        AVStream* out = avformat_new_stream(output_, nullptr);
        avcodec_parameters_copy(out->codecpar, input->streams[stream_]->codecpar);
        out->codecpar->codec_tag = 0;
        auto* buffer = static_cast<unsigned char*>(av_malloc(kPacketBytes));
        output_->pb = avio_alloc_context(buffer, kPacketBytes, 1, this, nullptr, write_packet, nullptr);
        output_->pb->max_packet_size = kPacketBytes;
        if (avformat_write_header(output_, nullptr) < 0) throw std::runtime_error("no RTP for " + file);
    }
    ~RtpSender() {
        client_ = -1;
        av_write_trailer(output_);  // frees the muxer's own buffers
        av_freep(&output_->pb->buffer);
        avio_context_free(&output_->pb);
        avformat_free_context(output_);
    }
    RtpSender(const RtpSender&) = delete;
    RtpSender& operator=(const RtpSender&) = delete;

    [[nodiscard]] std::string session_description() {
        std::array<char, 4096> text{};
        av_sdp_create(&output_, 1, text.data(), static_cast<int>(text.size()));
        return std::string(text.data()) + "a=control:track0\r\n";
    }

    // Reads the next packet and returns its time in seconds.
    double next() {
        av_packet_unref(packet_.get());
        while (av_read_frame(input_.get(), packet_.get()) < 0 || packet_->stream_index != stream_) {
            if (packet_->data != nullptr) {
                av_packet_unref(packet_.get());
                continue;
            }
            av_seek_frame(input_.get(), stream_, 0, AVSEEK_FLAG_BACKWARD);
            offset_ = last_end_;
        }
        const AVRational clock = input_->streams[stream_]->time_base;
        packet_->pts += offset_;
        packet_->dts += offset_;
        last_end_ = packet_->dts + packet_->duration;
        return static_cast<double>(packet_->dts) * av_q2d(clock);
    }

    bool send() {
        av_packet_rescale_ts(packet_.get(), input_->streams[stream_]->time_base, output_->streams[0]->time_base);
        packet_->stream_index = 0;
        av_write_frame(output_, packet_.get());
        return alive_;
    }

private:
#if LIBAVFORMAT_VERSION_MAJOR >= 61
    using Bytes = const std::uint8_t*;
#else
    using Bytes = std::uint8_t*;
#endif
    static int write_packet(void* self, Bytes bytes, int size) {
        auto& sender = *static_cast<RtpSender*>(self);
        if (sender.client_ < 0) return size;
        const bool control = bytes[1] >= 200 && bytes[1] <= 204;
        std::string framed = {'$', control ? '\1' : '\0', static_cast<char>(size >> 8), static_cast<char>(size & 0xFF)};
        framed.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
        sender.alive_ = sender.alive_ && send_all(sender.client_, framed);
        return size;
    }

    int client_;
    av::InputPtr input_;
    AVFormatContext* output_ = nullptr;
    av::PacketPtr packet_ = av::make_packet();
    int stream_ = -1;
    std::int64_t offset_ = 0;
    std::int64_t last_end_ = 0;
    bool alive_ = true;
};

}  // namespace

RtspServer::RtspServer(std::filesystem::path file) : file_(std::move(file)) {
    session_description_ = RtpSender(file_.string(), -1).session_description();
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
}

RtspServer::~RtspServer() {
    thread_.request_stop();
    thread_.join();
}

std::string RtspServer::url(const std::string& user_info) const {
    return "rtsp://" + (user_info.empty() ? "" : user_info + "@") + "127.0.0.1:" + std::to_string(listener_.port()) +
           "/stream";
}

void RtspServer::serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        if (!readable(listener_.file())) continue;
        const int client = ::accept4(listener_.file(), nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0) continue;
        if (!rejecting_) {
            ++connections_;
            connected_ = true;
            const timeval limit{1, 0};
            ::setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
            talk(client, stop);
            connected_ = false;
        }
        ::close(client);
    }
}

void RtspServer::talk(int client, const std::stop_token& stop) {
    const int drops = drops_;
    std::string received;
    while (!stop.stop_requested() && drops == drops_) {
        if (!readable(client)) continue;
        std::array<char, 2048> bytes{};
        const ssize_t size = ::recv(client, bytes.data(), bytes.size(), 0);
        if (size <= 0) return;
        received.append(bytes.data(), static_cast<std::size_t>(size));
        const auto end = received.find("\r\n\r\n");
        if (end == std::string::npos) continue;
        const std::string request = received.substr(0, end + 2);
        received.erase(0, end + 4);

        const std::string method = request.substr(0, request.find(' '));
        std::string answer = "RTSP/1.0 200 OK\r\nCSeq: " + header(request, "CSeq") + "\r\nSession: 1\r\n";
        std::string body;
        if (method == "OPTIONS") answer += "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN\r\n";
        if (method == "DESCRIBE") {
            body = session_description_;
            answer += "Content-Type: application/sdp\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
        }
        if (method == "SETUP") answer += "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n";
        if (!send_all(client, answer + "\r\n" + body) || method == "TEARDOWN") return;
        if (method == "PLAY") {
            play(client, stop, drops);
            return;
        }
    }
}

void RtspServer::play(int client, const std::stop_token& stop, int drops) {
    RtpSender sender(file_.string(), client);
    playing_ = true;
    const auto start = Clock::now();
    while (!stop.stop_requested() && drops == drops_) {
        const auto due =
            start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(sender.next()));
        while ((Clock::now() < due || stalled_) && !stop.stop_requested() && drops == drops_) {
            std::array<char, 512> bytes{};  // receiver reports, TEARDOWN, or the end of the connection
            if (readable(client) && ::recv(client, bytes.data(), bytes.size(), 0) <= 0) return;
        }
        if (!sender.send()) return;
    }
}

}  // namespace throng::test
