// What a program that uses libthrong has set for its process stays as it is: spdlog's default logger, FFmpeg's log
// function and level, OpenCV's level. The library writes nothing by itself.
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <mutex>
#include <opencv2/core/utils/logger.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app/api/throng.h"
#include "app/api/throng_nms.h"
#include "tests/support/test_data.h"

extern "C" {
#include <libavutil/log.h>
}

namespace throng::test {
namespace {

std::atomic<int> num_host_lines{0};
constexpr const char* kProbe = "a line of the host";

void count_host_line(void*, int level, const char* format, va_list) {
    if (level == AV_LOG_FATAL && std::string(format) == kProbe) ++num_host_lines;
}

// Every kind of call: images, sources that can and cannot be opened, errors, suppression.
void call_everything(const std::string& folder) {
    throng_options options = throng_options_default();
    options.backend = THRONG_BACKEND_CPU;
    throng_detector* detector = nullptr;
    if (throng_detector_create(&detector, THRONG_ABI, &options) == THRONG_OK) {
        const std::vector<unsigned char> gray(std::size_t{64} * 64, 128);
        throng_image image = throng_image_default();
        image.width = image.height = 64;
        image.planes[0] = gray.data();
        image.pitch[0] = 64;
        std::int64_t count = 0;
        EXPECT_EQ(throng_detect(detector, &image, nullptr, sizeof(throng_detection), 0, &count), THRONG_OK);
        throng_detector_destroy(detector);
    }
    const std::string damaged = folder + "/damaged.mp4";
    std::ofstream(damaged, std::ios::binary) << std::string(
        "\0\0\0\x18"
        "ftypisom\0\0\2\0isomiso2\0\0\0\x10mdatABCDEFGH",
        40);
    const std::string image = folder + "/damaged.jpg";
    std::ofstream(image, std::ios::binary) << "\xFF\xD8\xFF\xE0 and nothing else";
    for (const std::string& source : {std::string("crowd:faces=2,size=320x240,frames=2"), damaged, image,
                                      folder + "/none.mp4", std::string("rtsp://127.0.0.1:1/none"),
                                      std::string("gst:videotestsrc num-buffers=2"), std::string("camera:77")}) {
        const auto callback = [](const throng_frame*, void*) { return 0; };
        const throng_status status = throng_run(THRONG_ABI, source.c_str(), &options, callback, nullptr);
        if (source.starts_with("gst:")) continue;  // not every OpenCV has GStreamer
        EXPECT_EQ(status == THRONG_OK, source.starts_with("crowd") && detector != nullptr) << source;
    }
    throng_nms* nms = nullptr;
    ASSERT_EQ(throng_nms_create(&nms, THRONG_NMS_ABI, THRONG_HOST, 0), THRONG_OK);
    const float box[4] = {0, 0, 1, 1};
    std::int64_t count = 0;
    const throng_nms_params params = throng_nms_params_default();
    throng_nms_input input = throng_nms_input_default();
    input.num_boxes = 1;
    input.boxes = box;
    input.scores = box + 2;
    throng_nms_output output = throng_nms_output_default();
    output.count = &count;
    EXPECT_EQ(throng_nms_run(nms, &params, &input, &output, nullptr, 0, nullptr), THRONG_OK);
    throng_nms_destroy(nms);
}

class HostSettings : public ::testing::Test {
protected:
    void SetUp() override {
        spdlog::set_default_logger(
            std::make_shared<spdlog::logger>("host", std::make_shared<spdlog::sinks::ostream_sink_mt>(host_log_)));
        spdlog::set_level(spdlog::level::trace);
        av_log_set_callback(count_host_line);
        av_log_set_level(AV_LOG_VERBOSE);
        cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    }
    void TearDown() override {
        throng_set_log(nullptr, nullptr, THRONG_SEVERITY_ERROR);
        spdlog::set_default_logger(previous_);
        av_log_set_callback(av_log_default_callback);
        av_log_set_level(AV_LOG_INFO);
        cv::utils::logging::setLogLevel(level_);
    }

