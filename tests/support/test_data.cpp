#include "tests/support/test_data.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace throng::test {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> existing(const char* variable, const fs::path& fallback) {
    const char* value = std::getenv(variable);
    fs::path path = value != nullptr && *value != '\0' ? fs::path(value) : fallback;
    if (!fs::is_directory(path)) return std::nullopt;
    return path;
}

}  // namespace

fs::path source_dir() {
    return TH_SOURCE_DIR;
}

std::optional<fs::path> data_dir() {
    return existing("THRONG_TEST_DATA", source_dir().parent_path() / "shared" / "data");
}

std::vector<fs::path> oracle_dirs() {
    std::vector<fs::path> folders{source_dir() / "tests" / "oracle"};
    const auto more = existing("THRONG_ORACLE", source_dir().parent_path() / "shared" / "oracle");
    if (more) folders.push_back(*more);
    return folders;
}

std::optional<fs::path> foreign_dir(const std::string& suite) {
    const auto shared = existing("THRONG_SHARED", source_dir().parent_path() / "shared");
    const fs::path folder = shared ? *shared / "foreign" / suite : fs::path();
    return fs::is_directory(folder) ? std::optional(folder) : std::nullopt;
}

std::optional<fs::path> cascade_file(const std::string& name) {
    const char* data = std::getenv("THRONG_TEST_DATA");
    for (const fs::path& folder :
         {fs::path("/usr/share/opencv4/haarcascades"), fs::path("/usr/share/opencv4/lbpcascades"),
          data != nullptr ? fs::path(data) / "cascades" : fs::path()}) {
        if (!folder.empty() && fs::is_regular_file(folder / name)) return folder / name;
    }
    return std::nullopt;
}

ScratchDir::ScratchDir() {
    std::string name = (fs::temp_directory_path() / "throng-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create " + name);
    path_ = name;
}

ScratchDir::~ScratchDir() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace throng::test
