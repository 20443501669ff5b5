// `--http` of the whole program: hidden images of a source, and answers that are those of `throng detect`.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/output_options.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/support/notify_socket.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

using test::http_ask;
using test::HttpClient;
using test::HttpReply;
using test::run_program;

// A port that is free now.
int free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(socket, reinterpret_cast<const sockaddr*>(&address), size);
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    ::close(socket);
    return ntohs(address.sin_port);
}

// Calls `use` once the program listens and /readyz gives this text, then ends the program.
test::ProgramResult serve(std::vector<std::string> arguments, int port, const std::function<void()>& use,
                          const std::string& readiness = "ok\n") {
    test::ProgramOptions options = test::own_process();
    bool used = false;
    options.meanwhile = [&](int pid) {
        try {
            if (http_ask(port, "GET", "/readyz").body != readiness) return true;
        } catch (const std::runtime_error&) {
            return true;  // does not listen yet
        }
        use();
        used = true;
        ::kill(pid, SIGTERM);
        return false;
    };
    arguments.insert(arguments.end(), {"--http", std::to_string(port), "--detector", "haar", "--backend", "cpu"});
    test::ProgramResult result = run_program(arguments, options);
    EXPECT_TRUE(used) << result.err;
    EXPECT_EQ(result.status, 130) << result.err;
    EXPECT_NE(result.err.find("serving http://127.0.0.1:" + std::to_string(port) + "/"), std::string::npos)
        << result.err;
    return result;
}

class ServeProgram : public ::testing::Test {
protected:
    void SetUp() override {
        if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    }
};

TEST_F(ServeProgram, AnswersAreThoseOfDetect) {
    const test::ScratchDir dir;
    const std::string image = (dir.path() / "crowd.jpg").string();
    ASSERT_EQ(run_program({"crowd", image, "--faces", "6", "--size", "640x480"}).status, 0);
    const auto expected = nlohmann::json::parse(
        run_program({"detect", image, "--json", "-", "--quiet", "--detector", "haar", "--backend", "cpu"}).out);
    ASSERT_GE(expected["kept"].size(), 3U);
    const int port = free_port();
    const test::NotifySocket socket((dir.path() / "socket").string());
    serve({"detect"}, port, [&] {
        EXPECT_TRUE(test::eventually([&] { return socket.report().starts_with("READY=1\n"); }));
        const std::string bytes = test::contents(image);
        const HttpReply all = http_ask(port, "POST", "/detect", {}, bytes);
        EXPECT_EQ(nlohmann::json::parse(all.body)["kept"], expected["kept"]);
        const HttpReply faces =
            http_ask(port, "POST", "/v1/vision/face", "Content-Type: multipart/form-data; boundary=b\r\n",
                     "--b\r\nContent-Disposition: form-data; name=image; filename=a\r\n\r\n" + bytes + "\r\n--b--\r\n");
        const auto predictions = nlohmann::json::parse(faces.body)["predictions"];
        ASSERT_EQ(predictions.size(), expected["kept"].size());
        double before = 1;
        for (const auto& each : predictions) {
            EXPECT_LE(each["confidence"].get<double>(), before);
            before = each["confidence"];
            const auto same = [&](const nlohmann::json& kept) {
                return std::abs(kept["x"].get<double>() - each["x_min"].get<double>()) <= 0.5 &&
                       std::abs(kept["y"].get<double>() - each["y_min"].get<double>()) <= 0.5;
            };
            EXPECT_TRUE(std::any_of(expected["kept"].begin(), expected["kept"].end(), same)) << each;
        }
        // The port is taken.
        const auto second = run_program({"detect", "--http", std::to_string(port)});
        EXPECT_EQ(second.status, 4) << second.err;
        EXPECT_NE(second.err.find("choose another one"), std::string::npos) << second.err;
    });
    EXPECT_EQ(socket.report(), "STOPPING=1");
}

