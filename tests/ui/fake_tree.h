// Files of a fake board with devfreq in a folder, for code that accesses them through --root.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace throng::test {

class FakeTree {
public:
    explicit FakeTree(std::filesystem::path root) : root_(std::move(root)) {
        set("/proc/device-tree/compatible", std::string("nvidia,board") + '\0' + "nvidia,tegra186" + '\0');
        set("/proc/device-tree/model", "NVIDIA Jetson TX2");
        set(node("available_frequencies"), "114750000 318750000 522750000 854250000 1300500000\n");
        set(node("cur_freq"), "522750000");
        set(node("min_freq"), "114750000");
        set(node("max_freq"), "1300500000");
        set(node("governor"), "nvhost_podgov");
        set("/sys/class/thermal/thermal_zone0/type", "GPU-therm\n");
        set("/sys/class/thermal/thermal_zone0/temp", "51500\n");
        set("/sys/class/thermal/thermal_zone1/type", "CPU-therm\n");
        set("/sys/class/thermal/thermal_zone1/temp", "43000\n");
    }

    [[nodiscard]] static std::string node(const std::string& file) {
        return "/sys/devices/17000000.gp10b/devfreq/17000000.gp10b/" + file;
    }
    [[nodiscard]] const std::filesystem::path& root() const { return root_; }
    [[nodiscard]] std::filesystem::path path(const std::string& file) const { return root_ / file.substr(1); }

    void set(const std::string& file, const std::string& value) const {
        std::filesystem::create_directories(path(file).parent_path());
        if (std::filesystem::is_symlink(path(file))) std::filesystem::remove(path(file));  // see make_reject
        std::ofstream(path(file), std::ios::binary) << value;
    }
    [[nodiscard]] std::string text(const std::string& file) const {
        std::string word;
        std::ifstream(path(file)) >> word;
        return word;
    }
    // Makes writes to the file fail with "no space left on device".
    void make_reject(const std::string& file) const {
        std::filesystem::remove(path(file));
        std::filesystem::create_symlink("/dev/full", path(file));
    }

private:
    std::filesystem::path root_;
};

}  // namespace throng::test
