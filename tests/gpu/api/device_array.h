#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "gpu/runtime/device_buffer.h"

namespace throng::test {

// An array in device memory with the contents of a vector; at least one element.
template <class Element>
class DeviceArray {
public:
    DeviceArray(const std::vector<Element>& values, gpu::StreamView stream)
        : buffer_(std::max<std::size_t>(values.size(), 1)), size_(values.size()), stream_(stream) {
        if (!values.empty()) upload(values);
    }
    [[nodiscard]] Element* data() const { return buffer_.data(); }
    void upload(const std::vector<Element>& values) const {
        gpu::detail::copy_to_device(data(), values.data(), values.size() * sizeof(Element), stream_, "a test's array");
        gpu::check_cuda(cudaStreamSynchronize(stream_), "a test's array");
    }
    [[nodiscard]] std::vector<Element> download() const {
        std::vector<Element> values(size_);
        if (size_ > 0) gpu::copy_to_host(values.data(), buffer_.data(), size_ * sizeof(Element), stream_);
        return values;
    }

private:
    gpu::DeviceBuffer<Element> buffer_;
    std::size_t size_;
    gpu::StreamView stream_;
};

}  // namespace throng::test
