// Streams over RTSP from a local server that can stall, reject and disconnect.
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <chrono>
#include <memory>
#include <sstream>
#include <string>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/video/source.h"
#include "tests/support/rtsp_server.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

namespace throng {
namespace {

using test::RtspServer;

class Rtsp : public testing::Test {
protected:
    void SetUp() override {
        TH_NEED_FFMPEG();
        test::ffmpeg("-f lavfi -i testsrc=size=64x48:rate=25 -t 2 -pix_fmt yuv420p -c:v libx264 -g 5 -bf 0",
                     scratch_.path() / "a.mp4");
        server_ = std::make_unique<RtspServer>(scratch_.path() / "a.mp4");
        options_.read_timeout = options_.open_timeout = 600;  // longer than any pause of a busy machine
    }

    // Reads `count` frames. Returns false after too many time-outs.
    static bool reads(VideoSource& source, int count, Frame& frame) {
        for (int timeouts = 0; count > 0 && timeouts < 150;) {
            const ReadStatus status = source.read(frame, {});
            if (status == ReadStatus::end) return false;
            status == ReadStatus::timeout ? ++timeouts : --count;
        }
        return count == 0;
    }

    // Reads until the notice contains the words.
    static bool wait_for_notice(VideoSource& source, const std::string& words) {
        Frame frame;
        for (int i = 0; i < 1000; ++i) {
            if (source.notice().text().find(words) != std::string::npos) return true;
            if (source.read(frame, {}) == ReadStatus::end) return false;
        }
        return false;
    }

    test::ScratchDir scratch_;
    std::unique_ptr<RtspServer> server_;
    SourceOptions options_;
};

TEST_F(Rtsp, PlaysLive) {
    auto source = open_source(server_->url(), options_);
    const SourceInfo info = source->info();
    EXPECT_TRUE(info.live);
    EXPECT_FALSE(info.seekable);
    EXPECT_EQ(info.width, 64);
    EXPECT_FALSE(info.frame_count);
    EXPECT_FALSE(source->seek(1));
    Frame frame;
    double last_pts = -1;
    std::int64_t last_index = -1;
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(reads(*source, 1, frame));
        EXPECT_GT(frame.info().pts, last_pts);
        EXPECT_GT(frame.info().index, last_index);
        last_pts = frame.info().pts;
        last_index = frame.info().index;
    }
    EXPECT_EQ(frame.info().format, PixelFormat::yuv420p);
    EXPECT_EQ(source->notice(), "");
    EXPECT_TRUE(source->decode_ms().has_value());
}

TEST_F(Rtsp, AStalledStreamIsOpenedAgain) {
    options_.read_timeout = 2;
    auto source = open_source(server_->url(), options_);
    Frame frame;
    ASSERT_TRUE(reads(*source, 5, frame));
    const double before = frame.info().pts;
    server_->stall(true);
    ASSERT_TRUE(wait_for_notice(*source, "reconnecting")) << source->notice();
    EXPECT_EQ(source->read(frame, {}), ReadStatus::timeout);
    server_->stall(false);
    ASSERT_TRUE(reads(*source, 5, frame));
    EXPECT_GT(frame.info().pts, before);
    EXPECT_EQ(source->notice(), "");
    EXPECT_GE(server_->connections(), 2);
}

TEST_F(Rtsp, ABrokenConnectionReconnectsRepeatedly) {
    auto source = open_source(server_->url(), options_);
    Frame frame;
    for (int outage = 0; outage < 3; ++outage) {
        ASSERT_TRUE(reads(*source, 3, frame)) << outage;
        server_->reject(outage == 1);
        server_->drop();
        // Attempts count from the last lasting connection: the first attempt was after outage 0.
        ASSERT_TRUE(wait_for_notice(*source, outage == 1 ? "attempt 3" : "reconnecting")) << source->notice();
        server_->reject(false);
    }
    ASSERT_TRUE(reads(*source, 3, frame));
}

TEST_F(Rtsp, AttemptsMayBeLimited) {
    options_.reconnects = 1;
    auto source = open_source(server_->url(), options_);
    Frame frame;
    ASSERT_TRUE(reads(*source, 3, frame));
    server_->reject(true);
    server_->drop();
    EXPECT_THROW(
        {
            for (int i = 0; i < 1000 && source->read(frame, {}) != ReadStatus::end; ++i) {
            }
        },
        Error);
}

TEST_F(Rtsp, StopAndDestructionDoNotWaitForData) {
    options_.read_timeout = 0.6;
    auto source = open_source(server_->url(), options_);
    Frame frame;
    ASSERT_TRUE(reads(*source, 1, frame));
    server_->stall(true);
    while (source->read(frame, {}) != ReadStatus::timeout) {
    }
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(source->read(frame, stop.get_token()), ReadStatus::timeout);
    source.reset();
    while (server_->connected()) std::this_thread::yield();
}

TEST_F(Rtsp, AWrongAddressIsRejectedAtOnce) {
    server_->reject(true);
    EXPECT_THROW(static_cast<void>(open_source(server_->url(), options_)), Error);
    const std::string url = server_->url();
    server_.reset();
    EXPECT_THROW(static_cast<void>(open_source(url, options_)), Error);
}

TEST_F(Rtsp, ASilentServerTimesOut) {
    server_->stall(true);
    options_.read_timeout = options_.open_timeout = 0.5;
    try {
        auto source = open_source(server_->url(), options_);  // the server sends the description, but no frames
        Frame frame;
        EXPECT_EQ(source->read(frame, {}), ReadStatus::timeout);
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::input);
    }
}

TEST_F(Rtsp, PasswordsAreNeverShown) {
    std::ostringstream log;
    spdlog::logger test("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log));  // masks nothing
    test.set_level(spdlog::level::trace);
    spdlog::logger& previous = logger();
    use_logger(test);
    std::string shown;
    {
        auto source = open_source(server_->url("alice:wonder-land"), options_);
        Frame frame;
        reads(*source, 2, frame);
        server_->reject(true);
        server_->drop();
        wait_for_notice(*source, "attempt 2");
        shown = source->info().name + source->info().details.text() + source->notice().text() + source->current_name();
    }
    try {
        static_cast<void>(open_source(server_->url("alice:wonder-land"), options_));
    } catch (const Error& failure) {
        shown += failure.what();
    }
    use_logger(previous);
    shown += log.str();
    EXPECT_EQ(shown.find("wonder-land"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("alice"), std::string::npos) << shown;
    EXPECT_NE(shown.find("***@127.0.0.1"), std::string::npos) << shown;
}

}  // namespace
}  // namespace throng
