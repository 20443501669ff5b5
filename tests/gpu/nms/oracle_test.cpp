// The files of expected results, under every rule, with each engine.
#include "tests/gpu/nms/device_nms.h"
#include "tests/support/nms_oracle.h"
#include "tests/support/test_data.h"

namespace throng::test {
namespace {

class NmsOracle : public testing::TestWithParam<gpu::FastEngine> {};

TEST_P(NmsOracle, EveryExpectation) {
    TH_NEED_GPU();
    TH_NEED(folder, oracle_dir(), "expected results");
    DeviceNms nms(GetParam());
    int checked = 0;
    for (const NmsOracleCase& one : load_nms_oracle(folder / "nms")) {
        for (const NmsExpectation& expected : one.expectations) {
            const DetectionSet found = nms.run(one.input, expected.params);
            EXPECT_EQ(test::difference(expected, found.detections, found.invalid), "") << expected.name;
            ++checked;
        }
    }
    EXPECT_GT(checked, 0);
}

TEST_P(NmsOracle, PaperKernels) {
    TH_NEED_GPU();
    TH_NEED(folder, oracle_dir(), "expected results");
    if (GetParam() != gpu::FastEngine::choose) GTEST_SKIP() << "skipped: once is enough";
    DeviceNms nms;
    int checked = 0;
    for (const NmsOracleCase& one : load_nms_oracle(folder / "nms")) {
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

INSTANTIATE_TEST_SUITE_P(Engines, NmsOracle,
                         testing::Values(gpu::FastEngine::choose, gpu::FastEngine::matrix, gpu::FastEngine::grid));

}  // namespace
}  // namespace throng::test
