/* Detection of faces and people: in images that the caller has, and in the frames of a source. C99 and C++.
 *
 *     throng_detector *detector = NULL;
 *     throng_options options = throng_options_default();
 *     if (throng_detector_create(&detector, THRONG_ABI, &options) != THRONG_OK) puts(throng_detector_error(NULL));
 *     throng_image image = throng_image_default();
 *     ... set format, size, planes and pitches ...
 *     throng_detection found[100];
 *     int64_t count = 0;
 *     throng_detect(detector, &image, found, 100, &count);
 *     throng_detector_destroy(detector);
 *
 * Positions are in pixels of the image, from the upper left corner; edges are continuous.
 * Threads: handles are independent. One handle serves one call at a time; a second thread gets THRONG_ERROR_BUSY.
 * fork: a detector of the CPU backend also works in the child, with threads of its own; detectors of CUDA and streams made
 * before fork report THRONG_ERROR_USAGE there, and their destruction frees nothing.
 * Log: warnings go to standard error; the environment variable THRONG_LOG sets the level (off, error, warn, info).
 * Ownership: the caller owns all arrays and strings; the library keeps no pointer after a call. Using a handle after its
 * destruction is undefined. */
#ifndef THRONG_H
#define THRONG_H

#include "throng_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of the binary interface: the major version of the shared library. */
#define THRONG_ABI 0

typedef struct throng_detector throng_detector;
typedef struct throng_stream throng_stream;

typedef enum throng_backend {
    THRONG_BACKEND_AUTO = 0, /* CUDA where it is built in and usable, otherwise the CPU */
    THRONG_BACKEND_CPU = 1,
    THRONG_BACKEND_CUDA = 2
} throng_backend;

typedef enum throng_pixel_format {
    THRONG_GRAY8 = 0,  /* one plane */
    THRONG_BGR24 = 1,  /* one plane of interleaved blue, green, red bytes */
    THRONG_NV12 = 2,   /* luma; interleaved U and V, (width + 1) / 2 pairs in (height + 1) / 2 rows */
    THRONG_YUV420P = 3 /* only from sources: three planes */
} throng_pixel_format;

/* Get the values of throng_options_default, then change some. */
typedef struct throng_options {
    uint32_t size;          /* sizeof(throng_options), set by throng_options_default */
    int32_t backend;        /* throng_backend */
    const char* detector;   /* "auto" (a network if one is installed, otherwise haar), "haar", "lbp", "hog" or "cnn" */
    const char* model;      /* a file or the name of an installed model; NULL: the detector's default */
    int32_t device;         /* number of the CUDA device */
    int32_t threads;        /* of the CPU backend; 0: one per core */
    int32_t min_size;       /* minimum side of an object in pixels; 0: the detector's default */
    int32_t max_size;       /* maximum side; 0: as large as the image */
    double scale_factor;    /* between neighboring scales, > 1; 0: the detector's default */
    double score_threshold; /* of cnn (probability) and hog (margin); NaN: the detector's default */
    double theta;           /* overlap of non-maximum suppression, in [0, 1]; NaN: the detector's default */
    int32_t min_hits;       /* drop detections of fewer raw ones; 0: the detector's default */
    int32_t reserved;       /* 0 */
    /* Further settings: NULL, or "NAME=VALUE" texts up to a NULL, such as "merge=mean". Names are those of the program's
     * options, with '_' for '-'. They replace the fields above. */
    const char* const* settings;
} throng_options;

typedef struct throng_image {
    uint32_t size;
    int32_t format;        /* throng_pixel_format */
    int32_t width, height; /* pixels, >= 1 */
    int32_t memory;        /* throng_memory; device memory only with the CUDA backend, only THRONG_NV12 and GRAY8 */
    int32_t reserved;      /* 0 */
    const void* planes[3];
    int64_t pitch[3]; /* bytes between rows; at least the bytes of a row */
} throng_image;

typedef struct throng_detection {
    float x, y, width, height; /* pixels */
    float score;               /* haar, lbp: sum of the last stage; hog: margin; cnn: probability */
    int32_t hits;              /* raw detections that this one represents, itself included */
    int32_t num_landmarks;     /* 5 or 0 */
    float landmarks[10]; /* x, y of the right eye, left eye, nose, right and left corner of the mouth; as seen from
                                  the person */
} throng_detection;

/* A frame of a source with its detections. Valid until the callback returns, or the next call with the stream. */
typedef struct throng_frame {
    uint32_t size;
    int32_t num_source; /* 0 */
    int64_t index;      /* number of the frame in its source, from 0 */
    double seconds;     /* since the start of the source */
    throng_image image; /* the frame as decoded; in device memory if the decoder wrote it there */
    const throng_detection* detections;
    int64_t num_detections;
    int64_t overflow; /* raw detections that were dropped because the buffers were full */
} throng_frame;

THRONG_API throng_options throng_options_default(void);
THRONG_API throng_image throng_image_default(void); /* host memory, gray */

/* Loads the model. Pass THRONG_ABI as `abi`. On failure *detector is NULL, and throng_detector_error(NULL) has the text.
 * UNAVAILABLE: backend, device or model; INPUT: a damaged model; USAGE: a wrong option. */
THRONG_API throng_status throng_detector_create(throng_detector** detector, int32_t abi, const throng_options* options);
THRONG_API void throng_detector_destroy(throng_detector* detector); /* NULL is allowed */

/* Detects objects in an image and waits for the result. Writes the first `capacity` detections, in the order of
 * suppression (descending score), and their whole number to *count. Images in device memory must be complete: the
 * library's stream does not wait for the caller's. */
THRONG_API throng_status throng_detect(throng_detector* detector, const throng_image* image,
                                       throng_detection* detections, int64_t capacity, int64_t* count);

THRONG_API const char* throng_detector_error(const throng_detector* detector); /* as throng_nms_error */
/* "cpu" or "cuda"; with THRONG_BACKEND_AUTO, "cpu" after a failure of the GPU. Valid until the next call. */
THRONG_API const char* throng_detector_backend(const throng_detector* detector);

/* Opens a source and starts to detect: a video or image file, a folder of images, rtsp://..., camera:N, gst:PIPELINE,
 * crowd:faces=60,size=1920x1080,frames=100. Every frame of a file is detected; a live source keeps the newest one. Threads of the
 * stream decode and detect ahead, and stop at throng_stream_destroy. */
THRONG_API throng_status throng_stream_open(throng_stream** stream, int32_t abi, const char* source,
                                            const throng_options* options);
THRONG_API void throng_stream_destroy(throng_stream* stream); /* NULL is allowed */

/* Waits for the next frame, at most timeout_ms (-1: without limit). *frame is NULL at the end of the source and after a
 * time-out; *ended is then 1 or 0. The frame is valid until the next call. A damaged or truncated file ends with
 * THRONG_ERROR_INPUT after its readable frames. */
THRONG_API throng_status throng_stream_next(throng_stream* stream, int32_t timeout_ms, const throng_frame** frame,
                                            int32_t* ended);
THRONG_API const char* throng_stream_error(const throng_stream* stream);

/* Returns 0 to continue, another value to stop. Called on the thread of throng_run. Must not throw. */
typedef int (*throng_callback)(const throng_frame* frame, void* user);

/* Detects in all frames of a source and calls `callback` for each in order. THRONG_ERROR_STOPPED if a callback asked to
 * stop. The error text is that of throng_stream_error(NULL). */
THRONG_API throng_status throng_run(int32_t abi, const char* source, const throng_options* options,
                                    throng_callback callback, void* user);

#ifdef __cplusplus
}
#endif

#endif
