// Files and streams over HTTP from a local server that can break, stall and omit headers.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/video/source.h"
#include "tests/support/http_server.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

namespace throng {
namespace {

using test::HttpServer;

class Http : public testing::Test {
protected:
    void SetUp() override {
        TH_NEED_FFMPEG();
        options_.read_timeout = options_.open_timeout = 600;  // longer than any pause of a busy machine
    }

    std::vector<char> make(const std::string& name, const std::string& coding = "-c:v libx264 -g 10 -bf 2") {
        test::ffmpeg("-f lavfi -i testsrc=size=64x48:rate=10 -t 3 -pix_fmt yuv420p " + coding, scratch_.path() / name);
        return test::read_file(scratch_.path() / name);
    }

    struct Outcome {
        std::size_t frames = 0;
        bool live = false;
        double last_pts = -1;
        std::string incomplete;
        std::string notice;
        std::string failure;
    };
    Outcome read_all(const std::string& spec) const {
        Outcome outcome;
        try {
            auto source = open_source(spec, options_);
            outcome.live = source->info().live;
            Frame frame;
            for (int timeouts = 0; timeouts < 150;) {
                const ReadStatus status = source->read(frame, {});
                if (status == ReadStatus::end) break;
                status == ReadStatus::timeout ? ++timeouts : ++outcome.frames;
                if (status != ReadStatus::timeout) outcome.last_pts = frame.info().pts;
            }
            outcome.incomplete = source->incomplete();
            outcome.notice = source->notice().text();
        } catch (const Error& failure) {
            outcome.failure = failure.what();
        }
        return outcome;
    }

    test::ScratchDir scratch_;
    SourceOptions options_;
};

TEST_F(Http, AnInputWithALengthIsAFileEvenWithoutRanges) {
    for (const char* name : {"a.ts", "a.mp4", "a.mkv"}) {
        const std::vector<char> bytes = make(name, "-c:v libx264 -g 10 -bf 2 -movflags +faststart");
        for (const bool ranges : {true, false}) {
            const HttpServer server(bytes, {.ranges = ranges});
            const Outcome outcome = read_all(server.url(name));
            EXPECT_EQ(outcome.failure, "");
            EXPECT_FALSE(outcome.live);
            EXPECT_EQ(outcome.frames, 30U) << name << ranges;
            EXPECT_EQ(outcome.incomplete, "");
        }
    }
}

TEST_F(Http, AFileOfUnknownLengthIsReadOnceAndCompletely) {
    const std::vector<char> bytes = make("a.ts");
    for (const bool chunked : {false, true}) {
        const HttpServer server(bytes, {.length = false, .chunked = chunked});
        const Outcome outcome = read_all(server.url("a.ts"));
        EXPECT_EQ(outcome.failure, "");
        EXPECT_EQ(outcome.frames, 30U) << chunked;
        EXPECT_EQ(outcome.incomplete, "");
        EXPECT_EQ(server.requests(), 1);
    }
}

// The server sends in real time: the input is live until the same packets are sent again.
TEST_F(Http, AStreamThatRestartsWithTheSamePacketEnds) {
    const std::vector<char> bytes = make("a.ts", "-c:v libx264 -g 5 -bf 0");
    const HttpServer server(bytes, {.length = false, .bytes_per_second = bytes.size() / 3});
    const Outcome outcome = read_all(server.url("a.ts"));
    EXPECT_EQ(outcome.failure, "");
    EXPECT_TRUE(outcome.live);
    EXPECT_GT(outcome.frames, 3U);
    EXPECT_LE(outcome.frames, 30U);
    EXPECT_EQ(server.requests(), 2);
    EXPECT_NE(outcome.notice.find("restarts it"), std::string::npos) << outcome.notice;
}

TEST_F(Http, AttemptsThatConnectAndFailAgainCount) {
    const std::vector<char> bytes = make("a.ts", "-c:v libx264 -g 5 -bf 0");
    const HttpServer server(bytes,
                            {.stall_after = bytes.size() / 2, .length = false, .bytes_per_second = bytes.size() / 3});
    options_.read_timeout = 2;
    options_.reconnects = 2;
    const Outcome outcome = read_all(server.url("a.ts"));
    EXPECT_NE(outcome.failure.find("no data for 2 s; reconnecting failed"), std::string::npos) << outcome.failure;
    EXPECT_EQ(server.requests(), 3);
}

// A connection that breaks returns the same frames as a file truncated at that position, and the correct reason.
TEST_F(Http, AConnectionThatBreaksReturnsTheReceivedFrames) {
    for (const char* name : {"a.ts", "a.mp4", "a.mkv"}) {
        const std::vector<char> bytes = make(name, "-c:v libx264 -g 10 -bf 2 -movflags +faststart");
        for (const std::size_t part : {20U, 60U, 95U}) {
            const std::size_t size = bytes.size() * part / 100;
            const std::string on_disk = (scratch_.path() / (std::string("cut_") + name)).string();
            test::write_file(on_disk, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)});
            const Outcome local = read_all(on_disk);
            for (const bool ranges : {true, false}) {
                const HttpServer server(bytes, {.cut_after = size, .ranges = ranges});
                const Outcome outcome = read_all(server.url(name));
                EXPECT_EQ(outcome.frames, local.frames) << name << " " << part << " " << local.failure;
                const std::string& reason = local.frames > 0 ? outcome.incomplete : outcome.failure;
                EXPECT_NE(reason.find("the connection broke after"), std::string::npos) << name << part << reason;
            }
        }
    }
}

