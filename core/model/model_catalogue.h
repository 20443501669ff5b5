// The recommended models: where their publishers provide them, and how to verify a copy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/detect/detector.h"

namespace throng {

struct RecommendedModel {
    std::string_view name;       // as in --model and `throng models fetch`
    DetectorId kind;             // that runs it
    std::string_view help;       // one line: its strengths
    std::string_view license;    // SPDX identifier, of the file
    std::string_view training;   // data that it was trained on, and the terms of these data
    std::string_view publisher;  // name of the publisher
    std::string_view address;    // HTTPS URL of the file itself; empty: part of a package
    std::string_view package;    // Debian package that contains it; empty: none
    std::uint64_t size = 0;      // bytes
    std::string_view sha256;     // 64 lower-case hexadecimal digits
    // Height in pixels from which on it finds half of the faces (README.md has the conditions); 0: not measured.
    int half_from = 0;
};

[[nodiscard]] const std::vector<RecommendedModel>& recommended_models();

// Returns the network that `throng models fetch` installs without a name: the first default of `cnn`.
[[nodiscard]] const RecommendedModel& recommended_network();

// Throws Error(usage) for an unknown name and suggests the closest one.
[[nodiscard]] const RecommendedModel& recommended_model(std::string_view name);

// Returns the name with the extension of the model's kind.
[[nodiscard]] std::string file_name(const RecommendedModel& model);

}  // namespace throng
