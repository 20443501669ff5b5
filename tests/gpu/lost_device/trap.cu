#include "tests/gpu/lost_device/trap.h"

namespace throng::test {
namespace {

__global__ void trap_kernel() {
    asm volatile("trap;");
}

}  // namespace

void break_device() {
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    trap_kernel<<<1, 1, 0, stream>>>();
}

}  // namespace throng::test
