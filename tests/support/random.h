// Seeds of random tests: fixed, printed with every failure, and changed by $THRONG_SEED.
#pragma once

#include <cstdint>
#include <random>

namespace throng::test {

// $THRONG_SEED where it is set, else `fixed`; recorded as a property of the running test.
std::uint64_t seed(std::uint64_t fixed);

}  // namespace throng::test
