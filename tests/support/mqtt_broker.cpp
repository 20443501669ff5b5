#include "tests/support/mqtt_broker.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>

namespace throng::test {
namespace {

constexpr int kBrokerPollMs = 10;

// A packet after its fixed header.
struct Packet {
    int head = 0;  // type and flags
    std::string body;
    std::size_t at = 0;

    int byte() { return static_cast<unsigned char>(body.at(at++)); }
    int number() {
        const int high = byte();
        return 256 * high + byte();
    }
    std::string text() {
        const auto size = static_cast<std::size_t>(number());
        std::string result = body.substr(at, size);
        at += size;
        return result;
    }
};

// Returns false if the client leaves or a stop is requested.
bool receive(int client, char* to, std::size_t size, const std::stop_token& stop, const std::atomic<bool>& away) {
    while (size > 0) {
        if (stop.stop_requested() || away) return false;
        pollfd file{client, POLLIN, 0};
        if (::poll(&file, 1, kBrokerPollMs) <= 0) continue;
        const ssize_t got = ::recv(client, to, size, 0);
        if (got <= 0) return false;
        to += got;
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

std::optional<Packet> next_packet(int client, const std::stop_token& stop, const std::atomic<bool>& away) {
    Packet packet;
    char byte = 0;
    if (!receive(client, &byte, 1, stop, away)) return std::nullopt;
    packet.head = static_cast<unsigned char>(byte);
    std::size_t length = 0;
    for (int shift = 0; shift < 28; shift += 7) {
        if (!receive(client, &byte, 1, stop, away)) return std::nullopt;
        length += static_cast<std::size_t>(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) break;
    }
    packet.body.resize(length);
    if (!receive(client, packet.body.data(), length, stop, away)) return std::nullopt;
    return packet;
}

void send_bytes(int client, std::initializer_list<int> bytes) {
    std::string text;
    for (const int byte : bytes) text += static_cast<char>(byte);
    static_cast<void>(!::send(client, text.data(), text.size(), MSG_NOSIGNAL));
}

}  // namespace

MqttBroker::MqttBroker() {
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
}

MqttBroker::~MqttBroker() {
    thread_.request_stop();
    thread_.join();
}

std::string MqttBroker::url(const std::string& prefix, const std::string& user_info) const {
    return "mqtt://" + (user_info.empty() ? "" : user_info + "@") + "127.0.0.1:" + std::to_string(listener_.port()) +
           "/" + prefix;
}

std::vector<MqttPublication> MqttBroker::publications() const {
    const std::lock_guard lock(mutex_);
    return publications_;
}

std::map<std::string, std::string> MqttBroker::retained() const {
    const std::lock_guard lock(mutex_);
    return retained_;
}

std::string MqttBroker::login() const {
    const std::lock_guard lock(mutex_);
    return login_;
}

void MqttBroker::publish(MqttPublication publication) {
    const std::lock_guard lock(mutex_);
    if (publication.retained) retained_[publication.topic] = publication.text;
    publications_.push_back(std::move(publication));
}

void MqttBroker::serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        pollfd file{listener_.file(), POLLIN, 0};
        if (::poll(&file, 1, kBrokerPollMs) <= 0) continue;
        const int client = ::accept4(listener_.file(), nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0) continue;
        if (!away_) talk(client, stop);
        ::close(client);
    }
}

void MqttBroker::talk(int client, const std::stop_token& stop) {
    enum { connect = 1, publication = 3, ping = 12, disconnect = 14 };
    std::optional<MqttPublication> will;
    while (std::optional<Packet> packet = next_packet(client, stop, away_)) {
        const int type = packet->head >> 4;
        if (type == connect) {
            static_cast<void>(packet->text());  // "MQTT"
            static_cast<void>(packet->byte());  // 4
            const int flags = packet->byte();
            static_cast<void>(packet->number());  // seconds between pings
            static_cast<void>(packet->text());    // name of the client
            if ((flags & 4) != 0) {
                will.emplace();
                will->topic = packet->text();
                will->text = packet->text();
                will->retained = (flags & 32) != 0;
                will->qos = flags >> 3 & 3;
            }
            std::string login = (flags & 128) != 0 ? packet->text() : "";
            if ((flags & 64) != 0) login += ":" + packet->text();
            {
                const std::lock_guard lock(mutex_);
                login_ = std::move(login);
            }
            send_bytes(client, {0x20, 2, 0, refusal_});
            if (refusal_ != 0) return;
            ++connections_;
        } else if (type == publication) {
            MqttPublication got;
            got.qos = packet->head >> 1 & 3;
            got.retained = (packet->head & 1) != 0;
            got.topic = packet->text();
            const int id = got.qos > 0 ? packet->number() : 0;
            got.text = packet->body.substr(packet->at);
            publish(std::move(got));
            if (until_drop_ >= 0 && until_drop_-- == 0) break;
            send_bytes(client, {0x40, 2, id / 256, id % 256});
        } else if (type == ping) {
            send_bytes(client, {0xd0, 0});
        } else if (type == disconnect) {
            return;
        }
    }
    if (will) publish(*will);
}

}  // namespace throng::test
