// A CUDA module of another version: programs must not use it.
#include "app/cuda_module/cuda_module.h"

extern "C" __attribute__((visibility("default"))) const throng::CudaModule throng_cuda_module;
const throng::CudaModule throng_cuda_module{"0.0.0-test", nullptr, nullptr, nullptr, nullptr, nullptr,
                                            nullptr,      nullptr, nullptr, nullptr, nullptr};
