#include "core/detect/detection_buffer.h"

#include <algorithm>
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

DetectionBuffer make_host_buffer(std::int32_t capacity, const OptionalFields& optional_fields) {
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
    if (optional_fields.density) {
        arrays->density.resize(n);
        span.density = arrays->density.data();
    }
    if (optional_fields.feature_size > 0) {
        arrays->features.resize(n * static_cast<std::size_t>(optional_fields.feature_size));
        span.features = arrays->features.data();
        span.feature_size = optional_fields.feature_size;
    }
    if (optional_fields.landmarks) {
        arrays->landmarks.resize(n * 10);
        span.landmarks = arrays->landmarks.data();
    }
    return DetectionBuffer(MemoryKind::host, span, std::move(arrays));
}

void copy_to_host_buffer(const DetectionSet& in, const DetectionSpan& out) {
    const std::size_t stored = std::min(in.detections.size(), static_cast<std::size_t>(out.capacity));
    for (std::size_t i = 0; i < stored; ++i) {
        const Detection& detection = in.detections[i];
        out.boxes[i] = detection.box;
        out.scores[i] = detection.score;
        if (out.hits != nullptr) out.hits[i] = detection.hits;
        if (out.source != nullptr) out.source[i] = detection.source;
    }
    if (out.density != nullptr && !in.density.empty()) std::copy_n(in.density.begin(), stored, out.density);
    if (out.features != nullptr && in.feature_size == out.feature_size) {
        std::copy_n(in.features.begin(), stored * static_cast<std::size_t>(in.feature_size), out.features);
    }
    if (out.landmarks != nullptr && !in.landmarks.empty()) {
        for (std::size_t i = 0; i < stored; ++i) std::copy_n(in.landmarks[i].xy, 10, out.landmarks + 10 * i);
    }
    *out.count = {static_cast<std::uint32_t>(in.detections.size())};
}

void copy_from_host_buffer(const DetectionSpan& in, DetectionSet& out) {
    out.total = in.count->total;
    out.invalid = in.count->invalid;
    out.candidates = in.count->candidates;
    const std::size_t stored = std::min(in.count->total, static_cast<std::uint32_t>(in.capacity));
    out.detections.resize(stored);
    for (std::size_t i = 0; i < stored; ++i) {
        out.detections[i] = {in.boxes[i], in.scores[i], in.hits != nullptr ? in.hits[i] : 1,
                             in.source != nullptr ? in.source[i] : -1};
    }
    out.landmarks.resize(in.landmarks != nullptr ? stored : 0);
    for (std::size_t i = 0; i < out.landmarks.size(); ++i) {
        std::copy_n(in.landmarks + 10 * i, 10, out.landmarks[i].xy);
    }
    const auto assign = [](std::vector<float>& to, const float* from, std::size_t count) {
        if (from != nullptr) {
            to.assign(from, from + count);
        } else {
            to.clear();
        }
    };
    out.feature_size = in.feature_size;
    assign(out.density, in.density, stored);
    assign(out.features, in.features, stored * static_cast<std::size_t>(in.feature_size));
}

}  // namespace throng
