/* A program and libraries with headers of different versions. Compiled twice: with this version's headers against
 * libraries with longer structs, and with LONGER the other way round. Every struct ends at bytes that must not change, or
 * with AddressSanitizer at the end of its memory: that finds reads beyond it, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "throng.h"
#include "throng_nms.h"

#ifdef __SANITIZE_ADDRESS__
enum { num_guards = 0, skipped = 77 };
#else
enum { num_guards = 128, skipped = 77 };
#endif

static void require(int holds, const char* what, const char* text) {
    if (holds) return;
    fprintf(stderr, "%s: %s\n", what, text);
    exit(1);
}

static void require_guards(const void* end, const char* what) {
    for (int k = 0; k < num_guards; ++k)
        require(((const unsigned char*)end)[k] == 0xAB, what, "written beyond what the program has");
}

static void* allocate_guarded(size_t size) {
    void* memory = malloc(size + num_guards);
    require(memory != NULL, "malloc", "no memory");
    return memset(memory, 0xAB, size + num_guards);
}

/* A struct in memory of its own, with guards after it. */
#define GUARDED(type, name, init)                      \
    type* const name = allocate_guarded(sizeof(type)); \
    init(name, sizeof *name);                          \
    require_guards(name + 1, #type);                   \
    require(name->size == sizeof *name, #type, "has another size")
#define RELEASE(name)                    \
    do {                                 \
        require_guards(name + 1, #name); \
        free(name);                      \
    } while (0)

#ifdef LONGER
/* A field that the library does not know is not ignored. */
#define REJECTED(name, status, text)                                                     \
    do {                                                                                 \
        name->added[3] = 1;                                                              \
        require((status) == THRONG_ERROR_USAGE, #name, "an unknown field was accepted"); \
        require(strstr(text, #name ": has a value in byte ") != NULL, #name, text);      \
        name->added[3] = 0;                                                              \
    } while (0)
#else
#define REJECTED(name, status, text) ((void)0)
#endif

static void suppress(void) {
    const float boxes[4][4] = {{6, 3, 8, 7}, {3, 6, 9, 11}, {3, 7, 10, 12}, {1, 4, 13, 7}};
    const float scores[4] = {0.6f, 0.9f, 0.7f, 0.2f};
    int64_t indices[4] = {-1, -1, -1, -1}, count = 0;
    throng_nms* nms = NULL;
    GUARDED(throng_nms_params, params, throng_nms_params_init_torchvision);
    GUARDED(throng_nms_input, input, throng_nms_input_init);
    GUARDED(throng_nms_output, output, throng_nms_output_init);
    params->theta = 0.3;
    input->num_boxes = 4;
    input->boxes = boxes;
    input->scores = scores;
    output->capacity = 4;
    output->indices = indices;
    output->count = &count;
    require(throng_nms_create(&nms, THRONG_NMS_ABI, THRONG_HOST, 0) == THRONG_OK, "create", throng_nms_error(NULL));
#define RUN throng_nms_run(nms, params, input, output, NULL, 0, NULL)
    require(RUN == THRONG_OK, "nms", throng_nms_error(nms));
    require(count == 3 && indices[0] == 1 && indices[1] == 0 && indices[2] == 3, "nms", "keeps other boxes");
    REJECTED(params, RUN, throng_nms_error(nms));
    REJECTED(input, RUN, throng_nms_error(nms));
    REJECTED(output, RUN, throng_nms_error(nms));
    require(throng_nms_params_default().theta == 0.3, "params", "other defaults");
    require(throng_nms_params_torchvision().theta == 0.5, "params", "other defaults of torchvision");
    throng_nms_destroy(nms);
    RELEASE(params);
    RELEASE(input);
    RELEASE(output);
}

/* Returns 0 where no model is installed. */
static int detect(void) {
    enum { most = 64 };
    const char* source = "crowd:faces=6,size=480x360,frames=1,seed=5";
    GUARDED(throng_options, options, throng_options_init);
    GUARDED(throng_image, image, throng_image_init);
    options->backend = THRONG_BACKEND_CPU;
    throng_detector* detector = NULL;
    const throng_status made = throng_detector_create(&detector, THRONG_ABI, options);
    if (made == THRONG_ERROR_UNAVAILABLE) {
        RELEASE(options);
        RELEASE(image);
        return 0;
    }
    require(made == THRONG_OK, "create", throng_detector_error(NULL));
    throng_detector* none = NULL;
    REJECTED(options, throng_detector_create(&none, THRONG_ABI, options), throng_detector_error(NULL));
    require(none == NULL, "create", "leaves a handle after a failure");

    throng_stream* stream = NULL;
    const throng_frame* frame = NULL;
    require(throng_stream_open(&stream, THRONG_ABI, source, options) == THRONG_OK, "open", throng_stream_error(NULL));
    require(throng_stream_next(stream, -1, &frame, NULL) == THRONG_OK && frame != NULL, "next",
            throng_stream_error(stream));
    require(frame->num_detections >= 3 && frame->num_detections < most, "stream", "other faces");
    require(THRONG_HAS(frame, overflow), "frame", "lacks a field");
    image->width = frame->image->width;
    image->height = frame->image->height;
    image->planes[0] = frame->image->planes[0];
    image->pitch[0] = frame->image->pitch[0];
#ifdef LONGER
    require(!THRONG_HAS(frame, added[7]), "frame", "has a field that the library does not know");
#endif
    throng_detection* found = malloc(sizeof(throng_detection) * (size_t)frame->num_detections);
    int64_t count = 0;
#define DETECT throng_detect(detector, image, found, sizeof found[0], frame->num_detections, &count)
    require(found != NULL && DETECT == THRONG_OK, "detect", throng_detector_error(detector));
    require(count == frame->num_detections, "detect", "another number of faces than in the stream");
    for (int64_t k = 0; k < count; ++k) {
        const throng_detection of_frame = throng_frame_detection(frame, k);
        require(memcmp(&of_frame, &found[k], sizeof of_frame) == 0, "detect", "other faces than in the stream");
        require(found[k].class_id == THRONG_CLASS_FACE && found[k].track == -1, "detect", "another layout");
#ifdef LONGER
        for (int n = 0; n < 8; ++n) require(found[k].added[n] == 0, "detect", "an unknown field is not 0");
#endif
    }
    REJECTED(image, DETECT, throng_detector_error(detector));
    free(found);
    throng_stream_destroy(stream);
    throng_detector_destroy(detector);
    RELEASE(options);
    RELEASE(image);
    return 1;
}

int main(void) {
    suppress();
    if (!detect()) {
        puts("skipped: no model for detection (opencv-data)");
        return skipped;
    }
    return 0;
}
