// Helpers for random tests: fixed seeds, which are printed and can be changed by $THRONG_SEED, and the number of cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace throng::test {

// Returns $THRONG_SEED if it is set, otherwise `fixed`. Recorded as a property of the running test.
std::uint64_t seed(std::uint64_t fixed);

// Returns the number of cases of a test: $THRONG_CASES if it is set, otherwise `common`, or a tenth of it in the much
// slower builds with sanitizers.
std::size_t case_count(std::size_t common);

}  // namespace throng::test
