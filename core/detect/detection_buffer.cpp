#include "core/detect/detection_buffer.h"

#include <vector>

namespace throng {
namespace {

struct HostArrays {
    std::vector<Box> boxes;
    std::vector<float> scores;
    std::vector<std::int32_t> hits;
    std::vector<std::int32_t> source;
    std::vector<float> density;
    std::vector<float> features;
    std::vector<float> landmarks;
    DetectionCount count;
};

}  // namespace

DetectionBuffer make_host_buffer(std::int32_t capacity, const DetectionExtras& extras) {
    const auto n = static_cast<std::size_t>(capacity);
    auto arrays = std::make_shared<HostArrays>();
    arrays->boxes.resize(n);
    arrays->scores.resize(n);
    arrays->hits.resize(n);
    arrays->source.resize(n);

    DetectionSpan span;
    span.boxes = arrays->boxes.data();
    span.scores = arrays->scores.data();
    span.hits = arrays->hits.data();
    span.source = arrays->source.data();
    span.count = &arrays->count;
    span.capacity = capacity;
    if (extras.density) {
        arrays->density.resize(n);
        span.density = arrays->density.data();
    }
    if (extras.feature_size > 0) {
        arrays->features.resize(n * static_cast<std::size_t>(extras.feature_size));
        span.features = arrays->features.data();
        span.feature_size = extras.feature_size;
    }
    if (extras.landmarks) {
        arrays->landmarks.resize(n * 10);
        span.landmarks = arrays->landmarks.data();
    }
    return DetectionBuffer(MemoryKind::host, span, std::move(arrays));
}

}  // namespace throng
