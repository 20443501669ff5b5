// The server by plain sockets: answers, streams, limits, slow clients, TLS.
#include "core/serve/http_server.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

using test::http_ask;
using test::HttpClient;
using test::HttpReply;

std::size_t num_descriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// Answers what a request was; /later is answered by answer_later, /stream/X streams channel X.
class Echo {
public:
    explicit Echo(HttpServerOptions options = {}) {
        if (options.address.empty()) options.address = "0";
        server = std::make_unique<HttpServer>(options);
        server->start([this](const HttpRequest& request, std::uint64_t client) {
            HttpAnswer answer;
            if (request.path == "/later") {
                answer.kind = HttpAnswer::Kind::later;
                later = client;
            } else if (request.path.starts_with("/stream/")) {
                answer.kind = HttpAnswer::Kind::stream;
                answer.channel = request.path.substr(8);
                answer.response = {200, "text/plain", "begin\n"};
            } else if (request.path == "/fails") {
                throw Error(ErrorKind::internal, "broken");
            } else if (request.path == "/") {
                answer.response = {200, "text/plain", request.method + "[" + request.body + "]"};
            } else {
                answer.response = error_response(404, "there is nothing");
            }
            return answer;
        });
    }
    std::unique_ptr<HttpServer> server;
    std::atomic<std::uint64_t> later = 0;
};

TEST(HttpServer, AnswersOneRequestAfterTheOther) {
    Echo echo;
    HttpClient client(echo.server->port());
    EXPECT_EQ(client.ask("GET", "/").body, "GET[]");
    const HttpReply head = client.ask("HEAD", "/");
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.header("Content-Length"), "5");
    EXPECT_EQ(head.header("Connection"), "keep-alive");
    EXPECT_EQ(client.ask("POST", "/", {}, std::string(100'000, 'x')).body, "POST[" + std::string(100'000, 'x') + "]");
    const HttpReply missing = client.ask("GET", "/nothing");
    EXPECT_EQ(missing.status, 404);
    EXPECT_EQ(missing.body, "{\"error\":\"there is nothing\"}\n");
    EXPECT_EQ(client.ask("GET", "/fails").status, 500);
    // Two at once, the second one with an expectation.
    client.send(
        "GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: "
        "2\r\n\r\n");
    EXPECT_EQ(client.read_reply().body, "GET[]");
    EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("ab");
    EXPECT_EQ(client.read_reply().body, "POST[ab]");
    // The connection ends when the client wants it, and after an error.
    EXPECT_EQ(client.ask("GET", "/", "Connection: close\r\n").header("Connection"), "close");
    EXPECT_EQ(client.read_all(), "");
    HttpClient other(echo.server->port());
    other.send("nonsense\r\n\r\n");
    EXPECT_EQ(other.read_reply().status, 400);
    EXPECT_EQ(other.read_all(), "");
    // A client that has closed its half gets its answer.
    HttpClient half(echo.server->port());
    half.send("GET / HTTP/1.0\r\n\r\n");
    half.end_sending();
    EXPECT_EQ(half.read_reply().body, "GET[]");
}

TEST(HttpServer, AnswersLaterAndOnlyWhoStillWaits) {
    Echo echo;
    HttpClient client(echo.server->port());
    client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(test::eventually([&] { return echo.later != 0; }));
    echo.server->answer(echo.later + 1, {200, "text/plain", "of nobody"});
    echo.server->answer(echo.later, {200, "text/plain", "at last"});
    EXPECT_EQ(client.read_reply().body, "at last");
    EXPECT_EQ(client.read_reply().body, "GET[]");
    echo.server->answer(echo.later, {200, "text/plain", "twice"});
    EXPECT_EQ(client.ask("GET", "/").body, "GET[]");
}

