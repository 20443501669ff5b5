// Locations of the checkout, and of the photographs, clips and oracle files, which are not part of the project.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace throng::test {

// Returns the top folder of the checkout that was built.
std::filesystem::path source_dir();

// Returns the folder of photographs, clips and models: $THRONG_TEST_DATA, or shared/data next to the checkout, or
// nothing.
std::optional<std::filesystem::path> data_dir();

// Returns the folders of expected results: tests/oracle, and $THRONG_ORACLE or shared/oracle next to the checkout if it
// exists.
std::vector<std::filesystem::path> oracle_dirs();

// Returns the folder of a suite of another project ("toml-test"), in the folder foreign of $THRONG_SHARED or of shared
// next to the checkout; nothing if it is not there.
std::optional<std::filesystem::path> foreign_dir(const std::string& suite);

// A cascade of Debian's opencv-data ("haarcascade_frontalface_alt2.xml"), or nothing if it is not installed.
std::optional<std::filesystem::path> cascade_file(const std::string& name);

// A new empty folder in the system's temporary folder, removed by the destructor.
class ScratchDir {
public:
    ScratchDir();
    ~ScratchDir();
    ScratchDir(const ScratchDir&) = delete;
    ScratchDir& operator=(const ScratchDir&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace throng::test

// Skips the running test with a message if the optional path is empty; otherwise declares `name` as the path.
#define TH_NEED(name, expression, what)                          \
    const auto name##_found = (expression);                      \
    if (!name##_found) GTEST_SKIP() << "skipped: no " << (what); \
    [[maybe_unused]] const std::filesystem::path& name = *name##_found
