// Files that appear only when they are complete.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

std::size_t entries(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(AtomicFile, AppearsWhenItIsCommitted) {
    const test::ScratchDir dir;
    const fs::path path = dir.path() / "file";
    {
        AtomicFile discarded(path.string());
        discarded.write("half");
        EXPECT_FALSE(fs::exists(path));
    }
    EXPECT_EQ(entries(dir.path()), 0U);
    std::ofstream(path) << "earlier";
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    AtomicFile file(path.string());
    file.write("hello world");
    EXPECT_EQ(file.seek(0, SEEK_SET), 0);
    file.write("H");
    EXPECT_EQ(test::contents(path), "earlier");
    EXPECT_EQ(test::contents(file.open_path()), "Hello world");
    file.commit();
    EXPECT_EQ(test::contents(path), "Hello world");
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(entries(dir.path()), 1U);
}

TEST(AtomicFile, FollowsLinksAndRejectsWhatIsNoFile) {
    const test::ScratchDir dir;
    fs::create_directory(dir.path() / "folder");
    std::ofstream(dir.path() / "folder/target") << "earlier";
    fs::create_symlink("folder/target", dir.path() / "link");
    AtomicFile file((dir.path() / "link").string());
    file.write("new");
    file.commit();
    EXPECT_TRUE(fs::is_symlink(dir.path() / "link"));
    EXPECT_EQ(test::contents(dir.path() / "folder/target"), "new");
    EXPECT_THROW(AtomicFile((dir.path() / "folder").string()), Error);
    EXPECT_THROW(AtomicFile((dir.path() / "missing/file").string()), Error);
    ASSERT_EQ(::mkfifo((dir.path() / "fifo").c_str(), 0600), 0);
    EXPECT_THROW(AtomicFile((dir.path() / "fifo").string()), Error);
}

}  // namespace
}  // namespace throng
