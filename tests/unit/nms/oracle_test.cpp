// Compares the CPU engine and the reference of the random tests with results from independent implementations.
#include <gtest/gtest.h>

#include "core/cpu/nms.h"
#include "tests/support/nms_oracle.h"
#include "tests/support/nms_run.h"

namespace throng::test {
namespace {

TEST(NmsOracle, CpuEngineMatchesTheExpectedResults) {
    const auto nms = make_cpu_nms();
    std::size_t checked = 0;
    for (const NmsOracleCase& one : load_nms_oracle()) {
        for (const NmsExpectation& expectation : one.expectations) {
            const NmsOutput out = run_host_nms(*nms, one.input, expectation.params);
            EXPECT_EQ(difference(expectation, out.kept, out.invalid), "");
            ++checked;
        }
    }
    EXPECT_GT(checked, 100U);
}

TEST(NmsOracle, ReferenceMatchesTheExpectedResults) {
    for (const NmsOracleCase& one : load_nms_oracle()) {
        if (one.input.boxes.size() > 5000) continue;  // quadratic
        for (const NmsExpectation& expectation : one.expectations) {
            const NmsOutput out = reference_nms(one.input, expectation.params);
            EXPECT_EQ(difference(expectation, out.kept, out.invalid), "");
        }
    }
}

}  // namespace
}  // namespace throng::test
