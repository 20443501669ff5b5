/* Non-maximum suppression of boxes in the caller's arrays. Needs no FFmpeg, OpenCV or Qt. C99 and C++.
 *
 *     throng_nms *nms = NULL;
 *     throng_nms_create(&nms, THRONG_NMS_ABI, THRONG_HOST, 0);
 *     throng_nms_params params = throng_nms_params_default();
 *     throng_nms_input input = throng_nms_input_default();
 *     throng_nms_output output = throng_nms_output_default();
 *     ... set pointers and sizes ...
 *     if (throng_nms_run(nms, &params, &input, &output, NULL, 0, NULL) != THRONG_OK) puts(throng_nms_error(nms));
 *     throng_nms_destroy(nms);
 *
 * Two families of rules:
 *   - Throng's (the default): every rule, overlap and order of the project, in float32. Boxes that are not finite, have
 *     no extent or exceed the range of float32 are dropped and counted.
 *   - torchvision's (throng_nms_params_torchvision): greedy, IoU > theta, the order of a stable sort by descending
 *     score. Boxes without extent or with values that are not finite are kept and suppress nothing. float64 is computed
 *     in double. The result equals torchvision's CPU operator.
 * Host and device handles run both, with the same results. In device memory, at most 2^24 boxes are possible, and
 * Soft-NMS with ids needs score_min >= 0; otherwise the call is THRONG_ERROR_UNAVAILABLE.
 * Values never fail a call: NaN, infinite and inverted boxes are handled as above. Shapes, types and pointers do.
 *
 * Threads: handles are independent. One handle serves one call at a time; a second thread gets THRONG_ERROR_BUSY.
 * fork: a handle for the host also works in the child; one for a device that was made before fork reports
 * THRONG_ERROR_USAGE there.
 * Signals, errors, and what is stable: as in throng.h. Nothing is logged.
 * Debugging: a handle that is destroyed while THRONG_CHECK_POINTERS is in the environment is remembered until another one
 * has its address: calls with it are THRONG_ERROR_USAGE, and destroying it again does nothing. Device handles that are
 * created meanwhile reject pointers to host memory that the device cannot read.
 * Ownership: the caller owns all arrays. The library keeps no pointer after a call, except that a device call returns
 * before the device has finished. Using a handle after throng_nms_destroy is undefined otherwise. */
#ifndef THRONG_NMS_H
#define THRONG_NMS_H

#include "throng_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of the binary interface: the major version of the shared library. throng_nms_create rejects another one. */
#define THRONG_NMS_ABI 0

typedef struct throng_nms throng_nms;

typedef enum throng_nms_rule {
    THRONG_NMS_ONE_PASS = 0,    /* a suppressed box still suppresses */
    THRONG_NMS_GREEDY = 1,      /* only kept boxes suppress */
    THRONG_NMS_SOFT_LINEAR = 2, /* scores decay; nothing is suppressed at once */
    THRONG_NMS_SOFT_GAUSSIAN = 3
} throng_nms_rule;

typedef enum throng_nms_overlap {
    THRONG_NMS_IOU = 0,
    THRONG_NMS_SUPPRESSOR = 1, /* intersection over the area of the box with the higher score */
    THRONG_NMS_MIN = 2         /* intersection over the smaller area */
} throng_nms_overlap;

typedef enum throng_nms_pair {
    THRONG_NMS_PAIR_OVERLAP = 0,
    THRONG_NMS_PAIR_ADAPTIVE = 1, /* threshold max(theta, density of the suppressor); needs input.density */
    THRONG_NMS_PAIR_FEATURE = 2   /* embeddings decide between feature_low and feature_high; needs input.features */
} throng_nms_pair;

typedef enum throng_nms_ties {
    THRONG_NMS_TIES_TOTAL = 0,  /* equal scores: larger area, then smaller x, y, w, h, index */
    THRONG_NMS_TIES_STRICT = 1, /* equal scores never suppress each other */
    THRONG_NMS_TIES_INDEX = 2   /* equal scores: smaller index, as a stable sort by descending score */
} throng_nms_ties;

typedef enum throng_nms_compare {
    THRONG_NMS_AT_LEAST = 0, /* overlap >= theta suppresses */
    THRONG_NMS_ABOVE = 1     /* overlap > theta suppresses */
} throng_nms_compare;

