// Counts what this process reads from files.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace throng::test {

// Returns the bytes that this process has read; 0 if the system does not count them.
inline std::uint64_t bytes_read_so_far() {
    std::ifstream file("/proc/self/io");
    std::string key;
    std::uint64_t value = 0;
    file >> key >> value;
    return key == "rchar:" ? value : 0;
}

}  // namespace throng::test
