#include "tests/support/random.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

namespace throng::test {

std::uint64_t seed(std::uint64_t fixed) {
    const char* value = std::getenv("THRONG_SEED");
    const std::uint64_t result = value != nullptr ? std::strtoull(value, nullptr, 10) : fixed;
    ::testing::Test::RecordProperty("seed", std::to_string(result));
    std::cout << "seed " << result << " (THRONG_SEED changes it)\n";
    return result;
}

}  // namespace throng::test
