#include "gpu/hog/hog_weights.h"

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <vector>

namespace throng::gpu {
namespace {

constexpr std::size_t kPitch = 8;

template <typename Word, typename Store>
std::vector<Word> reorder(const HogModel& model, std::size_t words, Store store) {
    std::vector<Word> out(words);
    for (std::size_t i = 0; i < model.weights.size(); ++i) {
        const std::size_t value = i % kHogBlockValues;
        const std::size_t row = i / kHogBlockValues % kHogRows;
        const std::size_t column = i / kHogBlockValues / kHogRows;
        store(out, value, row * kPitch + column, model.weights[i]);
    }
    return out;
}

template <typename Word>
DeviceBuffer<std::byte> upload(const std::vector<Word>& words, StreamView stream) {
    DeviceBuffer<std::byte> buffer(words.size() * sizeof(Word));
    check_cuda(cudaMemcpyAsync(buffer.data(), words.data(), buffer.bytes(), cudaMemcpyHostToDevice, stream),
               "uploading the SVM's weights");
    check_cuda(cudaStreamSynchronize(stream), "uploading the SVM's weights");
    return buffer;
}

}  // namespace

DeviceBuffer<std::byte> upload_hog_weights(const HogModel& model, bool half, StreamView stream) {
    constexpr std::size_t kPlane = kPitch * kHogRows;
    constexpr std::size_t kWords = kPlane * kHogBlockValues;
    if (half) {
        return upload(reorder<__half>(model, kWords,
                                      [](auto& out, std::size_t value, std::size_t at, float weight) {
                                          out[(value / 2 * kPlane + at) * 2 + value % 2] = __float2half(weight);
                                      }),
                      stream);
    }
    return upload(reorder<float>(model, kWords,
                                 [](auto& out, std::size_t value, std::size_t at, float weight) {
                                     out[value * kPlane + at] = weight;
                                 }),
                  stream);
}

}  // namespace throng::gpu
