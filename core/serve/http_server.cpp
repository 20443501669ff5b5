#include "core/serve/http_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/serve/http_client.h"
#include "core/serve/listener.h"
#include "core/serve/request_rates.h"
#include "core/serve/tls.h"

namespace throng {
namespace {

using Client = HttpClient;
using Clock = Client::Clock;
using Bytes = Client::Bytes;

constexpr std::size_t kReadBytes = std::size_t{64} << 10U;
constexpr std::chrono::milliseconds kSweep{250};
constexpr std::chrono::milliseconds kLinger{2000};  // until a client that was refused has read why
constexpr std::chrono::seconds kSilence{15};        // of a stream of events, until a comment shows that it lives
constexpr std::uint64_t kListener = 0, kWaker = 1, kFirstClient = 2;

}  // namespace

class HttpServer::Impl {
public:
    explicit Impl(const HttpServerOptions& options) : limits_(options.limits), rates_(limits_) {
        if (options.certificate.empty() != options.key.empty()) {
            throw Error(ErrorKind::usage, "a certificate and its key belong together",
                        Setting{options.key.empty() ? "http_certificate" : "http_key"}, "give both");
        }
        if (!options.certificate.empty()) tls_ = make_tls_context(options.certificate, options.key);
        listener_ = listen_at(options.address);
        epoll_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
        waker_ = Descriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
        if (epoll_.get() < 0 || waker_.get() < 0) {
            throw Error(ErrorKind::unavailable, {"no server can be started: %1", std::strerror(errno)},
                        Setting{"http"});
        }
        watch(waker_.get(), kWaker, EPOLLIN, EPOLL_CTL_ADD);
    }

    ~Impl() { stop(); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void start(Handler handler) {
        handler_ = std::move(handler);
        watch(listener_.socket.get(), kListener, EPOLLIN, EPOLL_CTL_ADD);
        thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    }

    void stop() {
        if (!thread_.joinable()) return;
        thread_.request_stop();
        wake();
        thread_.join();
    }

    void answer(std::uint64_t client, HttpResponse response) {
        {
            const std::lock_guard lock(mutex_);
            answers_.emplace_back(client, std::move(response));
        }
        wake();
    }

    void publish(const std::string& channel, Bytes bytes, bool newest) {
        {
            const std::lock_guard lock(mutex_);
            const auto found = channels_.find(channel);
            if (found == channels_.end()) return;
            if (newest) {
                found->second.newest = std::move(bytes);
                ++found->second.number;
            } else {
                found->second.pending.push_back(std::move(bytes));
            }
        }
        wake();
    }

    std::size_t num_clients(const std::string& channel) const {
        const std::lock_guard lock(mutex_);
        const auto found = channels_.find(channel);
        return found == channels_.end() ? 0 : found->second.clients;
    }

    std::size_t num_clients() const {
        const std::lock_guard lock(mutex_);
        return connected_;
    }

    std::string url() const {
        const bool v6 = listener_.host.find(':') != std::string::npos;
        return (tls_ ? "https://" : "http://") + (v6 ? "[" + listener_.host + "]" : listener_.host) + ":" +
               std::to_string(listener_.port) + "/";
    }

    HttpLimits limits_;
    RequestRates rates_;
    Listener listener_;

private:
    struct Channel {
        std::size_t clients = 0;
        Bytes newest{};
        std::uint64_t number = 0;      // of the newest one
        std::vector<Bytes> pending{};  // not yet given to the clients
    };

    void watch(int descriptor, std::uint64_t id, std::uint32_t events, int operation) const {
        epoll_event event{};
        event.events = events;
        event.data.u64 = id;
        epoll_ctl(epoll_.get(), operation, descriptor, &event);
    }

    void wake() const {
        const std::uint64_t one = 1;
        static_cast<void>(!::write(waker_.get(), &one, sizeof one));
    }

    void run(const std::stop_token& stop) {
        // A client that has left must not end the process: TLS writes without MSG_NOSIGNAL.
        sigset_t pipe_signal;
        sigemptyset(&pipe_signal);
        sigaddset(&pipe_signal, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipe_signal, nullptr);
        pthread_setname_np(pthread_self(), "http");  // as tests and tools know it
        std::array<epoll_event, 64> events{};
        Clock::time_point swept = Clock::now();
        while (!stop.stop_requested()) {
            const bool idle = clients_.empty() && !paused_;
            const int timeout = !again_.empty() ? 0 : idle ? -1 : static_cast<int>(kSweep.count());
            const int count = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout);
            for (int i = 0; i < count; ++i) handle(events.at(static_cast<std::size_t>(i)));
            for (const std::uint64_t id : std::exchange(again_, {})) {
                if (Client* client = find(id)) advance(*client, true);
            }
            if (const auto now = Clock::now(); now - swept >= kSweep) {
                swept = now;
                sweep(now);
            }
        }
        clients_.clear();
    }

