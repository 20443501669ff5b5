#include "tests/support/nms_run.h"

namespace throng::test {

DetectionBuffer host_buffer(const NmsInput& input, std::int32_t capacity) {
    const auto n = static_cast<std::int32_t>(input.boxes.size());
    OptionalFields optional_fields;
    optional_fields.density = !input.density.empty();
    optional_fields.feature_size = input.feature_size;
    DetectionSet set;
    set.density = input.density;
    set.features = input.features;
    set.feature_size = input.feature_size;
    for (std::size_t i = 0; i < input.boxes.size(); ++i) set.detections.push_back({input.boxes[i], input.scores[i]});
    DetectionBuffer buffer = make_host_buffer(capacity < 0 ? n : capacity, optional_fields);
    copy_to_host_buffer(set, buffer.span());
    return buffer;
}

DetectionSet detections_of(const DetectionBuffer& buffer) {
    DetectionSet set;
    copy_from_host_buffer(buffer.span(), set);
    return set;
}

NmsOutput run_host_nms(Nms& nms, const NmsInput& input, const NmsParams& params) {
    const DetectionBuffer raw = host_buffer(input);
    DetectionBuffer kept = make_host_buffer(raw.capacity());
    NullRecorder recorder;
    nms.enqueue(raw, kept, params, recorder);
    DetectionSet set = detections_of(kept);
    return {std::move(set.detections), set.invalid};
}

}  // namespace throng::test
