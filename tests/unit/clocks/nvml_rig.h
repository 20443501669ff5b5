// A simulated GPU: a copy of the fake NVML library in its own folder.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/clocks/board_clock.h"
#include "core/clocks/nvml.h"
#include "tests/support/test_data.h"

namespace throng::test {

class NvmlRig {
public:
    // library: file of the fake library, TH_FAKE_NVML or TH_FAKE_NVML_READ_ONLY.
    explicit NvmlRig(const std::filesystem::path& library) {
        std::filesystem::create_directories(folder());
        std::filesystem::copy_file(library, folder() / "libnvidia-ml.so.1");
    }

    [[nodiscard]] const std::filesystem::path& root() const { return scratch_.path(); }  // for --root
    [[nodiscard]] std::shared_ptr<Nvml> open() const { return open_nvml(root()); }

    [[nodiscard]] static std::vector<Hertz> steps() {
        std::vector<Hertz> all;
        for (Hertz mhz = 345; mhz <= 1980; mhz += 15) all.push_back(mhz * 1'000'000);
        return all;
    }

    // The keys are listed in fake_nvml.cpp.
    void set(const std::string& key, long long value) {
        auto values = state();
        values[key] = value;
        std::ofstream file(folder() / "nvml.state");
        for (const auto& [name, number] : values) file << name << ' ' << number << '\n';
    }
    [[nodiscard]] std::map<std::string, long long> state() const {
        std::map<std::string, long long> values;
        std::ifstream file(folder() / "nvml.state");
        std::string key;
        long long value = 0;
        while (file >> key >> value) values[key] = value;
        return values;
    }
    [[nodiscard]] std::optional<Hertz> locked_max() const {
        const auto values = state();
        const auto found = values.find("locked_max");
        if (found == values.end() || found->second == 0) return std::nullopt;
        return found->second * 1'000'000;
    }

private:
    [[nodiscard]] std::filesystem::path folder() const { return scratch_.path() / "usr" / "lib"; }
    ScratchDir scratch_;
};

}  // namespace throng::test
