// Inputs that block a reader: one stop request ends each wait, and so does a time limit.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/video/file_kind.h"
#include "core/video/image_file.h"
#include "core/video/source.h"
#include "tests/support/http_server.h"
#include "tests/support/process_state.h"
#include "tests/support/rtsp_server.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using test::ScratchDir;

// Longer than any test. A time limit is another error than a stop request.
SourceOptions patient() {
    SourceOptions options;
    options.open_timeout = 3600;
    options.read_timeout = 3600;
    return options;
}

// Opens a source and requests a stop in this state of opening.
void expect_stop_ends_opening(const std::string& spec, const std::function<bool()>& state) {
    std::stop_source stop;
    const std::jthread stopper = test::stop_when(stop, state);
    try {
        static_cast<void>(open_source(spec, patient(), stop.get_token()));
        ADD_FAILURE() << spec << " was opened";
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::interrupted) << spec << ": " << failure.what();
    }
}

// Returns a state: the calling thread waits.
std::function<bool()> is_asleep() {
    return [thread = ::gettid()] { return test::is_asleep(thread); };
}

std::string failure_of_opening(const std::string& spec, const SourceOptions& options) {
    try {
        static_cast<void>(open_source(spec, options));
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::input);
        return failure.what();
    }
    return "opened";
}

struct Fifo {
    ScratchDir scratch;
    std::string path = (scratch.path() / "pipe").string();
    int writer = -1;

    Fifo() { EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0); }
    ~Fifo() {
        if (writer >= 0) ::close(writer);
    }
    Fifo(const Fifo&) = delete;
    Fifo& operator=(const Fifo&) = delete;

    void open_writer() { writer = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC); }
    void write(const std::vector<char>& bytes, std::size_t size) const {
        for (std::size_t done = 0; done < size;) {
            pollfd writable{writer, POLLOUT, 0};
            static_cast<void>(::poll(&writable, 1, -1));
            const ssize_t count = ::write(writer, bytes.data() + done, size - done);
            if (count > 0) done += static_cast<std::size_t>(count);
        }
    }
    [[nodiscard]] bool is_open() const { return test::has_opened(::getpid(), path); }
};

TEST(Stop, EndsTheOpeningOfAPipe) {
    Fifo fifo;
    const auto is_open = [&] { return fifo.is_open(); };
    expect_stop_ends_opening(fifo.path, is_open);
    expect_stop_ends_opening("file://" + fifo.path, is_open);
    expect_stop_ends_opening("mosaic:" + fifo.path, is_open);
    fifo.open_writer();
    expect_stop_ends_opening(fifo.path, is_asleep());
}

TEST(Stop, EndsTheOpeningOfAStreamAndOfAPipeline) {
    const test::HttpServer silent({}, {.silent = true});
    expect_stop_ends_opening(silent.url("a.mp4"), [&] { return silent.requests() > 0; });
    try {
        static_cast<void>(open_source("gst:videotestsrc num-buffers=1"));
    } catch (const Error& failure) {
        if (failure.kind() == ErrorKind::unavailable) return;
    }
    expect_stop_ends_opening("gst:appsrc", is_asleep());  // delivers nothing
    Fifo fifo;                                            // blocks an element when its state changes
    expect_stop_ends_opening("gst:filesrc location=" + fifo.path + " ! decodebin", is_asleep());
    fifo.open_writer();  // the abandoned thread ends
}

TEST(Stop, EndsTheOpeningOfRtsp) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    test::ffmpeg("-f lavfi -i testsrc=size=64x48:rate=25 -t 1 -pix_fmt yuv420p -c:v libx264", scratch.path() / "a.mp4");
    test::RtspServer server(scratch.path() / "a.mp4");
    server.stall(true);  // the server sends the description, but no frames
    std::stop_source stop;
    const std::jthread stopper = test::stop_when(stop, [&] { return server.playing(); });
    try {
        static_cast<void>(open_source(server.url(), patient(), stop.get_token()));
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::interrupted) << failure.what();
    }
}

