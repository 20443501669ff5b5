// What random tests share: seeds, fixed, printed with every failure, and changed by $THRONG_SEED; and how many cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace throng::test {

// $THRONG_SEED where it is set, else `fixed`; recorded as a property of the running test.
std::uint64_t seed(std::uint64_t fixed);

// How many cases a test tries: $THRONG_CASES where it is set, else `common`, a tenth of it in a build with sanitizers,
// which is much slower.
std::size_t case_count(std::size_t common);

}  // namespace throng::test
