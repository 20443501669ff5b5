// Returns what this process may use of the machine: processors and memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace throng {

// Returns the number of processors that the CPU affinity of the calling thread and the limits of its cgroups allow, at
// least 1. A limit of 1.5 processors counts as 2. Thread-safe.
[[nodiscard]] int cpu_cores();

// Returns the memory of the machine in bytes, or the lowest limit of the cgroups of this process if that is less; 0:
// unknown. Thread-safe.
[[nodiscard]] std::uint64_t memory_bytes();

// The lowest limits of a cgroup and of those above it. Source: Linux, Documentation/admin-guide/cgroup-v2.rst, cpu.max
// and memory.max.
struct CgroupLimits {
    std::optional<double> processors;
    std::optional<std::uint64_t> memory;  // bytes
};

// membership: content of /proc/self/cgroup. root: where the cgroup2 file system is mounted. Files that are missing or
// cannot be read limit nothing.
[[nodiscard]] CgroupLimits cgroup_limits(std::string_view membership, const std::filesystem::path& root);

}  // namespace throng
