// Reads the detectors YuNet, UltraFace (faces) and YOLOX (people) from ONNX files as their authors publish them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/detect/detector.h"
#include "core/model/network.h"

namespace throng {

inline constexpr std::size_t kMaxOnnxFile = std::size_t{256} << 20;

// People are this class of COCO, which YOLOX is trained on.
inline constexpr std::int32_t kPersonClass = 0;

// Throws Error(input) naming the file and the part if the file is not such a detector. Reasons: another format, damage,
// external data, an unsupported operator or operator set, a model of another task.
[[nodiscard]] Network read_onnx(const std::filesystem::path& file);

// Reads the model of params.kind that params.model names, as find_model does (core/model/model_finder.h). Throws
// Error(usage) for a model that another kind of detector runs.
[[nodiscard]] Network read_network(const DetectorParams& params);

// Parses a model in memory; name replaces the file in messages. object_class: the one that a model of several classes
// detects; Error(input) if the model does not have it.
[[nodiscard]] Network parse_onnx(std::string_view bytes, const std::string& name,
                                 std::int32_t object_class = kPersonClass);

}  // namespace throng
