/* Follows and hides the faces in the frames of a source:  cc detect.c $(pkg-config --cflags --libs throng) && ./a.out crowd.mp4 */
#include <stdio.h>

#include "throng.h"

static int print_frame(const throng_frame* frame, void* user) {
    int64_t* total = (int64_t*)user;
    *total += frame->num_detections;
    printf("frame %lld: %lld faces\n", (long long)frame->index, (long long)frame->num_detections);
    for (int64_t k = 0; k < frame->num_detections; ++k) {
        const throng_detection face = throng_frame_detection(frame, k);
        if (face.track >= 0)
            printf("  face %lld at %.0f, %.0f\n", (long long)face.track, (double)face.x, (double)face.y);
    }
    /* frame->image shows nobody: its faces are hidden. */
    return 0;
}

int main(int argc, char** argv) {
    int64_t total = 0;
    throng_options options = throng_options_default();
    options.backend = THRONG_BACKEND_CPU;
    options.track = 1;
    options.hide = THRONG_HIDE_MOSAIC;
    if (throng_run(THRONG_ABI, argc > 1 ? argv[1] : "crowd:faces=4,size=320x240,frames=3", &options, print_frame,
                   &total) != THRONG_OK) {
        fprintf(stderr, "%s\n", throng_stream_error(NULL));
        return 1;
    }
    printf("%lld faces in all\n", (long long)total);
    return 0;
}
