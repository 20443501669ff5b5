#include "gpu/hog/hog_weights.h"

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <vector>

namespace throng::gpu {
namespace {

constexpr std::size_t kPitch = 8;
constexpr std::size_t kPlane = kPitch * kHogRows;
constexpr char kUploading[] = "uploading the SVM's weights";

// Element: float, or __half in pairs of values.
template <typename Element>
DeviceBuffer<std::byte> upload(const HogModel& model, StreamView stream) {
    constexpr std::size_t kTogether = sizeof(float) / sizeof(Element);
    std::vector<Element> out(kPlane * kHogBlockValues);
    for (std::size_t i = 0; i < model.weights.size(); ++i) {
        const std::size_t value = i % kHogBlockValues;
        const std::size_t row = i / kHogBlockValues % kHogRows;
        const std::size_t column = i / kHogBlockValues / kHogRows;
        const std::size_t word = value / kTogether * kPlane + row * kPitch + column;
        out[word * kTogether + value % kTogether] = Element(model.weights[i]);
    }
    DeviceBuffer<std::byte> buffer = uploaded_bytes(out, stream, kUploading);
    check_cuda(cudaStreamSynchronize(stream), kUploading);
    return buffer;
}

}  // namespace

DeviceBuffer<std::byte> upload_hog_weights(const HogModel& model, bool half, StreamView stream) {
    return half ? upload<__half>(model, stream) : upload<float>(model, stream);
}

}  // namespace throng::gpu
