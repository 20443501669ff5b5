#include "tests/support/fake_board.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace throng::test {
namespace {

using Steps = std::vector<std::int64_t>;

Steps megahertz(std::initializer_list<double> values) {
    Steps steps;
    for (const double mhz : values) steps.push_back(static_cast<std::int64_t>(mhz * 1e6 + 0.5));
    return steps;
}

Steps evenly(double first, double last, double step) {
    Steps steps;
    for (double mhz = first; mhz <= last + 1e-6; mhz += step)
        steps.push_back(static_cast<std::int64_t>(mhz * 1e6 + 0.5));
    return steps;
}

std::string list_of(const Steps& steps, std::int64_t unit = 1) {
    std::string text;
    for (const std::int64_t step : steps) text += (text.empty() ? "" : " ") + std::to_string(step / unit);
    return text;
}

void identify(FakeFiles& files, const std::string& soc, const std::string& model) {
    const std::string compatible = std::string("nvidia,board") + '\0' + "nvidia," + soc + '\0';
    files.set("/proc/device-tree/compatible", compatible);
    files.set("/proc/device-tree/model", model);
}

// Rounds up to a step of the table, as devfreq does, and rejects a minimum above the maximum, as older kernels do.
void build_devfreq(FakeFiles& files, const std::string& node, const Steps& steps, bool has_load) {
    files.set(node + "/available_frequencies", list_of(steps) + "\n");
    files.set(node + "/cur_freq", std::to_string(steps.front()));
    files.set(node + "/min_freq", std::to_string(steps.front()));
    files.set(node + "/max_freq", std::to_string(steps.back()));
    files.set(node + "/governor", "nvhost_podgov\n");
    files.set(node + "/available_governors", "nvhost_podgov performance userspace\n");
    if (has_load) files.set(node + "/device/load", "437\n");
    const auto rounding = [&files, node, steps](bool is_min) {
        return [&files, node, steps, is_min](std::string& value) -> WriteOutcome {
            const std::int64_t expected = std::strtoll(value.c_str(), nullptr, 10);
            const auto step = std::lower_bound(steps.begin(), steps.end(), expected);
            const std::int64_t taken = step == steps.end() ? steps.back() : *step;
            const std::int64_t other = files.read_number(node + (is_min ? "/max_freq" : "/min_freq")).value_or(0);
            if (is_min ? taken > other : taken < other) return {WriteStatus::rejected, "Invalid argument"};
            value = std::to_string(taken);
            return {};
        };
    };
    files.on_write(node + "/min_freq", rounding(true));
    files.on_write(node + "/max_freq", rounding(false));
}

void build_tegra124(FakeFiles& files, const Steps& steps) {
    const std::string clock = "/sys/kernel/debug/clock/";
    files.set(clock + "gbus/possible_rates", list_of(steps, 1000) + " (kHz)\n");
    files.set(clock + "gbus/rate", std::to_string(steps.front()));
    files.set(clock + "gbus/min", std::to_string(steps.front()));
    files.set(clock + "gbus/max", std::to_string(steps.back()));
    files.set(clock + "override.gbus/rate", std::to_string(steps.front()));
    files.set(clock + "override.gbus/state", "0");
    files.set(clock + "emc/possible_rates", "12750 204000 924000 (kHz)\n");
    files.set(clock + "emc/rate", "204000000");
    files.set(clock + "emc/min", "12750000");
    files.set(clock + "emc/max", "924000000");
    files.set(clock + "override.emc/rate", "204000000");
    files.set(clock + "override.emc/state", "0");
    files.set("/sys/kernel/cluster/active", "G\n");
    files.set("/sys/kernel/cluster/immediate", "1");
    files.set("/sys/kernel/cluster/force", "0");
    files.on_write(clock + "override.gbus/rate", [steps](std::string& value) -> WriteOutcome {
        if (std::find(steps.begin(), steps.end(), std::strtoll(value.c_str(), nullptr, 10)) == steps.end()) {
            return {WriteStatus::rejected, "Invalid argument"};
        }
        return {};
    });
}

void build_cpus(FakeFiles& files, int cores) {
    for (int core = 0; core < cores; ++core) {
        const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(core) + "/cpufreq/";
        files.set(folder + "scaling_available_frequencies", "102000 204000 1020000 2014500\n");
        files.set(folder + "cpuinfo_min_freq", "102000");
        files.set(folder + "cpuinfo_max_freq", "2014500");
        files.set(folder + "scaling_min_freq", "102000");
        files.set(folder + "scaling_max_freq", "2014500");
        files.set(folder + "scaling_cur_freq", "1020000");
        files.set(folder + "scaling_governor", "schedutil\n");
        files.set(folder + "scaling_available_governors", "schedutil performance userspace\n");
    }
}

FakeBoard devfreq_board(std::string name, std::string soc, std::string node, std::string class_entry,
                        std::string tree_name, Steps steps, bool has_load = true) {
    FakeBoard board;
    board.name = name;
    board.soc = soc;
    board.node = node;
    board.steps_hz = steps;
    board.power_gpu = [=](FakeFiles& files) {
        build_devfreq(files, node, steps, has_load);
        if (class_entry.empty()) return;
        const std::string entry = "/sys/class/devfreq/" + class_entry;
        if (entry != node) files.link(entry, node);
        if (!tree_name.empty()) files.set(node + "/device/of_node/name", tree_name);
    };
    board.build = [=](FakeFiles& files) {
        identify(files, soc, name);
        build_cpus(files, 4);
        board.power_gpu(files);
        // Not a GPU, and listed before it.
        files.set("/sys/class/devfreq/a-memory-controller/cur_freq", "1600000000");
        files.set("/sys/class/devfreq/a-memory-controller/device/of_node/name", "external-memory-controller");
    };
    return board;
}

}  // namespace

