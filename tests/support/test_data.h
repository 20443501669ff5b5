// Where tests find the photographs, clips and oracle files that are not part of the project.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace throng::test {

// The folder of photographs, clips and models: $THRONG_TEST_DATA, else shared/data beside the checkout. None: nothing.
std::optional<std::filesystem::path> data_dir();

// The folder of expected results: $THRONG_ORACLE, else shared/oracle beside the checkout. None: nothing.
std::optional<std::filesystem::path> oracle_dir();

// A cascade of Debian's opencv-data ("haarcascade_frontalface_alt2.xml"), or nothing where it is not installed.
std::optional<std::filesystem::path> cascade_file(const std::string& name);

// A new empty folder below the system's temporary one, removed with the object.
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

// Skips the running test, saying why, when the optional path is empty; otherwise names it.
#define TH_NEED(name, expression, what)                          \
    const auto name##_found = (expression);                      \
    if (!name##_found) GTEST_SKIP() << "skipped: no " << (what); \
    const std::filesystem::path& name = *name##_found
