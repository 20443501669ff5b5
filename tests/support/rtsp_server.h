// A small RTSP server for tests: one H.264 file, sent in a loop to one client at a time, RTP in the RTSP connection
// (RFC 2326, section 10.12). Listens only on the loopback interface.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/support/loopback.h"

namespace throng::test {

class RtspServer {
public:
    // file: an MP4 with H.264. Throws std::runtime_error if it cannot be read or no port is free.
    explicit RtspServer(std::filesystem::path file);
    ~RtspServer();
    RtspServer(const RtspServer&) = delete;
    RtspServer& operator=(const RtspServer&) = delete;

    // rtsp://[user_info@]127.0.0.1:port/stream
    [[nodiscard]] std::string url(const std::string& user_info = {}) const;

    void stall(bool stalled) { stalled_ = stalled; }         // keeps the connection, sends nothing
    void reject(bool rejecting) { rejecting_ = rejecting; }  // closes every new connection at once
    void drop() { ++drops_; }                                // closes the current connection

    [[nodiscard]] int connections() const { return connections_; }  // number of accepted, not rejected connections
    [[nodiscard]] bool connected() const { return connected_; }     // true while a client is connected
    [[nodiscard]] bool playing() const { return playing_; }         // true after a client has requested the frames

private:
    void serve(const std::stop_token& stop);
    void talk(int client, const std::stop_token& stop);
    void play(int client, const std::stop_token& stop, int drops);

    std::filesystem::path file_;
    std::string session_description_;
    LoopbackListener listener_;
    std::atomic<bool> stalled_ = false;
    std::atomic<bool> rejecting_ = false;
    std::atomic<bool> connected_ = false;
    std::atomic<int> drops_ = 0;
    std::atomic<int> connections_ = 0;
    std::atomic<bool> playing_ = false;
    std::jthread thread_;
};

}  // namespace throng::test
