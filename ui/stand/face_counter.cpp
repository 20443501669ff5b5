#include "ui/stand/face_counter.h"

#include <utility>

namespace throng::ui {

void FaceCounter::add(const std::shared_ptr<const FrameResult>& result) {
    std::set<std::int64_t> now;
    if (result) {
        // A person who is turned away shows no face.
        const FrameResult& of_faces = result->faces ? *result->faces : *result;
        for (const Track& track : of_faces.tracks) {
            if (!track.confirmed) continue;
            if (!counted_.contains(track.id)) ++faces_;
            now.insert(track.id);
        }
    }
    counted_ = std::move(now);
}

}  // namespace throng::ui
