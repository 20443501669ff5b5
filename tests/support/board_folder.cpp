#include "tests/support/board_folder.h"

#include <fstream>
#include <iterator>

namespace throng::test {
namespace {

namespace fs = std::filesystem;

fs::path below(const fs::path& folder, const std::string& path) {
    return folder / fs::path(path).relative_path();
}

}  // namespace

void build_board_folder(const FakeBoard& board, const fs::path& folder) {
    FakeFiles files;
    board.build(files);
    for (const auto& [path, text] : files.files()) {
        const fs::path file = below(folder, path);
        fs::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
    }
    for (const auto& [link, target] : files.links()) {
        const fs::path file = below(folder, link);
        fs::create_directories(file.parent_path());
        fs::create_directory_symlink(fs::relative(below(folder, target), file.parent_path()), file);
    }
}

std::string attribute(const fs::path& folder, const std::string& path) {
    std::ifstream file(below(folder, path), std::ios::binary);
    if (!file) return "(missing)";
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

}  // namespace throng::test
