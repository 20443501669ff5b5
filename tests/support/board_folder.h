// A fake board as a folder, for `--root`: plain files where the kernel has attributes.
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/fake_board.h"

namespace throng::test {

// Builds the board's tree below the folder. Plain files neither round nor reject; what reads and writes them is the
// real program.
void build_board_folder(const FakeBoard& board, const std::filesystem::path& folder);

// Text of an attribute below the folder without its line feed; "(missing)" when there is none.
[[nodiscard]] std::string attribute(const std::filesystem::path& folder, const std::string& path);

}  // namespace throng::test