    void handle(const epoll_event& event) {
        if (event.data.u64 == kListener) {
            accept_clients();
        } else if (event.data.u64 == kWaker) {
            std::uint64_t count = 0;
            static_cast<void>(!::read(waker_.get(), &count, sizeof count));
            distribute();
        } else if (Client* client = find(event.data.u64)) {
            if ((event.events & (EPOLLHUP | EPOLLERR)) != 0) {
                remove(*client);
            } else {
                advance(*client, (event.events & EPOLLIN) != 0 || client->tls);
            }
        }
    }

    Client* find(std::uint64_t id) {
        const auto found = clients_.find(id);
        return found == clients_.end() ? nullptr : &found->second;
    }

    void accept_clients() {
        for (;;) {
            sockaddr_storage address{};
            socklen_t size = sizeof address;
            Descriptor socket(accept4(listener_.socket.get(), reinterpret_cast<sockaddr*>(&address), &size,
                                      SOCK_NONBLOCK | SOCK_CLOEXEC));
            if (socket.get() < 0) {
                // Without a descriptor, the next attempt waits: epoll would report the client again at once.
                if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
                    evict_slowest();
                    paused_ = true;
                    watch(listener_.socket.get(), kListener, 0, EPOLL_CTL_MOD);
                }
                if (errno == ECONNABORTED || errno == EINTR) continue;
                return;
            }
            if (clients_.size() >= limits_.num_clients && !evict_slowest()) {
                const HttpResponse busy = error_response(503, "too many clients");
                const std::string text = format_head(busy, false, true) + busy.body;
                if (!tls_) static_cast<void>(!::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL));
                continue;
            }
            const int on = 1;
            static_cast<void>(setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
            add_client(std::move(socket), numeric_address(address, size));
        }
    }

    void add_client(Descriptor socket, std::string address) {
        const std::uint64_t id = next_id_++;
        Client& client = clients_.try_emplace(id, -1, id, limits_).first->second;
        client.socket = std::move(socket);
        client.address = std::move(address);
        client.since = Clock::now();
        client.deadline = client.since + limits_.head_time;
        if (tls_) {
            client.tls.reset(SSL_new(tls_.get()));
            SSL_set_fd(client.tls.get(), client.socket.get());
            SSL_set_accept_state(client.tls.get());
        }
        client.interest = EPOLLIN;
        watch(client.socket.get(), id, client.interest, EPOLL_CTL_ADD);
        note_clients();
    }

    // Disconnects the client whose request has been incomplete for the longest time. Returns false without one.
    bool evict_slowest() {
        Client* slowest = nullptr;
        for (auto& [id, client] : clients_) {
            const bool waits = client.state == Client::State::reading || client.state == Client::State::lingering;
            if (waits && (slowest == nullptr || client.since < slowest->since)) slowest = &client;
        }
        if (slowest == nullptr) return false;
        remove(*slowest);
        return true;
    }

    void remove(Client& client) {
        held_ -= std::min(held_, client.reader.held());
        leave_channel(client);
        clients_.erase(client.id);
        note_clients();
    }

