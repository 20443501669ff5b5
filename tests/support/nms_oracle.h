// Reads the expected results of NMS (folders nms and published of oracle_dirs) for the tests of every engine.
// Throws std::runtime_error with file and key for unknown contents: an unchecked expectation must not pass silently.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/nms_reference.h"

namespace throng::test {

// The expected result of one rule on one input. Indices are indices of the input.
struct NmsExpectation {
    std::string name;  // "crowd-200: greedy iou 0.3"
    NmsParams params;
    std::vector<std::int32_t> kept;                     // hard rules: ascending
    std::vector<std::int32_t> hits;                     // of each of `kept`; empty if the file has none
    std::vector<std::pair<std::int32_t, double>> soft;  // soft rules: picks with their scores, in order
    std::optional<std::uint32_t> invalid;

    [[nodiscard]] bool is_soft() const {
        return params.rule == NmsRule::soft_linear || params.rule == NmsRule::soft_gaussian;
    }
};

struct NmsOracleCase {
    NmsInput input;
    std::vector<NmsExpectation> expectations;
};

// Returns every case of every file of the folders; a large case is one file.
[[nodiscard]] std::vector<NmsOracleCase> load_nms_oracle();

// Compares the kept detections of an engine with the expected ones: hard rules exactly, soft rules within 1e-6 and in
// the same order.
// Returns a description of the first difference; empty if equal.
[[nodiscard]] std::string difference(const NmsExpectation& expected, const std::vector<Detection>& kept,
                                     std::uint32_t invalid);

}  // namespace throng::test
