// Pushing to a media server: ffmpeg, which accepts one client.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/child_process.h"
#include "core/base/error.h"
#include "core/frame/frame_pool.h"
#include "core/sinks/annotated_sinks.h"
#include "core/video/source.h"
#include "tests/support/eventually.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

namespace throng {
namespace {

int free_port() {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener, generic, size), 0);
    EXPECT_EQ(::getsockname(listener, generic, &size), 0);
    ::close(listener);
    return ntohs(address.sin_port);
}

// A checkerboard.
FrameResult checkerboard(int index) {
    FramePool pool;
    WritableFrame writable = pool.take(PixelFormat::bgr24, 64, 64);
    for (int y = 0; y < 64; ++y) {
        for (int x = 0; x < 64; ++x) {
            const bool white = (x / 4 + y / 4) % 2 == 0;
            std::memset(writable.data(0) + y * writable.plane(0).pitch + 3 * x, white ? 255 : 0, 3);
        }
    }
    writable.info().index = index;
    writable.info().pts = 0.04 * index;
    FrameResult result;
    result.frame = std::move(writable).finish();
    return result;
}

// Records 20 frames of what `sink` sends to this address, then leaves.
void serve(const std::string& url, const std::string& file, ResultSink& sink, int& index) {
    std::atomic<bool> ended = false;
    ChildResult served;
    {
        const bool rtsp = url.starts_with("rtsp");
        const std::jthread server([&] {
            served = run_child({"ffmpeg", "-v", "error", "-probesize", "2000", rtsp ? "-rtsp_flags" : "-listen",
                                rtsp ? "listen" : "1", "-i", url, "-frames:v", "20", "-c", "copy", file},
                               std::chrono::seconds(60));
            ended = true;
        });
        while (!ended) sink.write(checkerboard(index++));
    }
    EXPECT_EQ(served.failure, "") << served.output;
    const auto source = open_source(file);
    int frames = 0;
    for (Frame frame; source->read(frame, {}) == ReadStatus::frame; ++frames) {
        ASSERT_EQ(frame.width(), 64);
        const PlaneView& luma = frame.plane(0);
        ASSERT_NEAR(luma.data[30 * luma.pitch + 30], luma.data[30 * luma.pitch + 34], 30) << "not hidden";
    }
    EXPECT_EQ(frames, 20);
}

// Each server takes some frames and leaves. What is not planned to be hidden is hidden whole.
TEST(Push, IsThereAgainWhenTheServerIs) {
    TH_NEED_FFMPEG();
    const test::ScratchDir dir;
    AnnotatedOptions options;
    options.blur = true;
    const PushOptions push{25, false, std::chrono::milliseconds(5)};
    const std::string address = "://127.0.0.1:" + std::to_string(free_port()) + "/live/door";
    int index = 0;
    const auto rtmp = make_push_sink("rtmp" + address, push, options);
    serve("rtmp" + address, (dir.path() / "1.mp4").string(), *rtmp, index);
    serve("rtmp" + address, (dir.path() / "2.mp4").string(), *rtmp, index);
    const auto rtsp = make_push_sink("rtsp" + address, push, options);
    serve("rtsp" + address, (dir.path() / "3.mp4").string(), *rtsp, index);
}

// A stop request ends the wait for a frame that is due much later, if there is one.
TEST(Push, AJumpInTheSourceIsNotWaitedFor) {
    std::stop_source stop;
    AnnotatedOptions options;
    options.stop = stop.get_token();
    PushOptions push;
    push.paced = true;
    const auto sink =
        make_push_sink("rtsp://127.0.0.1:" + std::to_string(free_port()) + "/door", push, std::move(options));
    std::atomic<int> written = 0;
    const std::jthread writer([&] {
        for (const int index : {0, 15000}) {  // 10 minutes
            sink->write(checkerboard(index));
            ++written;
        }
    });
    EXPECT_TRUE(test::eventually([&] { return written == 2; }));
    stop.request_stop();
}

TEST(Push, AMissingServerIsNoErrorBeforeTheEndAndNoPasswordIsShown) {
    const std::string host = "me:s3cret@127.0.0.1:" + std::to_string(free_port());
    const auto sink = make_push_sink("rtsp://" + host + "/door", {});
    for (int i = 0; i < 3; ++i) sink->write(checkerboard(i));
    try {
        sink->close();
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_NE(std::string(error.what()).find("***@127.0.0.1"), std::string::npos) << error.what();
        EXPECT_EQ(std::string(error.what()).find("s3cret"), std::string::npos) << error.what();
    }
    for (const std::string& url : {"http://" + host, std::string("out.mp4"), "rtmp:/" + host}) {
        EXPECT_THROW(static_cast<void>(make_push_sink(url, {})), Error) << url;
    }
}

}  // namespace
}  // namespace throng
