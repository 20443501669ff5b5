/* Follows and hides the faces in the frames of a source:  cc detect.c $(pkg-config --cflags --libs throng) && ./a.out crowd.mp4 */
#include <stdio.h>

#include "throng.h"

static int print_faces(const throng_frame* frame, void* user) {
    (void)user;
    for (int64_t k = 0; k < frame->num_detections; ++k) {
        const throng_detection face = throng_frame_detection(frame, k);
        printf("frame %d: face %d at %.0f, %.0f\n", (int)frame->index, (int)face.track, (double)face.x, (double)face.y);
    }
    return 0; /* frame->image shows nobody: its faces are hidden */
}

int main(int argc, char** argv) {
    throng_options options = throng_options_default();
    options.track = 1;
    options.hide = THRONG_HIDE_MOSAIC;
    const char* source = argc > 1 ? argv[1] : "crowd:faces=4,size=320x240,frames=3";
    const throng_status status = throng_run(THRONG_ABI, source, &options, print_faces, NULL);
    if (status != THRONG_OK) fprintf(stderr, "%s\n", throng_stream_error(NULL));
    return (int)status;
}
