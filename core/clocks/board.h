// Identification of the board for clock control.
#pragma once

#include <cstdint>
#include <string>

#include "core/clocks/system_files.h"

namespace throng {

struct Board {
    std::string soc;      // "tegra124", "tegra210", "tegra186", "tegra194", "tegra234", "tegra264"; empty: no Tegra
    std::string model;    // as the board reports it, "NVIDIA Jetson AGX Orin Developer Kit"; may be empty
    std::string release;  // first line of /etc/nv_tegra_release; may be empty
};

// Reads /proc/device-tree/{compatible,model} and /etc/nv_tegra_release. Missing files are not an error.
[[nodiscard]] Board identify_board(const SystemFiles& files);

}  // namespace throng
