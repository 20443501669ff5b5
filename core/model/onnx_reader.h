// Reads the face detectors YuNet and UltraFace from ONNX files as their authors publish them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/model/network.h"

namespace throng {

inline constexpr std::size_t kMaxOnnxFile = std::size_t{256} << 20;

// Throws Error(input) naming the file and the part if the file is not such a detector. Reasons: another format, damage,
// external data, an unsupported operator or operator set, a model of another task.
[[nodiscard]] Network read_onnx(const std::filesystem::path& file);

// Parses a model in memory; name replaces the file in messages.
[[nodiscard]] Network parse_onnx(std::string_view bytes, const std::string& name);

}  // namespace throng
