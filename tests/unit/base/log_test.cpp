#include "core/base/log.h"

#include <gtest/gtest.h>

namespace throng {
namespace {

TEST(Log, MasksSecretsInEveryLine) {
    const auto previous = spdlog::default_logger();
    ::testing::internal::CaptureStderr();
    initialize_log("info");
    spdlog::info("opened {}", "rtsp://me:hunter2@cam/a?token=hunter3");
    spdlog::warn(std::string("http://me:hunter2@cam/a"));
    const std::string text = ::testing::internal::GetCapturedStderr();
    spdlog::set_default_logger(previous);
    EXPECT_EQ(text, "info: opened rtsp://***@cam/a?token=***\nwarning: http://***@cam/a\n");
}

}  // namespace
}  // namespace throng