TEST(HttpServer, StreamsTheNewestImageOrEveryText) {
    HttpServerOptions options;
    options.limits.num_streams = 3;
    options.limits.backlog_bytes = 100'000;
    Echo echo(options);
    HttpServer& server = *echo.server;
    const auto request = [](const char* channel) {
        return std::string("GET /stream/") + channel + " HTTP/1.1\r\nHost: a\r\n\r\n";
    };
    HttpClient first(server.port()), second(server.port());
    auto texts = std::make_unique<HttpClient>(server.port());
    first.send(request("p"));
    second.send(request("p"));
    texts->send(request("t"));
    for (HttpClient* client : {&first, &second, texts.get()}) client->read_until("begin\n");
    EXPECT_EQ(server.num_clients("p"), 2U);
    EXPECT_EQ(http_ask(server.port(), "GET", "/stream/p").status, 503);
    EXPECT_EQ(http_ask(server.port(), "HEAD", "/stream/p").status, 200);

    // Who does not read gets the newest one afterwards, not all of them.
    const std::string large(2'000'000, '.');
    const int images = 40;
    for (int i = 0; i < images; ++i) {
        const std::string name = "<" + std::to_string(i) + ">\n";
        server.publish_newest("p", std::make_shared<std::string>(large + name));
        EXPECT_EQ(first.read_until(">\n"), large + name);
    }
    std::size_t got = 0;
    while (second.read_until(">\n") != large + "<39>\n") ++got;
    EXPECT_LT(got, 20U);

    std::string all;
    for (int i = 0; i < 1000; ++i) {
        server.publish_all("t", std::make_shared<std::string>(std::to_string(i) + ","));
        all += std::to_string(i) + ",";
    }
    EXPECT_EQ(texts->read_until("999,"), all);
    // Who does not take texts is disconnected, so that they do not pile up.
    const auto long_text = std::make_shared<std::string>(50'000, '.');
    while (server.num_clients("t") > 0) server.publish_all("t", long_text);
    texts->read_all();
    HttpClient next(server.port());
    next.send(request("p"));
    EXPECT_EQ(next.read_until("begin\n").substr(0, 15), "HTTP/1.1 200 OK");
}

TEST(HttpServer, SlowClientsKeepNobodyOut) {
    const std::size_t before = num_descriptors();
    {
        HttpServerOptions options;
        options.limits.num_clients = 8;
        Echo echo(options);
        std::vector<std::unique_ptr<HttpClient>> slow;
        for (int i = 0; i < 50; ++i) {
            slow.push_back(std::make_unique<HttpClient>(echo.server->port()));
            slow.back()->send("GET / HTTP/1.1\r\nHost: ");
            EXPECT_EQ(http_ask(echo.server->port(), "GET", "/").status, 200) << i;
        }
        EXPECT_LE(echo.server->num_clients(), 8U);
        // Streams are not replaced.
        std::vector<std::unique_ptr<HttpClient>> streams;
        for (int i = 0; i < 8; ++i) {
            streams.push_back(std::make_unique<HttpClient>(echo.server->port()));
            streams.back()->send("GET /stream/p HTTP/1.1\r\nHost: a\r\n\r\n");
            streams.back()->read_until("begin\n");
        }
        EXPECT_EQ(HttpClient(echo.server->port()).read_reply().status, 503);
        EXPECT_EQ(echo.server->num_clients("p"), 8U);
    }
    EXPECT_EQ(num_descriptors(), before);
}

TEST(HttpServer, DisconnectsWhoTakesTooLong) {
    HttpServerOptions options;
    options.limits.head_time = options.limits.idle_time = std::chrono::milliseconds(1);
    Echo echo(options);
    HttpClient silent(echo.server->port());
    EXPECT_EQ(silent.read_all(), "");
    HttpClient slow(echo.server->port());
    slow.send("GET / HT");
    EXPECT_EQ(slow.read_reply().status, 408);
}

TEST(HttpServer, LimitsBodiesAndRates) {
    HttpServerOptions options;
    options.limits.body_bytes = 3'000'000;
    options.limits.all_body_bytes = 4'000'000;
    options.limits.requests_at_once = 20;
    options.limits.requests_per_second = 1e-9;
    Echo echo(options);
    const int port = echo.server->port();
    // The client has sent all of its body before it reads, and gets the refusal all the same.
    EXPECT_EQ(http_ask(port, "POST", "/", {}, std::string(3'000'001, 'x')).status, 413);
    HttpClient first(port), second(port);
    const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n";
    for (HttpClient* client : {&first, &second}) client->send(head + std::string(2'500'000, 'x'));
    // There is room for one of both.
    ASSERT_TRUE(test::eventually([&] { return first.has_answer() || second.has_answer(); }));
    HttpClient& refused = first.has_answer() ? first : second;
    HttpClient& other = first.has_answer() ? second : first;
    EXPECT_EQ(refused.read_reply().status, 503);
    other.send(std::string(500'000, 'x'));
    EXPECT_EQ(other.read_reply().status, 200);
    HttpClient many(port);
    int allowed = 0;
    HttpReply reply;
    while ((reply = many.ask("GET", "/")).status == 200) ++allowed;
    EXPECT_EQ(allowed, 19);  // one was a large body
    EXPECT_EQ(reply.status, 429);
    EXPECT_EQ(reply.header("Retry-After"), "1");
}

ErrorKind failure_of(const HttpServerOptions& options, std::string* text = nullptr) {
    try {
        const HttpServer server(options);
    } catch (const Error& error) {
        if (text != nullptr) *text = error.what();
        return error.kind();
    }
    ADD_FAILURE() << options.address << " is accepted";
    return ErrorKind::internal;
}

TEST(HttpServer, SaysWhyItCannotListen) {
    for (const char* address : {"x", "70000", "-1", "::1:80", "[::1]", ":80", "1.2.3.4:", "localhost:http", ""}) {
        HttpServerOptions options;
        options.address = address;
        EXPECT_EQ(failure_of(options), ErrorKind::usage) << address;
    }
    const Echo echo;
    std::string text;
    HttpServerOptions options;
    options.address = std::to_string(echo.server->port());
    EXPECT_EQ(failure_of(options, &text), ErrorKind::unavailable);
    EXPECT_NE(text.find("choose another one"), std::string::npos) << text;
    options.address = "192.0.2.1:0";  // for documentation, so not ours
    EXPECT_EQ(failure_of(options, &text), ErrorKind::unavailable);
    EXPECT_NE(text.find("0.0.0.0"), std::string::npos) << text;
    options.address = "localhost:0";
    EXPECT_TRUE(HttpServer(options).is_loopback());
    options.address = "0.0.0.0:0";
    EXPECT_FALSE(HttpServer(options).is_loopback());
}

// A certificate for itself, valid from `begin` to `end` in seconds from now.
class Certificate {
public:
    Certificate(const std::filesystem::path& folder, const std::string& name, long begin, long end)
        : certificate((folder / (name + ".pem")).string()), key((folder / (name + ".key")).string()) {
        const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> pair(EVP_EC_gen("P-256"), &EVP_PKEY_free);
        const std::unique_ptr<X509, decltype(&X509_free)> made(X509_new(), &X509_free);
        X509_set_version(made.get(), 2);
        ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
        X509_gmtime_adj(X509_getm_notBefore(made.get()), begin);
        X509_gmtime_adj(X509_getm_notAfter(made.get()), end);
        X509_set_pubkey(made.get(), pair.get());
        X509_sign(made.get(), pair.get(), EVP_sha256());
        const auto write = [](const std::string& path, auto put) {
            const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(std::fopen(path.c_str(), "w"), &std::fclose);
            put(file.get());
        };
        write(certificate, [&](std::FILE* file) { PEM_write_X509(file, made.get()); });
        write(key,
              [&](std::FILE* file) { PEM_write_PrivateKey(file, pair.get(), nullptr, nullptr, 0, nullptr, nullptr); });
    }
    std::string certificate, key;
};

TEST(HttpServer, SpeaksTls) {
    const test::ScratchDir folder;
    const Certificate good(folder.path(), "good", -60, 3600);
    HttpServerOptions options;
    options.address = "0";
    options.certificate = good.certificate;
    options.key = good.key;
    Echo echo(options);
    EXPECT_EQ(echo.server->url(), "https://127.0.0.1:" + std::to_string(echo.server->port()) + "/");
    const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
    const std::unique_ptr<BIO, decltype(&BIO_free_all)> bio(BIO_new_ssl_connect(context.get()), &BIO_free_all);
    BIO_set_conn_hostname(bio.get(), ("127.0.0.1:" + std::to_string(echo.server->port())).c_str());
    const std::string body(300'000, 'x');
    const std::string request =
        "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 300000\r\n\r\n" + body;
    for (std::size_t sent = 0; sent < request.size();) {
        const int count = BIO_write(bio.get(), request.data() + sent, static_cast<int>(request.size() - sent));
        ASSERT_GT(count, 0);
        sent += static_cast<std::size_t>(count);
    }
    std::string reply;
    std::vector<char> bytes(65536);
    for (int count = 0; (count = BIO_read(bio.get(), bytes.data(), static_cast<int>(bytes.size()))) > 0;) {
        reply.append(bytes.data(), static_cast<std::size_t>(count));
    }
    EXPECT_TRUE(reply.starts_with("HTTP/1.1 200 OK\r\n") && reply.ends_with("POST[" + body + "]"));
    // A client that has closed its half gets its answer.
    const std::unique_ptr<BIO, decltype(&BIO_free_all)> half(BIO_new_ssl_connect(context.get()), &BIO_free_all);
    BIO_set_conn_hostname(half.get(), ("127.0.0.1:" + std::to_string(echo.server->port())).c_str());
    ASSERT_GT(BIO_puts(half.get(), "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"), 0);
    ASSERT_TRUE(test::eventually([&] { return echo.later != 0; }));
    SSL* tls = nullptr;
    BIO_get_ssl(half.get(), &tls);
    ASSERT_EQ(SSL_shutdown(tls), 0);
    echo.server->answer(echo.later, {200, "text/plain", "at last"});
    std::string answer;
    for (int count = 0; (count = SSL_read(tls, bytes.data(), static_cast<int>(bytes.size()))) > 0;) {
        answer.append(bytes.data(), static_cast<std::size_t>(count));
    }
    EXPECT_TRUE(answer.ends_with("at last")) << answer;
    // Without TLS, nothing is answered, and the server goes on.
    HttpClient plain(echo.server->port());
    plain.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(plain.read_reply().status, 0);
    EXPECT_TRUE(test::eventually([&] { return echo.server->num_clients() == 0; }));
}

TEST(HttpServer, SaysWhatIsWrongWithACertificate) {
    const test::ScratchDir folder;
    const Certificate good(folder.path(), "good", -60, 3600), other(folder.path(), "other", -60, 3600);
    const Certificate old(folder.path(), "old", -7200, -3600), early(folder.path(), "early", 3600, 7200);
    const std::string text = (folder.path() / "text").string();
    std::ofstream(text) << "no certificate\n";
    const auto expect = [](const std::string& certificate, const std::string& key, ErrorKind kind, const char* part) {
        HttpServerOptions options;
        options.address = "0";
        options.certificate = certificate;
        options.key = key;
        std::string problem;
        EXPECT_EQ(failure_of(options, &problem), kind);
        EXPECT_NE(problem.find(part), std::string::npos) << problem;
    };
    expect(good.certificate, "", ErrorKind::usage, "http_certificate");
    expect("", good.key, ErrorKind::usage, "http_key");
    expect("/nowhere.pem", good.key, ErrorKind::input, "/nowhere.pem");
    expect(good.certificate, "/nowhere.key", ErrorKind::input, "/nowhere.key");
    expect(text, good.key, ErrorKind::input, "the certificate cannot be read");
    expect(good.certificate, text, ErrorKind::input, "the key cannot be read");
    expect(good.certificate, other.key, ErrorKind::input, "of another certificate");
    expect(old.certificate, old.key, ErrorKind::input, "expired at");
    expect(early.certificate, early.key, ErrorKind::input, "check the clock");
}

}  // namespace
}  // namespace throng
