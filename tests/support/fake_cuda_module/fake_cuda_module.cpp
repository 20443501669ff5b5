// A CUDA module of another version, by default 0.0.0-test: programs must not use it.
#include <cstdlib>

#include "app/cuda_module/cuda_module.h"

namespace {

const char* version() {
    const char* named = std::getenv("THRONG_FAKE_VERSION");
    return named != nullptr ? named : "0.0.0-test";
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const throng::CudaModule throng_cuda_module;
const throng::CudaModule throng_cuda_module{version(), nullptr, nullptr, nullptr, nullptr, nullptr,
                                            nullptr,   nullptr, nullptr, nullptr, nullptr};
