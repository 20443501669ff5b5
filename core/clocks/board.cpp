#include "core/clocks/board.h"

#include <algorithm>
#include <cctype>

namespace throng {

Board identify_board(const SystemFiles& files) {
    Board board;
    board.model = files.read("/proc/device-tree/model").value_or("");
    board.release = files.read("/etc/nv_tegra_release").value_or("");
    board.release.resize(std::min(board.release.find('\n'), board.release.size()));

    // NUL-separated strings such as "nvidia,p3737-0000", "nvidia,tegra234".
    const std::string compatible = files.read("/proc/device-tree/compatible").value_or("");
    constexpr std::string_view kFamily = "tegra";
    for (std::size_t at = compatible.find(kFamily); at != std::string::npos; at = compatible.find(kFamily, at + 1)) {
        std::size_t end = at + kFamily.size();
        while (end < compatible.size() && std::isdigit(static_cast<unsigned char>(compatible[end])) != 0) ++end;
        if (end == at + kFamily.size()) continue;
        board.soc = compatible.substr(at, end - at);
        break;
    }
    return board;
}

}  // namespace throng
