// Fake source and backend with predictable output: the gray value of a frame encodes its number, and so does the
// position of its detections.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "core/detect/backend.h"
#include "core/video/source.h"

namespace throng::test {

struct FakeClip {
    int width = 320;
    int height = 240;
    int frames = 1000000;  // the source ends after them
    double fps = 100;
    std::string backend = "fake";  // name of the backend
    int boxes = 1;                 // raw detections per frame; two of three are suppressed
    bool live = false;
    std::atomic<bool>* silent = nullptr;  // no frames while it is true

    bool on_device = false;                                     // frames and buffers are marked as device memory
    int grows_at = 1000000;                                     // frames are twice as large from this index on
    std::function<std::unique_ptr<GlBridge>()> make_gl_bridge;  // bridge of the backend
    double cnn_ms = 1.5;                                        // reported by the detector cnn; 0: it cannot be made
    int detect_ms = 0;                                          // the detector sleeps that long per frame
    std::vector<std::string_view> stages;                       // more stages that the detector reports
    std::vector<DetectorSwitch> switches;                       // more switches of the detector
};

// Returns the gray value of all pixels of frame n.
[[nodiscard]] inline int gray_of(std::int64_t n) {
    return 40 + static_cast<int>(n % 8) * 20;
}
// Returns the first kept detection of a frame with this gray value.
[[nodiscard]] inline Box box_of(int gray) {
    return {static_cast<float>(gray), 60, 50, 40};
}

[[nodiscard]] std::unique_ptr<VideoSource> make_fake_source(const FakeClip& clip);
[[nodiscard]] std::shared_ptr<Backend> make_fake_backend(const FakeClip& clip);

// Returns a frame marked as device memory: nv12 of limited range, upper half red, lower half blue.
[[nodiscard]] Frame device_frame(int width, int height, std::int64_t index = 0);

// Returns a gray frame with one value.
[[nodiscard]] Frame gray_frame(int width, int height, int value, std::int64_t index = 0);

}  // namespace throng::test
