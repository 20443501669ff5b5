// Suppression of a caller's arrays in device memory, for libthrong_nms: Throng's rules, or torchvision's mode (greedy,
// IoU > theta, order of a stable sort by descending score, nothing dropped), bit for bit as on the CPU. Part of
// libthrong_nms: depends on nothing but the CUDA runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/detect/nms.h"
#include "gpu/runtime/check.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

enum class CallerType : std::uint8_t { float32, float16, float64 };

// Parameters of a call, on which the size of the workspace depends.
struct CallerNmsRules {
    bool torchvision = true;  // otherwise params
    double theta = 0.5;       // torchvision: in [0, 1]
    NmsParams params;         // torchvision: only min_hits
};

// Device addresses. Optional ones may be null.
struct CallerNmsTask {
    CallerNmsRules rules;
    std::int32_t size = 0;
    CallerType type = CallerType::float32;
    bool xywh = false;              // otherwise x1, y1, x2, y2
    bool ids_are_int64 = true;      // class_ids and image_ids; otherwise int32
    bool results_are_int64 = true;  // indices and count; otherwise int32
    const void* boxes = nullptr;
    const void* scores = nullptr;
    const void* class_ids = nullptr;  // optional
    const void* image_ids = nullptr;  // optional
    const float* density = nullptr;   // for the pair rules
    const float* features = nullptr;
    std::int32_t feature_size = 0;
    // Scores that are not above take no part and count as invalid; rounded to the type in which scores are computed.
    double score_threshold = std::numeric_limits<double>::quiet_NaN();  // NaN: none
    std::int32_t max_output = 0;  // the most that are kept; 0: all. Without ids only.
    std::int64_t capacity = 0;    // of indices, hits and scores
    void* indices = nullptr;      // optional, as the rest
    std::uint8_t* mask = nullptr;
    std::int32_t* hits = nullptr;
    float* kept_scores = nullptr;
    void* count = nullptr;
    void* invalid = nullptr;
};

inline constexpr std::size_t kCallerNmsAlignment = 256;
inline constexpr std::int32_t kCallerNmsLimit = 1 << 24;  // boxes of a call

// Returns the bytes of workspace for up to `size` boxes of any type, with any ids. size: at most kCallerNmsLimit.
[[nodiscard]] std::size_t caller_nms_workspace(const DeviceInfo& device, const CallerNmsRules& rules,
                                               std::int32_t size);

// Enqueues on the stream; does not synchronize or allocate, and can be captured. The workspace needs no initialization.
// device: the current one; only `code` and `multiprocessors` are used. Throws Error if a launch fails, Error(unavailable)
// for max_output with ids, and for Soft-NMS with ids and a negative score_min.
void launch_caller_nms(const DeviceInfo& device, const CallerNmsTask& task, void* workspace,
                       std::size_t workspace_bytes, StreamView stream);

}  // namespace throng::gpu
