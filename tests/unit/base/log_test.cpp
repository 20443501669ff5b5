#include "core/base/log.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>
#include <string>

namespace throng {
namespace {

class Log : public ::testing::Test {
protected:
    void TearDown() override { write_log_to(nullptr, spdlog::level::off); }
};

TEST_F(Log, MasksSecretsInEveryLine) {
    ::testing::internal::CaptureStderr();
    initialize_log("info");
    logger().info("opened {}", "rtsp://me:hunter2@cam/a?token=hunter3");
    logger().warn(std::string("http://me:hunter2@cam/a"));
    const std::string text = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(text, "info: opened rtsp://***@cam/a?token=***\nwarning: http://***@cam/a\n");

    std::string lines;
    write_log_to([&lines](spdlog::level::level_enum, std::string_view line) { lines += std::string(line) + "\n"; },
                 spdlog::level::info);
    logger().info("opened {}", "rtsp://me:hunter2@cam/a?token=hunter3");
    EXPECT_EQ(lines, "opened rtsp://***@cam/a?token=***\n");
}

// Neither before a call says where nor afterwards is anything written, and never to the logger of others.
TEST_F(Log, WritesOnlyWhereItIsTold) {
    std::ostringstream others;
    const auto previous = spdlog::default_logger();
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("other", std::make_shared<spdlog::sinks::ostream_sink_mt>(others)));
    ::testing::internal::CaptureStderr();
    logger().error("before");
    std::string lines;
    write_log_to(
        [&lines](spdlog::level::level_enum level, std::string_view line) {
            lines += std::to_string(static_cast<int>(level)) + std::string(line);
        },
        spdlog::level::warn);
    logger().info("below the level");
    logger().error("between");
    write_log_to(nullptr, spdlog::level::off);
    logger().error("after");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(spdlog::default_logger()->name(), "other");
    spdlog::set_default_logger(previous);
    EXPECT_EQ(others.str(), "");
    EXPECT_EQ(lines, std::to_string(static_cast<int>(spdlog::level::err)) + "between");
}

TEST_F(Log, UsesTheLoggerOfWhoLoadedAModule) {
    std::ostringstream text;
    spdlog::logger host("host", std::make_shared<spdlog::sinks::ostream_sink_mt>(text));
    spdlog::logger& own = logger();
    use_logger(host);
    logger().error("of the module");
    use_logger(own);
    EXPECT_NE(text.str().find("of the module"), std::string::npos);
}

}  // namespace
}  // namespace throng
