// Reads OpenCV's cascades: Haar and LBP in the format of opencv_traincascade, Haar in the older format of
// opencv_haartraining.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/model/cascade_model.h"

namespace throng {

inline constexpr std::size_t kMaxCascadeFile = std::size_t{64} << 20;

// Throws Error(input) naming the file and the element if the file is not a valid cascade.
[[nodiscard]] CascadeModel read_cascade(const std::filesystem::path& file);

// Parses a cascade in memory; name replaces the file in messages.
[[nodiscard]] CascadeModel parse_cascade(std::string_view xml, const std::string& name);

}  // namespace throng
