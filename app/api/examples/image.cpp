// Detects faces in an image of one's own from C++: a unique_ptr holds the handle.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "throng.h"

int main() {
    const int width = 320;
    const int height = 240;
    const std::vector<unsigned char> pixels(static_cast<std::size_t>(width) * height, 128);  // gray, without faces

    throng_options options = throng_options_default();
    options.backend = THRONG_BACKEND_CPU;
    throng_detector* made = nullptr;
    if (throng_detector_create(&made, THRONG_ABI, &options) != THRONG_OK) {
        std::fprintf(stderr, "%s\n", throng_detector_error(nullptr));
        return 1;
    }
    const std::unique_ptr<throng_detector, decltype(&throng_detector_destroy)> detector(made, throng_detector_destroy);

    throng_image image = throng_image_default();
    image.format = THRONG_GRAY8;
    image.width = width;
    image.height = height;
    image.planes[0] = pixels.data();
    image.pitch[0] = width;
    std::vector<throng_detection> faces(100);
    std::int64_t count = 0;
    if (throng_detect(detector.get(), &image, faces.data(), sizeof faces[0], 100, &count) != THRONG_OK) {
        std::fprintf(stderr, "%s\n", throng_detector_error(detector.get()));
        return 1;
    }
    std::printf("%s: %lld faces\n", throng_detector_backend(detector.get()), static_cast<long long>(count));
}
