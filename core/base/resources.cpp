#include "core/base/resources.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace throng {
namespace {

namespace fs = std::filesystem;

CgroupLimits own_limits() {
    std::ifstream file("/proc/self/cgroup");
    return cgroup_limits(std::string(std::istreambuf_iterator<char>(file), {}), "/sys/fs/cgroup");
}

template <typename T>
void lower(std::optional<T>& limit, T value) {
    limit = std::min(limit.value_or(value), value);
}

}  // namespace

CgroupLimits cgroup_limits(std::string_view membership, const fs::path& root) {
    CgroupLimits limits;
    constexpr std::string_view kVersion2 = "0::/";
    std::size_t line = membership.find(kVersion2);
    while (line != std::string_view::npos && line > 0 && membership[line - 1] != '\n') {
        line = membership.find(kVersion2, line + 1);
    }
    if (line == std::string_view::npos) return limits;
    std::string_view path = membership.substr(line + kVersion2.size());
    path = path.substr(0, path.find('\n'));
    fs::path group = (root / path).lexically_normal();
    for (;;) {
        double quota = 0, period = 0;  // microseconds; "max" leaves quota at 0
        if (std::ifstream(group / "cpu.max") >> quota >> period && quota > 0 && period > 0) {
            lower(limits.processors, quota / period);
        }
        std::uint64_t bytes = 0;
        if (std::ifstream(group / "memory.max") >> bytes) lower(limits.memory, bytes);
        if (group == root || !group.has_relative_path() || group == group.parent_path()) return limits;
        group = group.parent_path();
    }
}

int cpu_cores() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    const bool known = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    int cores = known ? CPU_COUNT(&allowed) : static_cast<int>(std::thread::hardware_concurrency());
    if (const std::optional<double> limit = own_limits().processors) {
        cores = std::min(cores, static_cast<int>(std::ceil(std::min(*limit, 1e6))));
    }
    return std::max(cores, 1);
}

std::uint64_t memory_bytes() {
    const auto pages = ::sysconf(_SC_PHYS_PAGES);
    const auto page = ::sysconf(_SC_PAGE_SIZE);
    const std::uint64_t machine =
        pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : 0;
    const std::optional<std::uint64_t> limit = own_limits().memory;
    if (!limit) return machine;
    return machine > 0 ? std::min(machine, *limit) : *limit;
}

}  // namespace throng
