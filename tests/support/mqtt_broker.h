// A small MQTT broker for tests: accepts one client, confirms and records what it publishes (MQTT 3.1.1). Listens only on
// the loopback interface.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/loopback.h"

namespace throng::test {

struct MqttPublication {
    std::string topic, text;
    bool retained = false;
    int qos = 0;
};

class MqttBroker {
public:
    MqttBroker();  // throws std::runtime_error if no port is free
    ~MqttBroker();
    MqttBroker(const MqttBroker&) = delete;
    MqttBroker& operator=(const MqttBroker&) = delete;

    // mqtt://[user_info@]127.0.0.1:port/prefix
    [[nodiscard]] std::string url(const std::string& prefix, const std::string& user_info = {}) const;

    void refuse(int status) { refusal_ = status; }  // answers of further connections; 0: accepts them
    void away(bool away) { away_ = away; }          // closes every connection at once
    // Closes the connection after so many more publications, the last of which it does not confirm.
    void drop_after(int publications) { until_drop_ = publications; }

    [[nodiscard]] int connections() const { return connections_; }  // accepted ones
    [[nodiscard]] std::vector<MqttPublication> publications() const;
    // Returns the retained texts by topic, with the will of a client that left without a word.
    [[nodiscard]] std::map<std::string, std::string> retained() const;
    [[nodiscard]] std::string login() const;  // "user:password" of the newest connection

private:
    void serve(const std::stop_token& stop);
    void talk(int client, const std::stop_token& stop);
    void publish(MqttPublication publication);

    LoopbackListener listener_;
    std::atomic<int> refusal_ = 0;
    std::atomic<bool> away_ = false;
    std::atomic<int> until_drop_ = -1;
    std::atomic<int> connections_ = 0;
    mutable std::mutex mutex_;  // guards the members below
    std::vector<MqttPublication> publications_;
    std::map<std::string, std::string> retained_;
    std::string login_;
    std::jthread thread_;
};

}  // namespace throng::test