typedef enum throng_nms_invalid {
    THRONG_NMS_DROP_INVALID = 0,
    THRONG_NMS_KEEP_INVALID = 1 /* torchvision's mode; requires greedy, iou, above and index */
} throng_nms_invalid;

typedef enum throng_dtype {
    THRONG_FLOAT32 = 0,
    THRONG_FLOAT16 = 1, /* IEEE half; widened to float32 first */
    THRONG_FLOAT64 = 2, /* Throng's rules: rounded to float32, differences of corners before that in double */
    THRONG_INT32 = 3,
    THRONG_INT64 = 4
} throng_dtype;

typedef enum throng_box_format {
    THRONG_CORNERS = 0, /* x1, y1, x2, y2 */
    THRONG_XYWH = 1     /* left, top, width, height */
} throng_box_format;

/* Get the values of throng_nms_params_default, then change some. Enumerations are stored as int32_t. */
typedef struct throng_nms_params {
    uint32_t size;           /* sizeof(throng_nms_params), set by the functions below; see throng_types.h */
    int32_t rule;            /* throng_nms_rule */
    int32_t overlap;         /* throng_nms_overlap */
    int32_t pair;            /* throng_nms_pair */
    int32_t ties;            /* throng_nms_ties */
    int32_t compare;         /* throng_nms_compare */
    int32_t invalid;         /* throng_nms_invalid */
    int32_t pixels;          /* 1: widths and heights count one more pixel; 0: continuous edges */
    int32_t min_hits;        /* drop kept boxes that represent fewer boxes; >= 1 */
    int32_t max_output;      /* keep at most this many boxes of each class of each image, the first in the order of the
                              * rule; 0: all. In device memory only without ids. */
    double theta;            /* in [0, 1]. Throng's rules use it as float32, torchvision's mode as double. */
    double sigma;            /* soft-gaussian, > 0 */
    double score_min;        /* soft rules drop lower scores, except the first pick of all */
    double feature_low;      /* pair feature: N1 in [0, 1] */
    double feature_high;     /* pair feature: N2 in [N1, 1] */
    double feature_distance; /* pair feature: T >= 0 */
    /* NULL, or a number that another thread or a signal handler sets to other than 0: the call then ends soon with
     * THRONG_ERROR_STOPPED and has written nothing. Host only; a device call returns before the device has finished. */
    const volatile int32_t* stop;
    /* Boxes whose score is not above take no part: they suppress nothing, are not kept and count as invalid. Rounded to
     * the type of the scores, float16 to float32; NaN: none. */
    double score_threshold;
} throng_nms_params;

/* Get the values of throng_nms_input_default, then set pointers and sizes. All pointers refer to the memory that the
 * handle was created for. Arrays are contiguous. */
typedef struct throng_nms_input {
    uint32_t size;
    int32_t dtype;         /* of boxes and scores: THRONG_FLOAT32, THRONG_FLOAT16 or THRONG_FLOAT64 */
    int32_t box_format;    /* throng_box_format */
    int32_t id_dtype;      /* of class_ids and image_ids: THRONG_INT32 or THRONG_INT64 */
    int64_t num_boxes;     /* 0 to 2^31 - 1 */
    const void* boxes;     /* [num_boxes][4] */
    const void* scores;    /* [num_boxes] */
    const void* class_ids; /* [num_boxes] or NULL: boxes of different classes never suppress each other */
    const void* image_ids; /* [num_boxes] or NULL: the same for images */
    const float* density;  /* [num_boxes], in [0, 1], or NULL */
    const float* features; /* [num_boxes][feature_size] or NULL */
    int32_t feature_size;
    int32_t reserved; /* 0 */
} throng_nms_input;

/* Get the values of throng_nms_output_default, then set what is wanted; NULL: not wanted. At least one of indices, mask
 * and count must be set. Kept boxes are in the order of the rule, over all classes: descending score, ties as params.ties
 * says; soft rules: the order of picking. With image_ids: by image in ascending order first. */
