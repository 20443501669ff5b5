#include "core/pipeline/frame_result.h"

#include <utility>

#include "core/track/faces.h"

namespace throng {

FrameResult without_pixels(FrameResult result) {
    FrameInfo info = result.frame.info();
    info.memory = MemoryKind::host;
    result.frame = Frame(info, {}, nullptr);
    if (result.faces) result.faces = std::make_shared<FrameResult>(without_pixels(*result.faces));
    return result;
}

double detection_latency_ms(const FrameResult& result) {
    if (result.trace.collect_end == FrameTrace::Time()) return result.latency_ms;
    return std::chrono::duration<double, std::milli>(result.trace.collect_end - result.frame.info().captured).count();
}

std::vector<std::int32_t> people_of_faces(const FrameResult& result) {
    if (!result.faces) return {};
    const auto boxes_of = [](const FrameResult& of_class) {
        std::vector<Box> boxes;
        for (const Detection& each : of_class.kept.detections) boxes.push_back(each.box);
        return boxes;
    };
    return people_of_faces(boxes_of(result), boxes_of(*result.faces));
}

LookaheadParams tracks_with_faces(LookaheadParams params) {
    LookaheadParams faces = params;
    if (faces.tracker) faces.tracker = tracker_params(DetectorId::cnn);  // DetectorKind::faces
    params.faces.push_back(std::move(faces));
    return params;
}

}  // namespace throng
