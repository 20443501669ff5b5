/* Detects faces in the frames of a source:  cc detect.c $(pkg-config --cflags --libs throng) && ./a.out crowd.mp4 */
#include <stdio.h>

#include "throng.h"

static int print_frame(const throng_frame* frame, void* user) {
    int64_t* total = (int64_t*)user;
    *total += frame->num_detections;
    printf("frame %lld: %lld faces\n", (long long)frame->index, (long long)frame->num_detections);
    return 0;
}

int main(int argc, char** argv) {
    int64_t total = 0;
    throng_options options = throng_options_default();
    options.backend = THRONG_BACKEND_CPU;
    if (throng_run(THRONG_ABI, argc > 1 ? argv[1] : "crowd:faces=4,size=320x240,frames=3", &options, print_frame,
                   &total) != THRONG_OK) {
        fprintf(stderr, "%s\n", throng_stream_error(NULL));
        return 1;
    }
    printf("%lld faces in all\n", (long long)total);
    return 0;
}