// Without a length, only the chunks distinguish a truncated body from a complete one.
TEST_F(Http, AChunkedBodyThatBreaksReturnsTheReceivedFrames) {
    const std::vector<char> bytes = make("a.ts", "-c:v libx264 -g 10 -bf 0");
    // The connection breaks within a chunk, and between two chunks.
    for (const std::size_t size : {bytes.size() * 6 / 10, std::size_t{1} << 14}) {
        const HttpServer server(bytes, {.cut_after = size, .length = false, .chunked = true});
        const Outcome outcome = read_all(server.url("a.ts"));
        EXPECT_EQ(outcome.failure, "");
        EXPECT_FALSE(outcome.live);
        EXPECT_GT(outcome.frames, 5U);
        EXPECT_LT(outcome.frames, 30U);
        EXPECT_NE(outcome.incomplete.find("the connection broke after"), std::string::npos) << outcome.incomplete;
        EXPECT_EQ(server.requests(), 1);
    }
}

TEST_F(Http, AConnectionThatStallsReturnsTheReceivedFrames) {
    options_.read_timeout = 1;
    for (const char* name : {"a.ts", "a.mp4"}) {
        const std::vector<char> bytes = make(name, "-c:v libx264 -g 10 -bf 2 -movflags +faststart");
        const HttpServer server(bytes, {.stall_after = bytes.size() * 6 / 10});
        const Outcome outcome = read_all(server.url(name));
        EXPECT_EQ(outcome.failure, "");
        EXPECT_GT(outcome.frames, 5U) << name;
        EXPECT_LT(outcome.frames, 30U) << name;
        EXPECT_NE(outcome.incomplete.find("no data for 1 s"), std::string::npos) << outcome.incomplete;
    }
}

TEST_F(Http, WrongAndMissingPasswordsHaveDifferentMessages) {
    const HttpServer server({}, {.status = 401});
    EXPECT_NE(read_all(server.url("a.mp4")).failure.find("requires a user name and a password"), std::string::npos);
    const std::string failure = read_all(server.url("a.mp4", "alice:wonder-land")).failure;
    EXPECT_NE(failure.find("rejected the user name or password"), std::string::npos) << failure;
    EXPECT_EQ(failure.find("wonder-land"), std::string::npos);
}

TEST_F(Http, AServerThatNeverAnswersTimesOut) {
    const HttpServer server({}, {.silent = true});
    options_.open_timeout = 0.5;
    EXPECT_NE(read_all(server.url("a.mp4")).failure.find("no answer within 0.5 s"), std::string::npos);
}

}  // namespace
}  // namespace throng
