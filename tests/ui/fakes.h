// A source and a backend that say exactly what they were told to: every frame carries its number in its gray value,
// and every detection in its place.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "core/detect/backend.h"
#include "core/video/source.h"

namespace throng::test {

struct FakeClip {
    int width = 320;
    int height = 240;
    int frames = 1000000;  // then the end
    double fps = 100;
    int boxes = 1;  // raw detections of every frame, two of three suppressed

    bool on_device = false;                                     // frames and buffers pass for ones of device memory
    int grows_at = 1000000;                                     // device frames are twice as large from this one on
    std::function<std::unique_ptr<GlBridge>()> make_gl_bridge;  // of the backend
};

// Gray value of frame n, everywhere in the image.
[[nodiscard]] inline int gray_of(std::int64_t n) {
    return 40 + static_cast<int>(n % 8) * 20;
}
// The first kept detection of a frame with this gray value.
[[nodiscard]] inline Box box_of(int gray) {
    return {static_cast<float>(gray), 60, 50, 40};
}

[[nodiscard]] std::unique_ptr<VideoSource> make_fake_source(const FakeClip& clip);
[[nodiscard]] std::shared_ptr<Backend> make_fake_backend(const FakeClip& clip);

// Passes for a frame of device memory: nv12 of limited range, its upper half red, its lower half blue.
[[nodiscard]] Frame device_frame(int width, int height, std::int64_t index = 0);

// A gray frame of one value.
[[nodiscard]] Frame gray_frame(int width, int height, int value, std::int64_t index = 0);

}  // namespace throng::test
