#include "tests/support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>

#include "tests/support/sanitized.h"

namespace throng::test {

std::uint64_t seed(std::uint64_t fixed) {
    const char* value = std::getenv("THRONG_SEED");
    const std::uint64_t result = value != nullptr ? std::strtoull(value, nullptr, 10) : fixed;
    ::testing::Test::RecordProperty("seed", std::to_string(result));
    std::cout << "seed " << result << " (set THRONG_SEED to change it)\n";
    return result;
}

std::size_t case_count(std::size_t common) {
    if (kSanitized) common = std::max<std::size_t>(common / 10, 1);
    const char* expected = std::getenv("THRONG_CASES");
    return expected != nullptr ? std::strtoull(expected, nullptr, 10) : common;
}

}  // namespace throng::test
