// Reads the files of expected results of NMS (folder nms of oracle_dir) for the tests of every engine.
// Throws std::runtime_error naming file and key for anything it does not understand: an expectation that is not checked
// must not pass silently.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/nms_reference.h"

namespace throng::test {

// What one rule must give on one input. Indices are of the input.
struct NmsExpectation {
    std::string name;  // "crowd-200: greedy iou 0.3"
    NmsParams params;
    std::vector<std::int32_t> kept;                     // hard rules: ascending
    std::vector<std::int32_t> hits;                     // of each of `kept`; empty where the file does not say
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

// Every case of every file below `folder`; the larger ones are whole files.
[[nodiscard]] std::vector<NmsOracleCase> load_nms_oracle(const std::filesystem::path& folder);

// Compares what an engine kept with what is expected, hard rules exactly, soft ones within 1e-6 and in the same order.
// Empty when equal; otherwise the first difference, in words.
[[nodiscard]] std::string difference(const NmsExpectation& expected, const std::vector<Detection>& kept,
                                     std::uint32_t invalid);

}  // namespace throng::test
