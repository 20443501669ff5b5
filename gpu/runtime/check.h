// Checks for CUDA runtime calls and kernel launches; a failure becomes a throng::Error that names the call or kernel.
#pragma once

struct CUstream_st;

namespace throng::gpu {

// A non-owning stream handle. Never null for work of this library: nothing runs on the default stream.
using StreamView = CUstream_st*;

// Throws Error for a status (cudaError_t) other than success: unavailable where the device is missing, lost or out of
// memory, internal otherwise. what: "cudaMalloc of 20 MB". Clears the runtime's sticky launch error where it can.
void check_cuda(int status, const char* what);

// Like check_cuda, for destructors: logs instead of throwing.
void warn_cuda(int status, const char* what) noexcept;

// Call right after a launch. Throws Error naming the kernel. With $THRONG_CUDA_SYNC=1 (or set_debug_sync) it also waits
// for the kernel, so that a fault is reported where it happened; not while the stream is being captured.
void check_launch(const char* kernel, StreamView stream);

// Returns whether work on the stream is captured into a graph at present.
[[nodiscard]] bool is_captured(StreamView stream);

void set_debug_sync(bool on) noexcept;
// Returns whether each launch is waited for. Launch nothing as a graph then: a fault would name no kernel.
[[nodiscard]] bool debug_sync() noexcept;

}  // namespace throng::gpu
