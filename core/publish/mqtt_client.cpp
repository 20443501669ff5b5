#include "core/publish/mqtt_client.h"

#include <mosquitto.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/bounded_queue.h"
#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/log.h"
#include "core/base/secrets.h"
#include "core/base/shared_library.h"
#include "core/video/name_lookup.h"
#include "core/video/url.h"

namespace throng {
namespace {

using MqttClock = std::chrono::steady_clock;

constexpr auto kMqttCheck = std::chrono::milliseconds(500);  // libmosquitto looks for a silent broker so often
constexpr auto kMqttAnswer = std::chrono::seconds(5);        // from connecting to the greeting
constexpr double kMqttLookUp = 10;                           // seconds
constexpr int kMqttKeepAlive = 10;                           // seconds
constexpr int kMqttQos = 1;
constexpr std::size_t kMqttInFlight = 20;    // messages that are sent and not confirmed, as libmosquitto's default
constexpr std::size_t kMaxMqttPrefix = 200;  // bytes
constexpr std::uint64_t kMaxPasswordFile = 4096;

}  // namespace

// Types of members of MqttClient::Impl, so not in the unnamed namespace.

// libmosquitto's functions, loaded with the first client. Throws Error(unavailable) if it is not installed.
struct Mosquitto {
    SharedLibrary library{"libmosquitto.so.1"};
    decltype(&mosquitto_lib_init) init = library.require<decltype(mosquitto_lib_init)>("mosquitto_lib_init");
    decltype(&mosquitto_new) create = library.require<decltype(mosquitto_new)>("mosquitto_new");
    decltype(&mosquitto_destroy) destroy = library.require<decltype(mosquitto_destroy)>("mosquitto_destroy");
    decltype(&mosquitto_will_set) set_will = library.require<decltype(mosquitto_will_set)>("mosquitto_will_set");
    decltype(&mosquitto_username_pw_set) set_user =
        library.require<decltype(mosquitto_username_pw_set)>("mosquitto_username_pw_set");
    decltype(&mosquitto_int_option) set = library.require<decltype(mosquitto_int_option)>("mosquitto_int_option");
    decltype(&mosquitto_tls_set) set_tls = library.require<decltype(mosquitto_tls_set)>("mosquitto_tls_set");
    decltype(&mosquitto_connect_callback_set) on_connect =
        library.require<decltype(mosquitto_connect_callback_set)>("mosquitto_connect_callback_set");
    decltype(&mosquitto_publish_callback_set) on_publish =
        library.require<decltype(mosquitto_publish_callback_set)>("mosquitto_publish_callback_set");
    decltype(&mosquitto_connect_async) connect =
        library.require<decltype(mosquitto_connect_async)>("mosquitto_connect_async");
    decltype(&mosquitto_disconnect) disconnect =
        library.require<decltype(mosquitto_disconnect)>("mosquitto_disconnect");
    decltype(&mosquitto_publish) publish = library.require<decltype(mosquitto_publish)>("mosquitto_publish");
    decltype(&mosquitto_socket) socket = library.require<decltype(mosquitto_socket)>("mosquitto_socket");
    decltype(&mosquitto_want_write) wants_write =
        library.require<decltype(mosquitto_want_write)>("mosquitto_want_write");
    decltype(&mosquitto_loop_read) read = library.require<decltype(mosquitto_loop_read)>("mosquitto_loop_read");
    decltype(&mosquitto_loop_write) write = library.require<decltype(mosquitto_loop_write)>("mosquitto_loop_write");
    decltype(&mosquitto_loop_misc) check = library.require<decltype(mosquitto_loop_misc)>("mosquitto_loop_misc");
    decltype(&mosquitto_strerror) text_of = library.require<decltype(mosquitto_strerror)>("mosquitto_strerror");
    decltype(&mosquitto_connack_string) refusal =
        library.require<decltype(mosquitto_connack_string)>("mosquitto_connack_string");
};

struct MqttMessage {
    std::string topic, text;
};

namespace {

const Mosquitto& loaded_mosquitto() {
    static const Mosquitto& mosquitto = []() -> const Mosquitto& {
        const auto& loaded = *new Mosquitto();
        loaded.init();
        return loaded;
    }();
    return mosquitto;
}

UrlParts broker_of(const MqttOptions& options, const std::string& shown) {
    const auto fail = [&](const char* problem, const char* advice) {
        throw Error(ErrorKind::usage, problem, shown, advice);
    };
    if (has_unencoded_password(options.url)) {
        fail("the user name or the password ends the address too early", kEncodePassword);
    }
    std::optional<UrlParts> parts = parse_url(options.url);
    if (!parts || (parts->scheme != "mqtt" && parts->scheme != "mqtts")) {
        fail("is not the address of an MQTT broker",
             "use mqtt://HOST[:PORT][/PREFIX], or mqtts:// for TLS; USER:PASSWORD@ may precede HOST");
    }
    if (parts->port == 0) parts->port = parts->scheme == "mqtts" ? 8883 : 1883;
    if (parts->path.ends_with('/')) parts->path.pop_back();
    if (parts->path.empty()) parts->path = "throng";
    using namespace std::string_view_literals;
    if (parts->path.size() > kMaxMqttPrefix || parts->path.find_first_of("+#$\0"sv) != std::string::npos) {
        fail("the path is the beginning of all topics, which have up to 200 bytes without +, # and $",
             "use another path");
    }
    if (!options.password_file.empty()) {
        if (!parts->password.empty()) fail("there is a password in the address, too", "leave one of them out");
        const std::string text = read_file(options.password_file, {options.stop, "password", kMaxPasswordFile});
        parts->password = text.substr(0, text.find_first_of("\r\n"));
    }
    if (parts->user.empty() && !parts->password.empty()) {
        fail("a password needs a user name", "write it into the address: mqtt://USER@HOST");
    }
    return *parts;
}

}  // namespace

class MqttClient::Impl {
public:
    Impl(const MqttOptions& options, UrlParts broker);
    ~Impl();
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void set_state(const std::string& topic, const std::string& value);
    void send_event(const std::string& topic, const std::string& text);
    void close();