void FakeFiles::remove_below(const std::string& folder) {
    std::erase_if(files_, [&](const auto& entry) { return entry.first.rfind(folder, 0) == 0; });
}

std::string FakeFiles::resolve(const std::string& path) const {
    for (const auto& [link, target] : links_) {
        if (path == link || path.rfind(link + "/", 0) == 0) return target + path.substr(link.size());
    }
    return path;
}

std::optional<std::string> FakeFiles::read(const std::string& path) const {
    const auto file = files_.find(resolve(path));
    if (file == files_.end()) return std::nullopt;
    std::string text = file->second;
    while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.pop_back();
    return text;
}

WriteOutcome FakeFiles::write(const std::string& asked, const std::string& value) {
    const std::string path = resolve(asked);
    if (files_.find(path) == files_.end()) return {WriteStatus::missing, "No such file or directory"};
    if (read_only_.count(path) != 0) return {WriteStatus::denied, "Permission denied"};
    std::string taken = value;
    if (const auto hook = hooks_.find(path); hook != hooks_.end()) {
        const WriteOutcome outcome = hook->second(taken);
        if (!outcome.ok()) return outcome;
    }
    files_[path] = taken;
    written_.push_back(path + "=" + taken);
    return {};
}

bool FakeFiles::exists(const std::string& asked) const {
    const std::string path = resolve(asked);
    const auto at = files_.lower_bound(path);
    return at != files_.end() && (at->first == path || at->first.rfind(path + "/", 0) == 0);
}

std::vector<std::string> FakeFiles::list(const std::string& asked) const {
    std::string folder = asked;
    if (folder.empty() || folder.back() != '/') folder += '/';
    std::set<std::string> names;
    const auto add = [&](const std::string& path) {
        if (path.rfind(folder, 0) == 0)
            names.insert(path.substr(folder.size(), path.find('/', folder.size()) - folder.size()));
    };
    for (const auto& [path, value] : files_) add(path);
    for (const auto& [link, target] : links_) {
        if (exists(target)) add(link);
    }
    return {names.begin(), names.end()};
}

