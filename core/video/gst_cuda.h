// Memory of GStreamer's elements for CUDA (GstCudaMemory), which needs no header: many systems have no package with it.
#pragma once

#include <gst/gst.h>

#include "core/base/shared_library.h"

namespace throng {

inline constexpr const char* kCudaMemory = "memory:CUDAMemory";  // caps feature
inline constexpr int kMapCuda = GST_MAP_FLAG_LAST << 1;          // GST_MAP_CUDA: maps to a device address

// Blocks until the memory of a buffer is written. From GStreamer 1.24 on, elements pass on what their stream still writes.
inline void wait_for_cuda_memory(GstMemory* memory) {
    static const auto& library = *new SharedLibrary("libgstcuda-1.0.so.0");
    auto* const is_cuda = library.find<gboolean(GstMemory*)>({"gst_is_cuda_memory"});
    auto* const wait = library.find<void(GstMemory*)>({"gst_cuda_memory_sync"});
    if (is_cuda != nullptr && wait != nullptr && is_cuda(memory)) wait(memory);
}

}  // namespace throng
