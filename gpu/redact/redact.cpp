#include "gpu/redact/redact.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "gpu/redact/redact_launch.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {
namespace {

class CudaRedactor final : public DeviceRedactor {
public:
    explicit CudaRedactor(int device) : device_(device) {}

    void redact(const RedactImage& image, const RedactRegions& regions, const RedactOptions& options) override {
        check_cuda(cudaSetDevice(device_), "cudaSetDevice");  // the current device is a property of the calling thread
        redaction_.enqueue(image, regions, options);
        check_cuda(cudaStreamSynchronize(cudaStreamLegacy), "hiding faces");
    }

private:
    int device_;
    DeviceRedaction redaction_{cudaStreamLegacy};
};

}  // namespace

std::unique_ptr<DeviceRedactor> make_device_redactor(int device) {
    use_device(device);
    return std::make_unique<CudaRedactor>(device);
}

void DeviceRedaction::reserve(std::size_t shapes) {
    if (shapes <= shapes_.size()) return;
    const std::size_t count = std::max<std::size_t>(shapes + shapes / 2, 64);
    PinnedBuffer<RedactShape> host(count);
    DeviceBuffer<RedactShape> device(count);
    d_sums_ = DeviceBuffer<unsigned long long>(kRedactSums * count * Frame::kMaxPlanes);
    d_shapes_ = std::move(device);
    shapes_ = std::move(host);
}

void DeviceRedaction::enqueue(const RedactImage& image, const RedactRegions& regions, const RedactOptions& options) {
    const std::vector<RedactShape> shapes = redact_shapes(image.width, image.height, regions, options);
    if (shapes.empty()) return;
    uploaded_.synchronize();  // shapes_ is free again
    reserve(shapes.size());
    std::copy(shapes.begin(), shapes.end(), shapes_.data());
    check_cuda(cudaMemcpyAsync(d_shapes_.data(), shapes_.data(), shapes.size() * sizeof(RedactShape),
                               cudaMemcpyHostToDevice, stream_),
               "uploading the regions to hide");
    uploaded_.record(stream_);
    const std::size_t sums = kRedactSums * shapes.size() * static_cast<std::size_t>(image.num_planes);
    check_cuda(cudaMemsetAsync(d_sums_.data(), 0, sums * sizeof(unsigned long long), stream_), "cudaMemsetAsync");
    std::int64_t max_cell = 0;
    for (const RedactShape& shape : shapes) {
        const std::int64_t pixels =
            std::int64_t{shape.clip_right - shape.clip_left} * (shape.clip_bottom - shape.clip_top);
        max_cell = std::max(max_cell, pixels / (shape.cells_x * shape.cells_y));
    }
    const int count = static_cast<int>(shapes.size());
    enqueue_redact_sums(image, d_shapes_.data(), count, max_cell, d_sums_.data(), stream_);
    enqueue_redact_draw(image, d_shapes_.data(), count, options.style, d_sums_.data(), stream_);
}

}  // namespace throng::gpu