    UrlParts broker;

private:
    void run(const std::stop_token& stop);
    void connect(const std::stop_token& stop);
    void wait(MqttClock::time_point until);
    void lose(const std::string& reason);
    void welcome(int status);
    void send_waiting();
    [[nodiscard]] bool next(MqttMessage& message, bool& retained);
    void wake() const;
    void rethrow_failure() const;

    const std::string shown_;  // the address, without the password
    const MqttOptions options_;
    const Mosquitto& mosquitto_ = loaded_mosquitto();
    const std::string availability_ = broker.path + "/availability";
    const std::string lost_ = broker.path + "/lost";
    BoundedQueue<MqttMessage> events_;

    mutable std::mutex mutex_;  // guards the members up to the next blank line
    std::map<std::string, std::string> states_;
    std::set<std::string> unsent_;  // topics of states
    std::uint64_t lost_events_ = 0;
    std::set<int> unconfirmed_;     // messages
    std::optional<Error> failure_;  // set by the thread
    bool connected_ = false;
    bool closing_ = false;
    bool ended_ = false;  // the thread
    std::condition_variable changed_;

    // Of the thread.
    mosquitto* client_ = nullptr;
    MqttClock::time_point next_try_{};
    bool was_connected_ = false;
    bool disconnecting_ = false;
    bool broken_ = false;  // the connection that libmosquitto still has
    MqttClock::time_point answer_by_{};
    int refused_ = 0;       // status of the broker
    std::string reported_;  // problem of the connection that was logged

    int wake_ = -1;
    std::jthread thread_;  // last member: joined before what it uses is destroyed
};

MqttClient::Impl::Impl(const MqttOptions& options, UrlParts parts)
    : broker(std::move(parts)), shown_(mask_credentials(options.url)), options_(options), events_(options.max_events) {
    wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
    client_ = mosquitto_.create(nullptr, true, this);
    if (client_ == nullptr) throw std::bad_alloc();
    constexpr std::string_view kOffline = "offline";
    mosquitto_.set_will(client_, availability_.c_str(), static_cast<int>(kOffline.size()), kOffline.data(), kMqttQos,
                        true);
    if (!broker.user.empty()) mosquitto_.set_user(client_, broker.user.c_str(), broker.password.c_str());
    if (broker.scheme == "mqtts") {
        mosquitto_.set(client_, MOSQ_OPT_TLS_USE_OS_CERTS, 1);
        // Version 2.0.11 does not connect a second time without a folder.
        mosquitto_.set_tls(client_, nullptr, "/etc/ssl/certs", nullptr, nullptr, nullptr);
    }
    mosquitto_.on_connect(client_,
                          [](mosquitto*, void* self, int status) { static_cast<Impl*>(self)->welcome(status); });
    mosquitto_.on_publish(client_, [](mosquitto*, void* self, int id) {
        Impl& impl = *static_cast<Impl*>(self);
        const std::lock_guard lock(impl.mutex_);
        impl.unconfirmed_.erase(id);
    });
    states_[availability_] = "online";
    states_[lost_] = "0";
    thread_ = std::jthread([this](const std::stop_token& stop) {
        const std::stop_callback on_stop(stop, [this] { wake(); });
        run(stop);
        const std::lock_guard lock(mutex_);
        ended_ = true;
        changed_.notify_all();
    });
}

MqttClient::Impl::~Impl() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    mosquitto_.destroy(client_);
    ::close(wake_);
}