TEST_F(ServeProgram, ASourceIsServedBesidesItsFiles) {
    const test::ScratchDir dir;
    const std::string json = (dir.path() / "faces.jsonl").string();
    const int port = free_port();
    serve({"detect", "crowd:faces=4,size=320x240,motion=walk", "--json", json}, port, [&] {
        EXPECT_EQ(nlohmann::json::parse(http_ask(port, "GET", "/streams/1/latest.json").body)["source_number"], 1);
        HttpClient images(port), events(port);
        images.send("GET /streams/1/mjpeg HTTP/1.1\r\nHost: localhost\r\n\r\n");
        events.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
        EXPECT_NE(images.read_until("\xff\xd9\r\n--frame\r\n").find("image/jpeg"), std::string::npos);
        const std::string head = events.read_until("data: {");
        const std::string event = "{" + events.read_until("}\n\n");
        EXPECT_TRUE(nlohmann::json::parse(event).contains("event")) << event;
        EXPECT_NE(http_ask(port, "GET", "/metrics").body.find("throng_frames_total{source=\"1\"} "), std::string::npos);
    });
    EXPECT_GT(std::filesystem::file_size(json), 0U);
}

TEST_F(ServeProgram, ASourceThatNeverOpenedIsMissing) {
    const test::ScratchDir dir;
    const std::string nowhere = (dir.path() / "nowhere.mp4").string();
    const int port = free_port();
    const auto expect = [&] {
        const auto sources = nlohmann::json::parse(http_ask(port, "GET", "/streams").body);
        ASSERT_EQ(sources.size(), 2U);
        EXPECT_EQ(sources[0]["name"], nowhere);
        EXPECT_EQ(sources[0]["open"], false);
        EXPECT_TRUE(test::eventually([&] {
            return http_ask(port, "GET", "/metrics").body.find("throng_source_up{source=\"2\"} 1\n") !=
                   std::string::npos;
        }));
        EXPECT_EQ(http_ask(port, "GET", "/readyz").status, 503);
    };
    serve({"detect", nowhere, "crowd:faces=4,size=320x240"}, port, expect, "source 1 is not open\n");
}

// The window remembers nothing of a run with outputs; other commands reject them by name.
TEST(OutputOptions, NameWhatIsGiven) {
    OutputOptions options;
    options.count = "a.toml";
    EXPECT_TRUE(options.given().empty());
    options.http.address = "0";
    EXPECT_EQ(options.given(), std::vector<std::string_view>({"http"}));
    options.json = "-";
    EXPECT_EQ(options.given(), std::vector<std::string_view>({"json", "http"}));
}

TEST_F(ServeProgram, WrongOptionsAreNamed) {
    const std::string source = "crowd:faces=1,size=160x120,frames=1";
    const auto fails = [](std::vector<std::string> arguments, int status, const char* part) {
        arguments.insert(arguments.begin(), "detect");
        const test::ProgramResult result = run_program(arguments);
        EXPECT_EQ(result.status, status) << result.err;
        EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    };
    fails({source, "--http", "x"}, 2, "use PORT");
    fails({source, "--show-faces"}, 2, "--show-faces");
    fails({source, "--http-open"}, 2, "add --http PORT");
    fails({source, "--http", "0", "--http-open", "--http-token-file", "x"}, 2, "--http-token-file");
    fails({source, "--http", "192.0.2.1:0", "--http-open"}, 4, "address of this machine");
    fails({source, "--http", "0", "--http-certificate", "/nowhere.pem", "--http-key", "/nowhere.key"}, 3,
          "/nowhere.pem");
    fails({source, "--http", "0", "--out", "x"}, 2, "--http");
    fails({source, "--http-open", "--out", "x"}, 2, "--http-open");
    fails({source, "--show-faces", "--out", "x"}, 2, "--show-faces");
    fails({"--http", "0", "--json", "x"}, 2, "--json");
    fails({"--http", "0", "--track"}, 2, "--track");
    fails({}, 2, "SOURCE is required");
}

}  // namespace
}  // namespace throng
