#include "core/base/resources.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <fstream>
#include <string>
#include <thread>

#include "tests/support/test_data.h"

namespace throng {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

TEST(Resources, CoresAreThoseOfTheAffinity) {
    const int all = cpu_cores();
    EXPECT_GE(all, 1);
    int one = 0;
    std::thread([&] {
        cpu_set_t set;
        CPU_ZERO(&set);
        ASSERT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
        for (int cpu = 0, found = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET(cpu, &set) && found++ > 0) CPU_CLR(cpu, &set);
        }
        ASSERT_EQ(::sched_setaffinity(0, sizeof set, &set), 0);
        one = cpu_cores();
    }).join();
    EXPECT_EQ(one, 1);
    EXPECT_EQ(cpu_cores(), all);
}

TEST(Resources, TheLowestLimitOfAllCgroupsCounts) {
    const test::ScratchDir dir;
    const std::filesystem::path& root = dir.path();
    write(root / "a/cpu.max", "150000 100000\n");
    write(root / "a/b/cpu.max", "max 100000\n");
    write(root / "a/memory.max", "max\n");
    write(root / "a/b/memory.max", "2147483648\n");
    write(root / "a/b/c/cpu.max", "400000 100000\n");
    write(root / "a/b/c/memory.max", "9223372036854771712\n");
    const CgroupLimits limits = cgroup_limits("12:cpu:/x\n0::/a/b/c\n", root);
    EXPECT_EQ(limits.processors, 1.5);
    EXPECT_EQ(limits.memory, std::uint64_t{1} << 31U);
    const CgroupLimits outer = cgroup_limits("0::/a", root);
    EXPECT_EQ(outer.processors, 1.5);
    EXPECT_EQ(outer.memory, std::nullopt);
}

// In a container the path is often "/", and the limits are in the root of the mount.
TEST(Resources, FilesThatAreMissingOrWrongLimitNothing) {
    const test::ScratchDir dir;
    write(dir.path() / "cpu.max", "50000 100000");
    write(dir.path() / "memory.max", "1000");
    EXPECT_EQ(cgroup_limits("0::/\n", dir.path()).processors, 0.5);
    EXPECT_EQ(cgroup_limits("0::/absent/../absent\n", dir.path()).memory, 1000U);
    for (const char* membership : {"", "0:", "3:cpu:/\n", "10::/\n", "0::\n"}) {
        EXPECT_EQ(cgroup_limits(membership, dir.path()).processors, std::nullopt) << membership;
    }
    for (const char* text : {"", "-1 5", "x", "100000 0", "max"}) {
        write(dir.path() / "cpu.max", text);
        EXPECT_EQ(cgroup_limits("0::/", dir.path()).processors, std::nullopt) << text;
    }
    write(dir.path() / "memory.max", "much");
    EXPECT_EQ(cgroup_limits("0::/", dir.path()).memory, std::nullopt);
}

TEST(Resources, MemoryIsKnown) {
    EXPECT_GT(memory_bytes(), std::uint64_t{1} << 20U);
}

}  // namespace
}  // namespace throng