void MqttClient::Impl::wake() const {
    const std::uint64_t one = 1;
    static_cast<void>(!::write(wake_, &one, sizeof one));
}

void MqttClient::Impl::rethrow_failure() const {
    if (failure_) throw Error(*failure_);
}

void MqttClient::Impl::set_state(const std::string& topic, const std::string& value) {
    {
        const std::lock_guard lock(mutex_);
        rethrow_failure();
        const auto [state, is_new] = states_.try_emplace(topic, value);
        if (!is_new && std::exchange(state->second, value) == value) return;
        unsent_.insert(topic);
    }
    wake();
}

void MqttClient::Impl::send_event(const std::string& topic, const std::string& text) {
    {
        const std::lock_guard lock(mutex_);
        rethrow_failure();
        events_.replace({topic, text});
        if (const std::uint64_t lost = events_.dropped(); lost != std::exchange(lost_events_, lost)) {
            if (lost == 1)
                logger().warn("{}: more than {} events wait, so the oldest are lost", shown_, options_.max_events);
            states_[lost_] = std::to_string(lost);
            unsent_.insert(lost_);
        }
    }
    wake();
}

void MqttClient::Impl::close() {
    std::size_t left = 0;
    {
        std::unique_lock lock(mutex_);
        if (!std::exchange(closing_, true)) {
            wake();
            // Who stops the program does not wait for a broker that is not there.
            const bool waits = connected_ || !options_.stop.stop_requested();
            if (waits) changed_.wait_for(lock, options_.patience, [this] { return ended_; });
        }
        left = ended_ ? 0 : unsent_.size() + events_.size() + unconfirmed_.size();
    }
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    rethrow_failure();
    if (left == 0) return;
    throw Error(ErrorKind::input, {"messages that the broker did not confirm: %1", std::to_string(left)}, shown_,
                reported_.empty() ? Message() : Message(reported_));
}

void MqttClient::Impl::run(const std::stop_token& stop) {
    const auto is_open = [this] { return !broken_ && mosquitto_.socket(client_) >= 0; };
    while (!stop.stop_requested() && !failure_) {
        if (!is_open() && MqttClock::now() >= next_try_) connect(stop);
        send_waiting();
        if (!is_open() && disconnecting_) return;
        if (is_open() && !connected_ && MqttClock::now() >= answer_by_) {
            broken_ = true;
            lose("the broker does not answer");
        }
        wait(is_open() ? MqttClock::now() + kMqttCheck : next_try_);
    }
}

void MqttClient::Impl::connect(const std::stop_token& stop) {
    next_try_ = MqttClock::now() + options_.retry;
    try {
        wait_for_host(options_.url, shown_, kMqttLookUp, stop);
    } catch (...) {
        const Error error = current_error();  // also of a thread that cannot be started
        next_try_ = MqttClock::now() + options_.retry;
        if (error.kind() != ErrorKind::interrupted) lose(error.problem().text());
        return;
    }
    broken_ = false;
    answer_by_ = MqttClock::now() + kMqttAnswer;
    const int status = mosquitto_.connect(client_, broker.host.c_str(), broker.port, kMqttKeepAlive);
    if (status != MOSQ_ERR_SUCCESS) lose(status == MOSQ_ERR_ERRNO ? std::strerror(errno) : mosquitto_.text_of(status));
}

// On the thread of the client, before the broker gets what it had not confirmed again.
void MqttClient::Impl::welcome(int status) {
    refused_ = status;
    if (status != 0) return;
    was_connected_ = true;
    if (!std::exchange(reported_, {}).empty()) logger().info("{}: connected", shown_);
    const std::lock_guard lock(mutex_);
    connected_ = true;
    for (const auto& [topic, value] : states_) unsent_.insert(topic);
}