TEST(Pipe, WithoutAWriterOrWithASilentWriterTimesOut) {
    Fifo fifo;
    SourceOptions options;
    options.open_timeout = 0.3;
    options.read_timeout = 0.3;
    EXPECT_NE(failure_of_opening(fifo.path, options).find("no writer within 0.3 s"), std::string::npos);
    fifo.open_writer();
    EXPECT_NE(failure_of_opening(fifo.path, options).find("no data for 0.3 s"), std::string::npos);
}

TEST(Pipe, ReturnsEveryFrameAndEndsWithItsWriter) {
    TH_NEED_FFMPEG();
    Fifo fifo;
    const fs::path file = fifo.scratch.path() / "a.ts";
    test::ffmpeg("-f lavfi -i testsrc=size=64x48:rate=10 -t 3 -pix_fmt yuv420p -c:v libx264 -bf 0", file);
    const std::vector<char> bytes = test::read_file(file);
    for (const bool whole : {true, false}) {
        const std::jthread writer([&] {
            fifo.writer = ::open(fifo.path.c_str(), O_WRONLY | O_CLOEXEC);  // blocks until there is a reader
            fifo.write(bytes, whole ? bytes.size() : bytes.size() / 2);
            if (whole) ::close(std::exchange(fifo.writer, -1));
        });
        SourceOptions options = patient();
        if (!whole) options.read_timeout = 1;
        auto source = open_source(fifo.path, options);
        Frame frame;
        std::size_t frames = 0;
        while (source->read(frame, {}) != ReadStatus::end) ++frames;
        if (whole) {
            EXPECT_EQ(frames, 30U);
            EXPECT_EQ(source->incomplete(), "");
        } else {
            EXPECT_GT(frames, 5U) << "what arrived before the silence is decoded";
            EXPECT_NE(source->incomplete().find("no data for 1 s"), std::string::npos) << source->incomplete();
        }
    }
}

TEST(Stop, EndsReadingFromAPipe) {
    TH_NEED_FFMPEG();
    Fifo fifo;
    const fs::path file = fifo.scratch.path() / "a.ts";
    test::ffmpeg("-f lavfi -i testsrc=size=64x48:rate=10 -t 3 -pix_fmt yuv420p -c:v libx264 -bf 0", file);
    const std::vector<char> bytes = test::read_file(file);
    fifo.open_writer();
    SourceOptions options = patient();
    options.read_timeout = 1;  // while it is probed
    const std::jthread writer([&] { fifo.write(bytes, bytes.size() / 2); });
    auto source = open_source(fifo.path, options);
    std::stop_source stop;
    const std::jthread stopper = test::stop_when(stop, [&] { return test::bytes_in_pipe(fifo.writer) == 0; });
    Frame frame;
    ReadStatus status = ReadStatus::frame;
    while (status == ReadStatus::frame) status = source->read(frame, stop.get_token());
    EXPECT_TRUE(status == ReadStatus::timeout || status == ReadStatus::end);
}

TEST(Folder, OnlyRegularFilesAreOpened) {
    const ScratchDir scratch;
    const cv::Mat image(20, 30, CV_8UC3, cv::Scalar(1, 2, 3));
    ASSERT_TRUE(cv::imwrite((scratch.path() / "b.png").string(), image));
    fs::create_symlink("b.png", scratch.path() / "c.png");
    for (const char* name : {"a.png", "pipe", "z.jpg"}) {
        ASSERT_EQ(::mkfifo((scratch.path() / name).c_str(), 0600), 0);
    }
    const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string socket_path = (scratch.path() / "socket").string();
    std::strncpy(address.sun_path, socket_path.c_str(), sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);

    auto source = open_source(scratch.path().string());
    Frame frame;
    int frames = 0;
    while (source->read(frame, {}) != ReadStatus::end) ++frames;
    EXPECT_EQ(frames, 2);
    EXPECT_EQ(source->incomplete(), "");
    EXPECT_FALSE(is_still_image(scratch.path() / "pipe"));
    EXPECT_THROW(static_cast<void>(load_image(scratch.path() / "pipe")), Error);
    ::close(listener);
}

}  // namespace
}  // namespace throng
