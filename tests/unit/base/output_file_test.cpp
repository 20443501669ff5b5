#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "core/base/error.h"
#include "core/base/output_file.h"
#include "tests/support/process_state.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

class OutputFileTest : public ::testing::Test {
protected:
    [[nodiscard]] std::string file(const std::string& name) const { return (dir_.path() / name).string(); }
    template <typename Call>
    static ErrorKind kind_of(Call call) {
        try {
            call();
        } catch (const Error& error) {
            return error.kind();
        }
        ADD_FAILURE() << "no error";
        return ErrorKind::internal;
    }

    test::ScratchDir dir_;
};

// A file that cannot be truncated: in memory, sealed against becoming shorter.
TEST_F(OutputFileTest, NeverWritesOverAFileThatCannotBeTruncated) {
    const int sealed = ::memfd_create("sealed", MFD_ALLOW_SEALING);
    ASSERT_GE(sealed, 0);
    ASSERT_EQ(::write(sealed, "earlier", 7), 7);
    ASSERT_EQ(::fcntl(sealed, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    const std::string path = "/proc/self/fd/" + std::to_string(sealed);
    OutputFile output(path);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(kind_of([&] { output.write("new"); }), ErrorKind::input) << i;
        EXPECT_FALSE(output.is_open());
        EXPECT_EQ(contents(path), "earlier") << i;
    }
    ::close(sealed);
}

// What follows a failed write to a device that cannot be cut back would be no part of the whole.
TEST_F(OutputFileTest, WritesNothingAfterAFailureThatIsNotUndone) {
    OutputFile output("/dev/full");
    for (int i = 0; i < 2; ++i) EXPECT_EQ(kind_of([&] { output.write("new"); }), ErrorKind::input) << i;
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const std::string path = "/proc/self/fd/" + std::to_string(ends[1]);
    OutputFile pipe(path);
    pipe.write("a");
    ::close(ends[0]);
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(kind_of([&] { pipe.write("b"); }), ErrorKind::input);
    const int reader = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_GE(reader, 0);
    EXPECT_EQ(kind_of([&] { pipe.write("c"); }), ErrorKind::input) << "a gap in the output";
    std::signal(SIGPIPE, before);
    ::close(reader);
    ::close(ends[1]);
}

TEST_F(OutputFileTest, KeepsAnExistingFileUntilTheFirstWrite) {
    std::ofstream(file("a")) << "an earlier, longer result";
    OutputFile output(file("a"));
    EXPECT_EQ(contents(file("a")), "an earlier, longer result");
    output.write("new");
    output.write(" one");
    output.close();
    output.close();
    EXPECT_EQ(contents(file("a")), "new one");
    OutputFile unused(file("b"));
    unused.close();
    EXPECT_FALSE(fs::exists(file("b")));
}

TEST_F(OutputFileTest, RejectsUnwritablePathsBeforeTheFirstWrite) {
    std::ofstream(file("a")).flush();
    for (const std::string& path : {file("missing/a"), file("a/b"), dir_.path().string()}) {
        EXPECT_EQ(kind_of([&] { OutputFile output(path); }), ErrorKind::input) << path;
        EXPECT_EQ(kind_of([&] { write_file(path, "x"); }), ErrorKind::input) << path;
    }
    EXPECT_EQ(kind_of([] { OutputFile output(""); }), ErrorKind::usage);
    EXPECT_EQ(kind_of([&] { check_output_folder(file("a")); }), ErrorKind::input);
    EXPECT_EQ(kind_of([&] { check_output_folder(file("a/b")); }), ErrorKind::input);
    check_output_folder(file("new/folder"));
    EXPECT_FALSE(fs::exists(file("new")));
}

TEST_F(OutputFileTest, RejectsASecondWriterOfTheSameFile) {
    OutputFile first(file("a"));
    OutputFile second(file("a"));
    first.write("first");
    EXPECT_EQ(kind_of([&] { second.write("second"); }), ErrorKind::input);
    first.close();
    EXPECT_EQ(contents(file("a")), "first");
    second.write("second");
    EXPECT_EQ(contents(file("a")), "second");
}

TEST_F(OutputFileTest, WaitsForTheReaderOfAPipeUntilStopped) {
    std::signal(SIGPIPE, SIG_IGN);  // as the program does
    ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
    {
        OutputFile output(file("pipe"));
        std::stop_source stop;
        const std::jthread stopper = test::stop_when_asleep(stop);
        EXPECT_EQ(kind_of([&] { output.write("x", stop.get_token()); }), ErrorKind::interrupted);
    }
    // The reader reads nothing: the pipe fills up.
    const int reader = ::open(file("pipe").c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_GE(reader, 0);
    OutputFile output(file("pipe"));
    std::stop_source stop;
    const std::jthread stopper = test::stop_when(stop, [&] { return test::bytes_in_pipe(reader) == test::kPipeBytes; });
    const std::string megabyte(1 << 20, 'x');
    EXPECT_EQ(kind_of([&] { output.write(megabyte, stop.get_token()); }), ErrorKind::interrupted);
    ::close(reader);
    EXPECT_EQ(kind_of([&] { output.write("x"); }), ErrorKind::input) << "the reader was closed";
}

TEST_F(OutputFileTest, WritesAllBytesToAPipe) {
    ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
    std::string got;
    std::thread reader([&] { got = contents(file("pipe")); });
    OutputFile output(file("pipe"));
    const std::string bytes(300'000, 'y');
    output.write(bytes);
    output.write("z");
    output.close();
    reader.join();
    EXPECT_EQ(got, bytes + "z");
}

TEST_F(OutputFileTest, SeeksOnlyInRegularFiles) {
    OutputFile output(file("a"));
    EXPECT_LT(output.seek(0, SEEK_SET), 0) << "not open yet";
    output.write("0123456789");
    EXPECT_EQ(output.seek(2, SEEK_SET), 2);
    output.write("ab");
    EXPECT_EQ(output.seek(0, SEEK_END), 10);
    output.write("!");
    output.close();
    EXPECT_EQ(contents(file("a")), "01ab456789!");
    OutputFile device("/dev/null");
    device.write("x");
    EXPECT_LT(device.seek(0, SEEK_SET), 0);
}

TEST_F(OutputFileTest, WriteFileReplacesTheTargetOfALinkAndKeepsItsMode) {
    std::ofstream(file("target")) << "old";
    fs::permissions(file("target"), fs::perms(0640));
    fs::create_symlink("target", file("link"));
    write_file(file("link"), "new");
    EXPECT_TRUE(fs::is_symlink(file("link")));
    EXPECT_EQ(contents(file("target")), "new");
    EXPECT_EQ(fs::status(file("target")).permissions(), fs::perms(0640));
    EXPECT_EQ(std::distance(fs::directory_iterator(dir_.path()), fs::directory_iterator()), 2) << "no temporary file";
    EXPECT_EQ(kind_of([] { write_file("/dev/full", "x"); }), ErrorKind::input);
}

}  // namespace
}  // namespace throng
