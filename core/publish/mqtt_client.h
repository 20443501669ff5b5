// Publishes texts to an MQTT broker (3.1.1) by libmosquitto, which is loaded when it is first used.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

namespace throng {

struct MqttOptions {
    std::string url;                        // mqtt[s]://[user[:password]@]host[:port][/prefix], see MqttClient::prefix
    std::string password_file;              // whose first line is the password; empty: that of the URL
    std::stop_token stop{};                 // ends the wait for a broker that is not there
    std::size_t max_events = 10000;         // that wait; more replace the oldest
    std::chrono::milliseconds retry{1000};  // from one attempt to connect to the next
    std::chrono::milliseconds patience{5000};  // of close
};

// Everything is sent with QoS 1, so that it arrives at least once. A thread connects, again after the
// connection was lost, and sends. The other functions never wait for the broker. Thread-safe.
//
// PREFIX/availability is "online" while connected and "offline" otherwise (the last will); PREFIX/lost is the number of
// events that came while max_events others waited. Both are retained.
class MqttClient {
public:
    // Throws Error(usage) for an address that is none, Error(unavailable) without libmosquitto, and Error(input) if the
    // password file cannot be read. Messages never show the password.
    explicit MqttClient(const MqttOptions& options);
    ~MqttClient();  // discards what was not sent
    MqttClient(const MqttClient&) = delete;
    MqttClient& operator=(const MqttClient&) = delete;

    // Returns the path of the URL, "throng" without one: the beginning of all topics but those of Home Assistant.
    [[nodiscard]] const std::string& prefix() const;

    // Sets a retained value. Only the newest one is sent, after each connection again: a broker that restarts may have
    // lost it. Throws Error(input) if the broker refused the first connection, for example the password.
    void set_state(const std::string& topic, const std::string& value);
    // Sends a text once, in order. Throws as set_state.
    void send_event(const std::string& topic, const std::string& text);

    // Sends what waits, then "offline", and disconnects. Throws as set_state, and Error(input) with the number of
    // messages that the broker did not confirm in time. Idempotent.
    void close();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace throng