    void note_clients() {
        const std::lock_guard lock(mutex_);
        connected_ = clients_.size();
    }

    void leave_channel(Client& client) {
        if (client.channel.empty()) return;
        const std::lock_guard lock(mutex_);
        const auto found = channels_.find(client.channel);
        if (found != channels_.end() && --found->second.clients == 0) channels_.erase(found);
        client.channel.clear();
        --streams_;
    }

    // Reads, answers and writes what is possible now.
    void advance(Client& client, bool readable) {
        using State = Client::State;
        const bool reads = client.state != State::waiting && client.state != State::closing;
        if (readable && reads) receive(client);
        if (client.state == State::reading) process(client);
        flush(client);
        // A client may have sent its next request already.
        while (!client.gone && client.state == State::reading && client.out.empty() && !client.in.empty()) {
            const std::size_t before = client.in.size();
            process(client);
            flush(client);
            if (client.in.size() == before && client.out.empty()) break;
        }
        if (client.gone) {
            remove(client);
            return;
        }
        std::uint32_t interest = 0;
        if (client.state == State::lingering || client.state == State::streaming ||
            (client.state == State::reading && client.out.empty())) {
            interest |= EPOLLIN;
        }
        if (!client.out.empty() || client.tls_writes) interest |= EPOLLOUT;
        if (interest == client.interest) return;
        client.interest = interest;
        watch(client.socket.get(), client.id, interest, EPOLL_CTL_MOD);
    }

    void receive(Client& client) {
        const ssize_t count = client.read_some(buffer_.data(), buffer_.size());
        if (count < 0) {
            // A client that has sent its request may close its half of the connection, and reads the answer.
            if (client.state == Client::State::reading && !client.out.empty()) {
                client.keep_alive = false;
                finish(client);
            } else {
                client.gone = true;
            }
            return;
        }
        if (count == 0) return;
        const bool discards = client.state == Client::State::lingering || client.state == Client::State::streaming;
        if (!discards) client.in.append(buffer_.data(), static_cast<std::size_t>(count));
        if (client.tls && SSL_has_pending(client.tls.get()) != 0) again_.push_back(client.id);
    }

    void process(Client& client) {
        if (client.gone || !client.out.empty() || (client.in.empty() && !client.has_begun)) return;
        if (!client.has_begun) {
            client.has_begun = true;
            client.since = Clock::now();
            client.deadline = client.since + limits_.head_time;
        }
        const std::size_t before = client.reader.held();
        const RequestReader::State previous = client.reader.state();
        const RequestReader::State state = client.reader.advance(client.in);
        held_ += client.reader.held() - before;
        if (previous == RequestReader::State::head && state != previous) {
            client.deadline = Clock::now() + limits_.body_time;
        }
        if (state == RequestReader::State::failed) {
            refuse(client, client.reader.failure());
        } else if (state == RequestReader::State::complete) {
            dispatch(client);
        } else if (held_ > limits_.all_body_bytes) {
            HttpResponse busy = error_response(503, "too many requests with large bodies at a time");
            busy.headers.emplace_back("Retry-After", "1");
            refuse(client, busy);
        } else if (client.reader.take_expectation()) {
            static const Bytes kContinue = std::make_shared<std::string>("HTTP/1.1 100 Continue\r\n\r\n");
            push(client, kContinue);
        }
    }

    void dispatch(Client& client) {
        held_ -= std::min(held_, client.reader.held());
        HttpRequest request = client.reader.take();
        client.has_begun = false;
        client.keep_alive = request.keep_alive;
        client.headless = request.method == "HEAD";
        if (client.headless) request.method = "GET";
        if (!rates_.allows(client.address, Clock::now())) {
            HttpResponse refused = error_response(429, "too many requests");
            refused.headers.emplace_back("Retry-After", "1");
            respond(client, refused);
            return;
        }
        HttpAnswer answer;
        try {
            answer = handler_(request, client.id);
        } catch (...) {
            logger().error("a request failed: {}", current_error().what());
            answer = {error_response(500, "the request failed; the log of the program says why")};
        }
        if (answer.kind == HttpAnswer::Kind::later) {
            client.state = Client::State::waiting;
            client.deadline = Clock::time_point::max();
        } else if (answer.kind == HttpAnswer::Kind::stream) {
            begin_stream(client, answer);
        } else {
            respond(client, answer.response);
        }
    }