    void expect_unchanged() {
        EXPECT_EQ(spdlog::default_logger()->name(), "host");
        EXPECT_EQ(spdlog::get_level(), spdlog::level::trace);
        EXPECT_EQ(host_log_.str(), "");
        EXPECT_EQ(av_log_get_level(), AV_LOG_VERBOSE);
        num_host_lines = 0;
        av_log(nullptr, AV_LOG_FATAL, kProbe);
        EXPECT_EQ(num_host_lines, 1);
        EXPECT_EQ(cv::utils::logging::getLogLevel(), cv::utils::logging::LOG_LEVEL_SILENT);
    }

    ScratchDir folder_;
    std::ostringstream host_log_;
    std::shared_ptr<spdlog::logger> previous_ = spdlog::default_logger();
    cv::utils::logging::LogLevel level_ = cv::utils::logging::getLogLevel();
};

TEST_F(HostSettings, StayAsTheyAre) {
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    call_everything(folder_.path().string());
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    expect_unchanged();
}

struct Lines {
    std::mutex mutex;
    std::vector<std::pair<int, std::string>> lines;
};

void keep_line(std::int32_t severity, const char* text, void* user) {
    auto& kept = *static_cast<Lines*>(user);
    const std::lock_guard lock(kept.mutex);
    kept.lines.emplace_back(severity, text);
}

// FFmpeg's function is a source of lines that needs no damaged file.
TEST_F(HostSettings, TheLogGoesWhereItIsTold) {
    Lines debug;
    ASSERT_EQ(throng_set_log(keep_line, &debug, THRONG_SEVERITY_DEBUG), THRONG_OK);
    av_log_set_callback(throng_ffmpeg_log);
    av_log(nullptr, AV_LOG_ERROR, "at rtsp://me:hunter2@camera/\n");
    call_everything(folder_.path().string());
    ASSERT_FALSE(debug.lines.empty());
    EXPECT_EQ(debug.lines[0].first, THRONG_SEVERITY_DEBUG);
    EXPECT_EQ(debug.lines[0].second, "ffmpeg: at rtsp://***@camera/");

    Lines warnings;
    ASSERT_EQ(throng_set_log(keep_line, &warnings, THRONG_SEVERITY_WARNING), THRONG_OK);
    const std::size_t before = debug.lines.size();
    av_log(nullptr, AV_LOG_ERROR, "not serious\n");
    EXPECT_EQ(debug.lines.size(), before);
    EXPECT_TRUE(warnings.lines.empty());
    ASSERT_EQ(throng_set_log(nullptr, nullptr, THRONG_SEVERITY_DEBUG), THRONG_OK);
    av_log(nullptr, AV_LOG_ERROR, "nobody listens\n");
    EXPECT_EQ(debug.lines.size(), before);

    EXPECT_EQ(throng_set_log(keep_line, nullptr, 4), THRONG_ERROR_USAGE);
    EXPECT_EQ(throng_set_log(keep_line, nullptr, -1), THRONG_ERROR_USAGE);
    EXPECT_NE(std::string(throng_stream_error(nullptr)).find("severity"), std::string::npos);
    av_log_set_callback(count_host_line);
    expect_unchanged();
}

TEST(LibraryVersion, IsThatOfTheHeaders) {
    EXPECT_STREQ(throng_version(), THRONG_VERSION);
    EXPECT_STREQ(throng_nms_version(), THRONG_VERSION);
}

TEST(LibraryStatus, HasATextForEveryNumber) {
    std::set<std::string> texts;
    for (std::int32_t status = 0; status <= THRONG_ERROR_STOPPED; ++status) texts.insert(throng_status_text(status));
    EXPECT_EQ(texts.size(), 8U);  // 1 is no status
    EXPECT_STREQ(throng_status_text(1), "unknown status");
    EXPECT_STREQ(throng_status_text(-1), "unknown status");
    EXPECT_STREQ(throng_status_text(THRONG_OK), "done");
}

}  // namespace
}  // namespace throng::test
