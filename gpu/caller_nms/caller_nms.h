// Suppression of a caller's arrays in device memory, in torchvision's mode: greedy, IoU > theta, order of a stable sort
// by descending score, nothing dropped. The rules are those of core/cpu/corner_nms.h, bit for bit.
//
// Boxes are sorted, then decided in tiles of kTile ranks: a bit matrix of the tile, its sequential resolution, and one
// pass that marks what the tile's kept boxes suppress in later tiles. Work grows with n * kept, memory with n. Part of
// libthrong_nms: depends on nothing but the CUDA runtime.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUstream_st;

namespace throng::gpu {

enum class CallerType : std::uint8_t { float32, float16, float64 };

// Device addresses. Optional ones may be null.
struct CallerNmsTask {
    std::int32_t size = 0;
    CallerType type = CallerType::float32;
    bool xywh = false;              // otherwise x1, y1, x2, y2
    bool ids_are_int64 = true;      // class_ids and image_ids; otherwise int32
    bool results_are_int64 = true;  // indices and count; otherwise int32
    double theta = 0.5;             // in [0, 1]
    std::int32_t min_hits = 1;
    const void* boxes = nullptr;
    const void* scores = nullptr;
    const void* class_ids = nullptr;  // optional
    const void* image_ids = nullptr;  // optional
    std::int64_t capacity = 0;        // of indices, hits and scores
    void* indices = nullptr;          // optional, as the rest
    std::uint8_t* mask = nullptr;
    std::int32_t* hits = nullptr;
    float* kept_scores = nullptr;
    void* count = nullptr;
    void* invalid = nullptr;  // 0: this mode drops nothing
};

inline constexpr std::size_t kCallerNmsAlignment = 256;

// Returns the bytes of workspace for up to `size` boxes of any type.
[[nodiscard]] std::size_t caller_nms_workspace(std::int32_t size);

// Enqueues on the stream; does not synchronize or allocate, and can be captured. The workspace needs no initialization.
// Returns the status of the launches (cudaError_t), 0 for success.
[[nodiscard]] int launch_caller_nms(const CallerNmsTask& task, void* workspace, std::size_t workspace_bytes,
                                    CUstream_st* stream);

}  // namespace throng::gpu
