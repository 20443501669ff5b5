#include "core/base/service_manager.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "core/base/log.h"
#include "tests/support/notify_socket.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

TEST(ServiceManager, FindsASocketWithoutAFile) {
    const test::NotifySocket socket("@throng-test-" + std::to_string(::getpid()));
    notify_service_manager("READY=1");
    EXPECT_EQ(socket.report(), "READY=1");
}

TEST(ServiceManager, GetsNothingWhereItIsNot) {
    const test::ScratchDir folder;
    const std::string path = (folder.path() / "socket").string();
    const test::NotifySocket socket(path);
    const std::filesystem::path current = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    for (const std::string& other :
         {std::string(), std::string("/"), std::string("socket"), path + "-of-another", path + std::string(200, 'x')}) {
        ::setenv("NOTIFY_SOCKET", other.c_str(), 1);
        notify_service_manager("READY=1");
        EXPECT_EQ(socket.report(), "") << other;
    }
    std::filesystem::current_path(current);
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
    notify_service_manager("READY=1");
    EXPECT_EQ(socket.report(), "READY=1");
}

TEST(ServiceManager, ThePeriodIsThatOfThisProcess) {
    const test::NotifySocket socket("@throng-test-" + std::to_string(::getpid()));  // restores the environment
    EXPECT_EQ(watchdog_period().count(), 0);
    ::setenv("WATCHDOG_USEC", "30000000", 1);
    EXPECT_EQ(watchdog_period().count(), 30000);
    ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
    EXPECT_EQ(watchdog_period().count(), 30000);
    ::setenv("WATCHDOG_PID", "1", 1);
    EXPECT_EQ(watchdog_period().count(), 0) << "of another process";
    ::setenv("WATCHDOG_PID", "", 1);
    for (const char* text : {"", "soon", "-5", "12x"}) {
        ::setenv("WATCHDOG_USEC", text, 1);
        EXPECT_EQ(watchdog_period().count(), 0) << text;
    }
}

TEST(ServiceManager, TheJournalGetsPriorities) {
    EXPECT_FALSE(writes_to_journal());
    ::testing::internal::CaptureStderr();
    struct stat file {};
    ASSERT_EQ(::fstat(STDERR_FILENO, &file), 0);
    ::setenv("JOURNAL_STREAM", (std::to_string(file.st_dev) + ":" + std::to_string(file.st_ino + 1)).c_str(), 1);
    initialize_log("info");
    logger().info("to another file");
    ::setenv("JOURNAL_STREAM", (std::to_string(file.st_dev) + ":" + std::to_string(file.st_ino)).c_str(), 1);
    initialize_log("debug");
    logger().debug("d");
    logger().info("i");
    logger().warn("w at rtsp://me:hunter2@cam");
    logger().error("e");
    ::unsetenv("JOURNAL_STREAM");
    write_log_to(nullptr, spdlog::level::off);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "info: to another file\n<7>debug: d\n<6>info: i\n<4>warning: w at rtsp://***@cam\n<3>error: e\n");
}

}  // namespace
}  // namespace throng
