// A simulated board as a folder, for `--root`, with regular files instead of kernel attributes.
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/fake_board.h"

namespace throng::test {

// Builds the board's tree below the folder. Regular files neither round nor reject values. The program itself reads and
// writes them.
void build_board_folder(const FakeBoard& board, const std::filesystem::path& folder);

// Returns the text of an attribute below the folder without its line feed; "(missing)" if there is none.
[[nodiscard]] std::string attribute(const std::filesystem::path& folder, const std::string& path);

}  // namespace throng::test