void MqttClient::Impl::lose(const std::string& reason) {
    constexpr int kServerUnavailable = 3;
    const int refused = std::exchange(refused_, 0);
    std::string problem = refused != 0 ? mosquitto_.refusal(refused) : reason;
    if (problem.ends_with('.')) problem.pop_back();
    const std::lock_guard lock(mutex_);
    connected_ = false;
    if (disconnecting_) return;
    // A broker that has accepted these settings before may be about to start.
    if (refused != 0 && refused != kServerUnavailable && !was_connected_) {
        failure_.emplace(ErrorKind::input, problem, shown_, "check user name and password, and what the broker allows");
        return;
    }
    if (std::exchange(reported_, problem) != problem) {
        logger().warn("{}: not connected, tries again: {}", shown_, problem);
    }
}

void MqttClient::Impl::wait(MqttClock::time_point until) {
    const int socket = broken_ ? -1 : mosquitto_.socket(client_);
    std::array<pollfd, 2> files{{{wake_, POLLIN, 0}, {socket, POLLIN, 0}}};
    if (socket >= 0 && mosquitto_.wants_write(client_)) files[1].events |= POLLOUT;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - MqttClock::now()).count() + 1;
    ::poll(files.data(), files.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, 60000)));
    std::uint64_t count = 0;
    static_cast<void>(!::read(wake_, &count, sizeof count));
    if (socket < 0) return;
    const bool hung_up = (files[1].revents & (POLLERR | POLLHUP)) != 0;
    int problem = 0;
    socklen_t size = sizeof problem;
    if (hung_up) ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &problem, &size);
    int status = MOSQ_ERR_SUCCESS;
    if (hung_up || (files[1].revents & POLLIN) != 0) status = mosquitto_.read(client_, 1);
    if (status == MOSQ_ERR_SUCCESS && hung_up && !connected_) {
        // libmosquitto would wait for a handshake of TLS. Its next connection closes this one.
        broken_ = true;
        lose(problem != 0 ? std::strerror(problem) : "the connection is refused");
        return;
    }
    if (status == MOSQ_ERR_SUCCESS && (files[1].revents & POLLOUT) != 0) status = mosquitto_.write(client_, 1);
    if (status == MOSQ_ERR_SUCCESS) status = mosquitto_.check(client_);
    if (status == MOSQ_ERR_SUCCESS) return;
    if (problem == 0 && status == MOSQ_ERR_ERRNO) problem = errno;
    lose(problem != 0 ? std::strerror(problem) : mosquitto_.text_of(status));
}

bool MqttClient::Impl::next(MqttMessage& message, bool& retained) {
    const std::lock_guard lock(mutex_);
    if (!connected_ || disconnecting_ || unconfirmed_.size() >= kMqttInFlight) return false;
    retained = !unsent_.empty();
    if (retained) {
        message.topic = unsent_.extract(unsent_.begin()).value();
        message.text = states_.at(message.topic);
        return true;
    }
    if (events_.try_pop(message)) return true;
    if (!closing_ || !unconfirmed_.empty()) return false;
    if (std::exchange(states_[availability_], "offline") == "online") {
        message = {availability_, "offline"};
        return retained = true;
    }
    disconnecting_ = true;
    return false;
}

void MqttClient::Impl::send_waiting() {
    MqttMessage message;
    bool retained = false;
    while (next(message, retained)) {
        int id = 0;
        // After an error, libmosquitto has the message as well, and sends it when it is connected again.
        mosquitto_.publish(client_, &id, message.topic.c_str(), static_cast<int>(message.text.size()),
                           message.text.data(), kMqttQos, retained);
        const std::lock_guard lock(mutex_);
        if (id != 0) unconfirmed_.insert(id);
    }
    if (disconnecting_) mosquitto_.disconnect(client_);
}

MqttClient::MqttClient(const MqttOptions& options)
    : impl_(std::make_unique<Impl>(options, broker_of(options, mask_credentials(options.url)))) {}

MqttClient::~MqttClient() = default;

const std::string& MqttClient::prefix() const {
    return impl_->broker.path;
}

void MqttClient::set_state(const std::string& topic, const std::string& value) {
    impl_->set_state(topic, value);
}

void MqttClient::send_event(const std::string& topic, const std::string& text) {
    impl_->send_event(topic, text);
}

void MqttClient::close() {
    impl_->close();
}

}  // namespace throng