    void begin_stream(Client& client, const HttpAnswer& answer) {
        if (client.headless) {
            push(client, std::make_shared<std::string>(format_head(answer.response, false, false)));
            finish(client);
            return;
        }
        if (streams_ >= limits_.num_streams) {
            HttpResponse busy = error_response(503, "too many clients look at images and events");
            busy.headers.emplace_back("Retry-After", "10");
            respond(client, busy);
            return;
        }
        push(client, std::make_shared<std::string>(format_head(answer.response, false, false) + answer.response.body));
        client.state = Client::State::streaming;
        client.channel = answer.channel;
        client.deadline = Clock::time_point::max();
        ++streams_;
        const std::lock_guard lock(mutex_);
        Channel& channel = channels_[client.channel];
        ++channel.clients;
        client.seen = channel.number;  // the next image is new
    }

    void respond(Client& client, const HttpResponse& response) {
        std::string text = format_head(response, client.keep_alive, true);
        if (!client.headless) text += response.body;
        push(client, std::make_shared<std::string>(std::move(text)));
        if (!client.keep_alive) {
            finish(client);
            return;
        }
        client.state = Client::State::reading;
        client.since = Clock::now();
    }

    void refuse(Client& client, const HttpResponse& response) {
        client.keep_alive = false;
        client.headless = false;
        respond(client, response);
    }

    void finish(Client& client) {
        held_ -= std::min(held_, client.reader.held());
        static_cast<void>(client.reader.take());
        client.in.clear();
        client.state = Client::State::closing;
    }

    void push(Client& client, Bytes bytes) {
        if (client.out.empty()) client.deadline = Clock::now() + limits_.send_time;
        client.backlog += bytes->size();
        client.out.push_back(std::move(bytes));
    }

    void flush(Client& client) {
        while (!client.gone && !client.out.empty()) {
            const std::string& bytes = *client.out.front();
            const ssize_t count = client.write_some(bytes.data() + client.sent, bytes.size() - client.sent);
            if (count < 0) client.gone = true;
            if (count <= 0) return;
            client.sent += static_cast<std::size_t>(count);
            client.backlog -= static_cast<std::size_t>(count);
            client.spoke = Clock::now();
            client.deadline = client.spoke + limits_.send_time;
            if (client.sent < bytes.size()) continue;
            client.out.pop_front();
            client.sent = 0;
            if (!client.out.empty()) continue;
            if (client.state == Client::State::streaming) {
                client.deadline = Clock::time_point::max();
                take_newest(client);
            } else if (client.state == Client::State::closing) {
                if (client.tls) SSL_shutdown(client.tls.get());
                ::shutdown(client.socket.get(), SHUT_WR);
                client.state = Client::State::lingering;
                client.since = client.spoke;
                client.deadline = client.spoke + kLinger;
            } else if (client.state == Client::State::reading) {
                client.deadline = client.spoke + (client.has_begun ? limits_.body_time : limits_.idle_time);
            }
        }
    }

    // Gives a client with an empty queue the newest image, unless it has it.
    void take_newest(Client& client) {
        const std::lock_guard lock(mutex_);
        const Channel& channel = channels_[client.channel];
        if (channel.number == client.seen || !channel.newest) return;
        client.seen = channel.number;
        push(client, channel.newest);
    }

