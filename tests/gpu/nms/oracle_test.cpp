// The files of expected results, under every rule, with each engine.
#include "tests/gpu/nms/device_nms.h"
#include "tests/support/nms_oracle.h"

namespace throng::test {
namespace {

class NmsOracleOfEngines : public testing::TestWithParam<gpu::FastEngine> {};

TEST_P(NmsOracleOfEngines, EveryExpectation) {
    TH_NEED_GPU();
    DeviceNms nms(GetParam());
    int checked = 0;
    for (const NmsOracleCase& one : load_nms_oracle()) {
        for (const NmsExpectation& expected : one.expectations) {
            const DetectionSet found = nms.run(one.input, expected.params);
            EXPECT_EQ(test::difference(expected, found.detections, found.invalid), "") << expected.name;
            ++checked;
        }
    }
    EXPECT_GT(checked, 0);
}

TEST(NmsOracle, PaperKernels) {
    TH_NEED_GPU();
    DeviceNms nms;
    int checked = 0;
    for (const NmsOracleCase& one : load_nms_oracle()) {
        for (NmsExpectation expected : one.expectations) {
            if (expected.params.rule != NmsRule::one_pass) continue;
            expected.params.kernels = NmsKernels::paper;
            const DetectionSet found = nms.run(one.input, expected.params);
            EXPECT_EQ(test::difference(expected, found.detections, found.invalid), "") << expected.name;
            ++checked;
        }
    }
    EXPECT_GT(checked, 0);
}

INSTANTIATE_TEST_SUITE_P(Engines, NmsOracleOfEngines,
                         testing::Values(gpu::FastEngine::choose, gpu::FastEngine::matrix, gpu::FastEngine::grid));

}  // namespace
}  // namespace throng::test
