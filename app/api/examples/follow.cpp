// Follows and hides the faces in the frames of a source from C++: a unique_ptr holds the handle.
#include <cstdint>
#include <cstdio>
#include <memory>

#include "throng.h"

int main(int argc, char** argv) {
    throng_options options = throng_options_default();
    options.track = 1;
    options.hide = THRONG_HIDE_BLUR;
    const char* source = argc > 1 ? argv[1] : "crowd:faces=4,size=320x240,frames=3";
    throng_stream* made = nullptr;
    throng_status status = throng_stream_open(&made, THRONG_ABI, source, &options);
    const std::unique_ptr<throng_stream, decltype(&throng_stream_destroy)> stream(made, throng_stream_destroy);
    const throng_frame* frame = nullptr;  // frame->image shows nobody: its faces are hidden
    while (status == THRONG_OK && (status = throng_stream_next(made, -1, &frame, nullptr)) == THRONG_OK && frame) {
        for (std::int64_t k = 0; k < frame->num_detections; ++k) {
            const throng_detection face = throng_frame_detection(frame, k);
            std::printf("frame %d: face %d, hits %d\n", int(frame->index), int(face.track), face.hits);
        }
    }
    if (status != THRONG_OK) std::fprintf(stderr, "%s\n", throng_stream_error(made));
    return status;
}