typedef struct throng_nms_output {
    uint32_t size;
    int32_t index_dtype; /* of indices and count: THRONG_INT32 or THRONG_INT64 */
    int64_t capacity;    /* entries of indices, hits and scores; num_boxes always suffices */
    void* indices;       /* [capacity]: indices of kept boxes. The first `capacity` are stored. */
    uint8_t* mask;       /* [num_boxes]: 1 for a kept box, otherwise 0. A C or C++ bool array fits. */
    int32_t* hits;       /* [capacity]: boxes that each kept box represents, itself included; soft rules: 1 */
    float* scores;       /* [capacity]: scores of the kept boxes; soft rules: decayed */
    void* count;         /* one number of type index_dtype: all kept boxes, also those beyond capacity. In page-locked
                          * host memory, the host may poll it; other results may be written after it. */
    void* invalid;       /* one number of type index_dtype: boxes dropped as invalid or for their score */
} throng_nms_output;

/* Write defaults into a struct of `size` bytes, as throng_types.h says. */
THRONG_API void throng_nms_params_init(throng_nms_params* params, size_t size);             /* greedy, IoU >= 0.3 */
THRONG_API void throng_nms_params_init_torchvision(throng_nms_params* params, size_t size); /* theta 0.5 */
THRONG_API void throng_nms_input_init(throng_nms_input* input, size_t size);    /* float32 corners, int64 ids */
THRONG_API void throng_nms_output_init(throng_nms_output* output, size_t size); /* int64 indices */

static inline throng_nms_params throng_nms_params_default(void) {
    throng_nms_params params;
    throng_nms_params_init(&params, sizeof params);
    return params;
}
static inline throng_nms_params throng_nms_params_torchvision(void) {
    throng_nms_params params;
    throng_nms_params_init_torchvision(&params, sizeof params);
    return params;
}
static inline throng_nms_input throng_nms_input_default(void) {
    throng_nms_input input;
    throng_nms_input_init(&input, sizeof input);
    return input;
}
static inline throng_nms_output throng_nms_output_default(void) {
    throng_nms_output output;
    throng_nms_output_init(&output, sizeof output);
    return output;
}

/* Creates a handle for arrays in host or device memory (throng_memory). Pass THRONG_NMS_ABI as `abi`: a library that does not fit the
 * header is THRONG_ERROR_USAGE. THRONG_DEVICE without CUDA is THRONG_ERROR_UNAVAILABLE. device: number of the CUDA
 * device; ignored for the host. On failure *nms is NULL, and throng_nms_error(NULL) has the text. */
THRONG_API throng_status throng_nms_create(throng_nms** nms, int32_t abi, int32_t memory, int32_t device);
THRONG_API void throng_nms_destroy(throng_nms* nms); /* NULL is allowed */

/* Host threads for large inputs of Throng's rules; 0 selects one per core, the default is 1. Results do not depend on
 * it. */
THRONG_API throng_status throng_nms_set_threads(throng_nms* nms, int32_t threads);

/* Writes the bytes of workspace that throng_nms_run needs for num_boxes boxes with these parameters, whatever the type
 * of the boxes and with any ids. 0 for a host handle, which keeps its own arrays: later calls allocate nothing unless
 * they are larger. */
THRONG_API throng_status throng_nms_workspace_size(throng_nms* nms, const throng_nms_params* params, int64_t num_boxes,
                                                   size_t* bytes);

/* Suppresses. Host: done on return; workspace and stream are ignored and may be NULL. Device: enqueued on `stream`
 * (a cudaStream_t; NULL is the default stream), does not synchronize, allocates nothing and can be captured into a CUDA
 * graph. The workspace must have the queried size and an alignment of 256 bytes; it needs no initialization, may be
 * reused on the same stream, and must stay valid until the device has finished. On an error nothing is written. */
THRONG_API throng_status throng_nms_run(throng_nms* nms, const throng_nms_params* params, const throng_nms_input* input,
                                        const throng_nms_output* output, void* workspace, size_t workspace_bytes,
                                        void* stream);

/* Returns the text of the last error of a handle, never NULL; empty if its last call succeeded. Valid until the next
 * call with the handle. A thread whose call was THRONG_ERROR_BUSY gets the text for that. NULL: the last failure on this
 * thread of throng_nms_create or of a call without a handle. */
THRONG_API const char* throng_nms_error(const throng_nms* nms);

THRONG_API const char* throng_nms_version(void); /* "0.2.0" */

#ifdef __cplusplus
}
#endif

#endif
