// Shared by the tests of single engines: comparison of one call with the CPU, and cases for every engine.
#pragma once

#include "core/cpu/nms.h"
#include "tests/gpu/nms/device_nms.h"
#include "tests/support/nms_cases.h"
#include "tests/support/random.h"

namespace throng::test {

inline NmsParams rule(NmsRule rule, float theta = 0.5F) {
    NmsParams params;
    params.rule = rule;
    params.theta = theta;
    return params;
}

// Checks that each call gives the CPU's result. capacity: of the raw buffer, -1: the number of detections.
inline void expect_as_cpu(gpu::FastEngine engine, const NmsInput& input, const NmsParams& params,
                          std::int32_t capacity = -1, int times = 1) {
    const auto cpu = make_cpu_nms(1);
    const NmsOutput expected = run_host_nms(*cpu, input, params);
    DeviceNms device(engine);
    for (int k = 0; k < times; ++k) {
        const DetectionSet found = device.run(input, params, capacity);
        EXPECT_EQ(difference(expected.kept, expected.invalid, found, params), "") << "n " << input.boxes.size();
    }
}

inline void expect_few_hits_and_members(gpu::FastEngine engine, const NmsInput& input) {
    NmsParams params = rule(NmsRule::greedy);
    params.min_hits = 4;
    params.merge = Merge::weighted;
    expect_as_cpu(engine, input, params);
}

inline void expect_other_pair_rules(gpu::FastEngine engine, Random& random) {
    const NmsInput input = random_nms_input(random, 200);
    for (const PairRule pair : {PairRule::overlap, PairRule::adaptive, PairRule::feature}) {
        NmsParams params = rule(NmsRule::greedy, 0.3F);
        params.pair = pair;
        params.pixels = PixelConvention::inclusive;
        expect_as_cpu(engine, input, params);
    }
}

}  // namespace throng::test
