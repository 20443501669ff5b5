// The models that are recommended: where their publishers keep them, and how to know that a copy is theirs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace throng {

struct RecommendedModel {
    std::string_view name;       // as --model and `throng models fetch` take it
    std::string_view kind;       // of detector_kinds()
    std::string_view help;       // one line: what it is good at
    std::string_view licence;    // SPDX
    std::string_view publisher;  // whose it is
    std::string_view address;    // HTTPS, of the file itself; empty: comes with a package
    std::string_view package;    // Debian package that brings it; empty: none
    std::uint64_t size = 0;      // bytes
    std::string_view sha256;     // 64 lower-case hexadecimal digits
};

[[nodiscard]] const std::vector<RecommendedModel>& recommended_models();

// Throws Error(usage) for an unknown name, suggesting the closest.
[[nodiscard]] const RecommendedModel& recommended_model(std::string_view name);

// name with the extension of its kind.
[[nodiscard]] std::string file_name(const RecommendedModel& model);

// SHA-256 of a file in lower-case hexadecimal digits. Throws Error(input) when it cannot be read.
[[nodiscard]] std::string sha256_of(const std::filesystem::path& file);

}  // namespace throng