    // Passes on what other threads have given.
    void distribute() {
        std::vector<std::pair<std::uint64_t, HttpResponse>> answers;
        std::map<std::string, std::vector<Bytes>> texts;
        {
            const std::lock_guard lock(mutex_);
            answers.swap(answers_);
            for (auto& [name, channel] : channels_) {
                if (!channel.pending.empty()) texts[name] = std::exchange(channel.pending, {});
            }
        }
        for (const auto& [id, response] : answers) {
            Client* client = find(id);
            if (client == nullptr || client->state != Client::State::waiting) continue;
            respond(*client, response);
            advance(*client, client->tls != nullptr);
        }
        std::vector<std::uint64_t> streaming;
        for (auto& [id, client] : clients_) {
            if (client.state == Client::State::streaming) streaming.push_back(id);
        }
        for (const std::uint64_t id : streaming) {
            Client& client = *find(id);
            if (const auto found = texts.find(client.channel); found != texts.end()) {
                for (const Bytes& text : found->second) push(client, text);
                if (client.backlog > limits_.backlog_bytes) client.gone = true;
            }
            if (client.out.empty()) take_newest(client);
            advance(client, false);
        }
    }

    void sweep(Clock::time_point now) {
        if (std::exchange(paused_, false)) watch(listener_.socket.get(), kListener, EPOLLIN, EPOLL_CTL_MOD);
        static const Bytes kComment = std::make_shared<std::string>(":\n\n");
        std::vector<std::uint64_t> late;
        for (auto& [id, client] : clients_) {
            if (client.deadline < now) late.push_back(id);
        }
        for (const std::uint64_t id : late) {
            Client& client = *find(id);
            if (client.state == Client::State::reading && client.has_begun && client.out.empty()) {
                refuse(client, error_response(408, "the request took too long"));
                advance(client, false);
            } else {
                remove(client);
            }
        }
        std::vector<std::uint64_t> silent;
        for (auto& [id, client] : clients_) {
            const bool events = client.state == Client::State::streaming && client.channel == "events";
            if (events && client.out.empty() && now - client.spoke > kSilence) silent.push_back(id);
        }
        for (const std::uint64_t id : silent) {
            push(*find(id), kComment);
            advance(*find(id), false);
        }
    }

    TlsContext tls_;
    Descriptor epoll_, waker_;
    Handler handler_;
    // Of the thread of the server.
    std::unordered_map<std::uint64_t, Client> clients_;
    std::vector<std::uint64_t> again_;  // TLS holds bytes of them that epoll does not see
    std::vector<char> buffer_ = std::vector<char>(kReadBytes);
    std::uint64_t next_id_ = kFirstClient;
    std::size_t held_ = 0;     // bytes of bodies
    std::size_t streams_ = 0;  // clients of channels
    bool paused_ = false;      // no client is accepted until the next sweep

    mutable std::mutex mutex_;                 // guards the members below
    std::map<std::string, Channel> channels_;  // those with clients
    std::vector<std::pair<std::uint64_t, HttpResponse>> answers_;
    std::size_t connected_ = 0;
    std::jthread thread_;  // last: it uses all the others
};

HttpServer::HttpServer(const HttpServerOptions& options) : impl_(std::make_unique<Impl>(options)) {}
HttpServer::~HttpServer() = default;

void HttpServer::start(Handler handler) {
    impl_->start(std::move(handler));
}
void HttpServer::stop() {
    impl_->stop();
}
int HttpServer::port() const {
    return impl_->listener_.port;
}
const std::string& HttpServer::host() const {
    return impl_->listener_.host;
}
bool HttpServer::is_loopback() const {
    return impl_->listener_.is_loopback;
}
std::string HttpServer::url() const {
    return impl_->url();
}
void HttpServer::answer(std::uint64_t client, HttpResponse response) {
    impl_->answer(client, std::move(response));
}
void HttpServer::publish_newest(const std::string& channel, Bytes bytes) {
    impl_->publish(channel, std::move(bytes), true);
}
void HttpServer::publish_all(const std::string& channel, Bytes bytes) {
    impl_->publish(channel, std::move(bytes), false);
}
std::size_t HttpServer::num_clients(const std::string& channel) const {
    return impl_->num_clients(channel);
}
std::size_t HttpServer::num_clients() const {
    return impl_->num_clients();
}

}  // namespace throng