const std::vector<FakeBoard>& fake_boards() {
    static const std::vector<FakeBoard> boards = [] {
        std::vector<FakeBoard> all;
        FakeBoard tk1;
        tk1.name = "NVIDIA Jetson TK1";
        tk1.soc = "tegra124";
        tk1.node = "/sys/kernel/debug/clock/override.gbus/";
        tk1.steps_hz = megahertz({72, 108, 180, 252, 324, 396, 468, 540, 612, 648, 684, 708, 756, 804, 852});
        tk1.power_gpu = [steps = tk1.steps_hz](FakeFiles& files) { build_tegra124(files, steps); };
        tk1.build = [power = tk1.power_gpu](FakeFiles& files) {
            identify(files, "tegra124", "NVIDIA Jetson TK1");
            build_cpus(files, 4);
            power(files);
        };
        all.push_back(tk1);
        all.push_back(devfreq_board("NVIDIA Jetson TX1", "tegra210", "/sys/devices/57000000.gpu/devfreq/57000000.gpu",
                                    "", "", evenly(76.8, 998.4, 76.8)));
        all.push_back(devfreq_board("NVIDIA Jetson TX2", "tegra186",
                                    "/sys/devices/17000000.gp10b/devfreq/17000000.gp10b", "17000000.gp10b", "gp10b",
                                    megahertz({114.75, 216.75, 318.75, 420.75, 522.75, 624.75, 726.75, 854.25, 930.75,
                                               1032.75, 1122, 1236.75, 1300.5})));
        all.push_back(devfreq_board("NVIDIA Jetson AGX Xavier", "tegra194",
                                    "/sys/devices/17000000.gv11b/devfreq/17000000.gv11b", "17000000.gv11b", "gv11b",
                                    megahertz({114.75, 216.75, 318.75, 420.75, 522.75, 624.75, 675.75, 828.75, 905.25,
                                               1032.75, 1198.5, 1236.75, 1338.75, 1377})));
        Steps orin = evenly(306, 1224, 102);
        orin.push_back(1'300'500'000);
        all.push_back(devfreq_board("NVIDIA Jetson AGX Orin, JetPack 5", "tegra234",
                                    "/sys/devices/17000000.ga10b/devfreq/17000000.ga10b", "17000000.ga10b", "ga10b",
                                    orin));
        all.push_back(devfreq_board("NVIDIA Jetson AGX Orin, JetPack 6", "tegra234",
                                    "/sys/devices/platform/bus@0/17000000.gpu/devfreq/17000000.gpu", "17000000.gpu",
                                    "gpu", orin));
        FakeBoard newer =
            devfreq_board("NVIDIA Jetson AGX Orin, JetPack 7.2", "tegra234",
                          "/sys/devices/platform/bus@0/17000000.gpu/devfreq/17000000.gpu", "17000000.gpu", "gpu", orin);
        newer.build = [build = newer.build](FakeFiles& files) {
            build(files);
            const std::string memory = "/sys/kernel/debug/bpmp/debug/clk/emc/";
            files.set(memory + "rate", "2133000000");
            files.set(memory + "min_rate", "204000000");
            files.set(memory + "max_rate", "3199000000");
            files.set(memory + "mrq_rate_locked", "0");
        };
        all.push_back(newer);
        FakeBoard thor = devfreq_board("NVIDIA Jetson AGX Thor", "tegra264", "/sys/class/devfreq/gpu-gpc-0",
                                       "gpu-gpc-0", "", evenly(315, 1575, 105), false);
        thor.build = [build = thor.build](FakeFiles& files) {
            build(files);
            files.remove_below("/sys/class/devfreq/a-memory-controller");
            // The bandwidth manager limits the memory clock and lists no steps.
            files.set("/sys/class/devfreq/bwmgr/cur_freq", "4266000000");
            files.set("/sys/class/devfreq/bwmgr/min_freq", "665600000");
            files.set("/sys/class/devfreq/bwmgr/max_freq", "4266000000");
        };
        all.push_back(thor);
        return all;
    }();
    return boards;
}

}  // namespace throng::test
