/* Detection of faces and people: in images that the caller has, and in the frames of a source. C99 and C++.
 *
 *     throng_detector *detector = NULL;
 *     throng_options options = throng_options_default();
 *     if (throng_detector_create(&detector, THRONG_ABI, &options) != THRONG_OK) puts(throng_detector_error(NULL));
 *     throng_image image = throng_image_default();
 *     ... set format, size, planes and pitches ...
 *     throng_detection found[100];
 *     int64_t count = 0;
 *     throng_detect(detector, &image, found, sizeof found[0], 100, &count);
 *     throng_detector_destroy(detector);
 *
 * Positions are in pixels of the image, from the upper left corner; edges are continuous.
 *
 * what        | rule
 * ------------|----------------------------------------------------------------------------------------------------------
 * threads     | Handles are independent. Any number of threads may use one detector: their calls take turns. A clone
 *             | for each thread lets them run at once. A stream serves one thread at a time; a second one gets
 *             | THRONG_ERROR_BUSY. throng_stream_stop, throng_stop_request
 *             | and throng_set_log may be called by any thread at any time. Destroy a handle when no thread is in a call.
 * fork        | A detector of the CPU backend also works in the child, with threads of its own. Detectors of CUDA and
 *             | streams made before fork report THRONG_ERROR_USAGE there, and their destruction frees nothing.
 * signals     | The library installs no handler. No function may be called by a handler; threads of the library have the
 *             | signal mask of the thread that made them.
 * errors      | Functions return a throng_status; the functions for error texts say what, where and what to do. After an
 *             | error the handle can be used again. Nothing throws, nothing ends the process.
 * log         | Nothing is written; throng_set_log gets what there is to say. The logs of spdlog, FFmpeg, OpenCV and
 *             | GStreamer stay as the program set them.
 * ownership   | The caller owns all arrays and strings; the library keeps no pointer after a call. A frame and what it
 *             | points to belong to the stream. Using a handle after its destruction is undefined, except for a detector,
 *             | stream or stop that was destroyed while THRONG_CHECK_POINTERS was in the environment: until another one
 *             | has its address, functions with a status return THRONG_ERROR_USAGE, the others do nothing and return NULL
 *             | or "", and the functions for error texts say that it was destroyed.
 * stable      | Functions, structs and values of enumerations: a program runs with every later library of the same major
 *             | version (throng_types.h). Not stable: the wording of texts, what models find, names of models. */
#ifndef THRONG_H
#define THRONG_H

#include <stdarg.h>
#include <string.h>

#include "throng_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of the binary interface: the major version of the shared library. */
#define THRONG_ABI 0

typedef struct throng_detector throng_detector;
typedef struct throng_stream throng_stream;
typedef struct throng_stop throng_stop; /* a request to stop that several calls may share */

typedef enum throng_backend {
    THRONG_BACKEND_AUTO = 0, /* CUDA where it is built in and usable, otherwise the CPU */
    THRONG_BACKEND_CPU = 1,
    THRONG_BACKEND_CUDA = 2
} throng_backend;

typedef enum throng_pixel_format {
    THRONG_GRAY8 = 0,   /* one plane */
    THRONG_BGR24 = 1,   /* one plane of interleaved blue, green, red bytes */
    THRONG_NV12 = 2,    /* luma; interleaved U and V, (width + 1) / 2 pairs in (height + 1) / 2 rows */
    THRONG_YUV420P = 3, /* three planes; throng_detect reads the first */
    THRONG_RGB24 = 4,   /* one plane of interleaved red, green, blue bytes */
    THRONG_BGRA32 = 5,  /* one plane of interleaved blue, green, red and unused bytes; not from sources */
    THRONG_RGBA32 = 6   /* the same, red first */
} throng_pixel_format;

typedef enum throng_color_range {
    THRONG_RANGE_LIMITED = 0, /* black is 16, white 235 */
    THRONG_RANGE_FULL = 1
} throng_color_range;

typedef enum throng_color_matrix { THRONG_BT709 = 0, THRONG_BT601 = 1, THRONG_BT2020 = 2 } throng_color_matrix;

/* The format of the frames of a stream. */
typedef enum throng_pixels {
    THRONG_PIXELS_DECODED = 0, /* as decoded: no copy, and in device memory if the decoder writes there */
    THRONG_PIXELS_GRAY = 1,    /* GRAY8 in host memory, as the next two: what detectors of gray images see */
    THRONG_PIXELS_BGR = 2,     /* BGR24, by range and matrix of the frame */
    THRONG_PIXELS_RGB = 3      /* RGB24 */
} throng_pixels;

typedef enum throng_hide_style {
    THRONG_HIDE_NOTHING = 0,
    THRONG_HIDE_BLUR = 1,   /* a smooth surface through at most 6 x 6 mean colors of the face */
    THRONG_HIDE_MOSAIC = 2, /* blocks of them */
    THRONG_HIDE_SOLID = 3   /* one mean color */
} throng_hide_style;

/* What the default model of a detector looks for. haar, lbp and cnn: a face; hog and person: a person; face+person: both,
 * people first. */
typedef enum throng_class { THRONG_CLASS_UNKNOWN = -1, THRONG_CLASS_FACE = 0, THRONG_CLASS_PERSON = 1 } throng_class;

/* Get the values of throng_options_default, then change some. */
typedef struct throng_options {
    uint32_t size;          /* sizeof(throng_options), set by throng_options_default; see throng_types.h */
    int32_t backend;        /* throng_backend */
    const char* detector;   /* "auto" (cnn if installed, otherwise haar), "haar", "lbp", "hog", "cnn", "person",
                             * "face+person" (the other fields are then about the people) */
    const char* model;      /* a file or the name of an installed model; NULL: the detector's default */
    int32_t device;         /* number of the CUDA device */
    int32_t threads;        /* of the CPU backend; 0: one per core */
    int32_t min_size;       /* minimum side of an object in pixels; 0: the detector's default */
    int32_t max_size;       /* maximum side; 0: as large as the image */
    double scale_factor;    /* between neighboring scales, > 1; 0: the detector's default */
    double score_threshold; /* of networks (probability) and hog (margin); haar and lbp reject it; NaN: default */
    double theta;           /* overlap of non-maximum suppression, in [0, 1]; NaN: the detector's default */
    int32_t min_hits;       /* drop detections of fewer raw ones; 0: the detector's default */
    int32_t track;          /* of sources: 1: throng_detection has track, as with `throng detect --track` */
    /* Further settings: NULL, or "NAME=VALUE" texts up to a NULL, such as "merge=mean". Names are those of the program's
     * options, with '_' for '-'. They replace the fields above. */
    const char* const* settings;
    /* Of sources: NULL, or what ends throng_stream_open, throng_stream_next and throng_run with THRONG_ERROR_STOPPED. It
     * may be destroyed before the stream. */
    const throng_stop* stop;
    int32_t hide; /* of sources: throng_hide_style; throng_frame.image then never shows a face that was found. Faces are
                     * hidden, too, where detection misses them for a moment, so frames come some frames later. */
    int32_t pixels; /* of sources: throng_pixels of throng_frame.image */
    /* Of sources: NULL, or a file of lines and zones, as `throng detect --count` reads it; "": the whole image. People
     * are counted by the tracks that are known at their frame, as by `throng detect --events -`; see throng_frame.counts.
     * Those present in the last frame leave after it: throng_stream_counts has these events, throng_run does not. */
    const char* count;
} throng_options;

typedef struct throng_image {
    uint32_t size;
    int32_t format;        /* throng_pixel_format */
    int32_t width, height; /* pixels, >= 1 */
    int32_t memory;        /* throng_memory; device memory only with the CUDA backend, only THRONG_NV12 and GRAY8 */
    int32_t reserved;      /* 0 */
    const void* planes[3];
    int64_t pitch[3]; /* bytes between rows; at least the bytes of a row */
    int32_t range;    /* throng_color_range of NV12 and YUV420P */
    int32_t matrix;   /* throng_color_matrix of NV12 and YUV420P */
} throng_image;

typedef struct throng_detection {
    float x, y, width, height; /* pixels */
    float score;               /* haar, lbp: sum of the last stage; hog: margin; cnn: probability */
    int32_t hits;              /* raw detections that this one represents, itself included */
    int32_t num_landmarks;     /* 5 or 0 */
    float landmarks[10]; /* x, y of the right eye, left eye, nose, right and left corner of the mouth; as seen from
                                  the person */
    int32_t class_id;    /* throng_class */
    float confidence;    /* probability that this is an object of the class; NaN: unknown */
    int32_t partner; /* face+person: 1 + number of the detection of this person's face, or of this face's person, among
                          * all of the image; 0: none. A person without a face is turned away, or too small. */
    int64_t track;   /* the same for an object in the frames of a source; -1: unknown. Unique per class: with
                      * face+person, a person and a face may have the same. */
    int64_t person;  /* the same for a person in several sources; -1: unknown */
} throng_detection;

typedef enum throng_event_kind {
    THRONG_EVENT_APPEARED = 0,
    THRONG_EVENT_LEFT = 1,
    THRONG_EVENT_CROSSED = 2, /* a line */
    THRONG_EVENT_ENTERED = 3, /* a zone */
    THRONG_EVENT_EXITED = 4
} throng_event_kind;

/* What a person did, as in the lines of `throng detect --events`. */
typedef struct throng_event {
    int32_t kind;     /* throng_event_kind */
    int32_t in;       /* crossed: 1 to the right, seen from the start of the line to its end; 0 to the left */
    int32_t again;    /* appeared: 1: was counted before, and not tracked for a while */
    int32_t facing;   /* crossed: 1: the person has a face (face+person) */
    int64_t track;    /* of the person */
    double seconds;   /* when it happened: also before the frame in which it was noticed */
    double dwell;     /* left, exited: seconds since the person appeared or entered */
    const char* name; /* of the line or zone; "" without one */
} throng_event;

/* A line or a zone, and what it has counted. */
typedef struct throng_shape {
    const char* name;
    int32_t is_zone;   /* 1 or 0 */
    int32_t occupancy; /* of a zone: people inside now */
    int64_t in;        /* crossings to the right; entries */
    int64_t out;       /* crossings to the left; exits */
    double dwell;      /* of a zone: seconds, sum over the exits */
} throng_shape;

/* What is counted in a source. Valid as long as its frame. */
typedef struct throng_counts {
    uint32_t size;
    int32_t people;         /* in the frame */
    int64_t unique;         /* different people since the start; those who return with another track count again */
    uint32_t size_of_shape; /* bytes between shapes */
    uint32_t size_of_event; /* bytes between events */
    const void* shapes;     /* lines, then zones, in the order of the file; get them by throng_counts_shape */
    int64_t num_shapes;
    const void* events; /* noticed with this frame; get them by throng_counts_event */
    int64_t num_events;
} throng_counts;

/* A frame of a source with its detections. Valid until the callback returns, or the next call with the stream. */
typedef struct throng_frame {
    uint32_t size;
    uint32_t size_of_detection; /* bytes between detections */
    int64_t index;              /* number of the frame in its source, from 0 */
    double seconds;             /* since the start of the source */
    const throng_image* image;  /* as options.pixels and options.hide say */
    const void* detections;     /* get them by throng_frame_detection */
    int64_t num_detections;
    int64_t num_raw;             /* detections before suppression */
    int64_t overflow;            /* raw detections that were dropped because the buffers were full */
    int32_t damaged;             /* 1: the frame is incomplete or may be decoded incorrectly */
    int32_t reserved;            /* 0 */
    const throng_counts* counts; /* NULL without options.count */
} throng_frame;

/* Version of the library, "0.2.0". That of the header is THRONG_VERSION (throng_types.h). */
THRONG_API const char* throng_version(void);

typedef enum throng_severity {
    THRONG_SEVERITY_DEBUG = 0,
    THRONG_SEVERITY_INFO = 1,
    THRONG_SEVERITY_WARNING = 2,
    THRONG_SEVERITY_ERROR = 3
} throng_severity;

/* Gets a line of the log, without line feed and with passwords masked, on any thread, one line at a time. The text is
 * valid until it returns. Must neither throw nor call this library. */
typedef void (*throng_log)(int32_t severity, const char* text, void* user);

/* Gives lines of at least this severity to `log`; NULL: to nobody. After the return, the log before is not called any
 * more. Any thread. USAGE: an unknown severity; the text is that of throng_stream_error(NULL). */
THRONG_API throng_status throng_set_log(throng_log log, void* user, int32_t severity);

/* A log function for FFmpeg: a program that gives it to av_log_set_callback lets the library also notice the damage that
 * FFmpeg only logs, and gets FFmpeg's lines with THRONG_SEVERITY_DEBUG. */
THRONG_API void throng_ffmpeg_log(void* object, int level, const char* format, va_list arguments);

/* Write defaults into a struct of `size` bytes, as throng_types.h says. */
THRONG_API void throng_options_init(throng_options* options, size_t size);
THRONG_API void throng_image_init(throng_image* image, size_t size); /* host memory, gray */

static inline throng_options throng_options_default(void) {
    throng_options options;
    throng_options_init(&options, sizeof options);
    return options;
}
static inline throng_image throng_image_default(void) {
    throng_image image;
    throng_image_init(&image, sizeof image);
    return image;
}

/* Returns detection `number` of a frame, from 0 to num_detections - 1. Fields that an older library lacks are 0. */
static inline throng_detection throng_frame_detection(const throng_frame* frame, int64_t number) {
    throng_detection detection;
    const char* from = (const char*)frame->detections + number * (int64_t)frame->size_of_detection;
    memset(&detection, 0, sizeof detection);
    memcpy(&detection, from, frame->size_of_detection < sizeof detection ? frame->size_of_detection : sizeof detection);
    return detection;
}
/* The same for shape `number` of counts, from 0 to num_shapes - 1, and for event `number`. */
static inline throng_shape throng_counts_shape(const throng_counts* counts, int64_t number) {
    throng_shape shape;
    const char* from = (const char*)counts->shapes + number * (int64_t)counts->size_of_shape;
    memset(&shape, 0, sizeof shape);
    memcpy(&shape, from, counts->size_of_shape < sizeof shape ? counts->size_of_shape : sizeof shape);
    return shape;
}
static inline throng_event throng_counts_event(const throng_counts* counts, int64_t number) {
    throng_event event;
    const char* from = (const char*)counts->events + number * (int64_t)counts->size_of_event;
    memset(&event, 0, sizeof event);
    memcpy(&event, from, counts->size_of_event < sizeof event ? counts->size_of_event : sizeof event);
    return event;
}

/* Loads the model. Pass THRONG_ABI as `abi`. On failure *detector is NULL, and throng_detector_error(NULL) has the text.
 * UNAVAILABLE: backend, device or model; INPUT: a damaged model; USAGE: a wrong option. */
THRONG_API throng_status throng_detector_create(throng_detector** detector, int32_t abi, const throng_options* options);
/* Makes another detector with the same options, for another thread: calls with different detectors run at once. On the
 * CPU, clones share one model in memory, which is not read again; options.threads of 1 suits a clone per core. Waits for
 * a call of another thread with `detector`. Each is destroyed by itself, in any order. On failure *clone is NULL, and
 * throng_detector_error(detector) has the text. */
THRONG_API throng_status throng_detector_clone(throng_detector** clone, throng_detector* detector);
THRONG_API void throng_detector_destroy(throng_detector* detector); /* NULL is allowed */

/* Detects objects in an image and waits for the result. Writes the first `capacity` detections, in the order of
 * suppression (descending score), and their whole number to *count. size_of_one: sizeof(throng_detection); fields that
 * an older library lacks become 0. Images in device memory must be complete: the library's stream does not wait for the
 * caller's. */
THRONG_API throng_status throng_detect(throng_detector* detector, const throng_image* image,
                                       throng_detection* detections, size_t size_of_one, int64_t capacity,
                                       int64_t* count);

/* Hides faces in an image in host memory, in place: the planes must be writable. Each is an ellipse around its box with
 * `margin` as a share of width and height on each side; NaN: 0.3. Whatever is not a box, such as NaN, hides the whole
 * image. hide: throng_hide_style. The error text is that of throng_detector_error(NULL). */
THRONG_API throng_status throng_hide(const throng_image* image, const throng_detection* detections, size_t size_of_one,
                                     int64_t count, int32_t hide, double margin);

typedef enum throng_option_type {
    THRONG_OPTION_FLAG = 0,   /* "true" or "false" */
    THRONG_OPTION_WHOLE = 1,  /* a whole number from min to max */
    THRONG_OPTION_REAL = 2,   /* a number from min to max */
    THRONG_OPTION_CHOICE = 3, /* one of choices */
    THRONG_OPTION_TEXT = 4,
    THRONG_OPTION_PAIRS = 5 /* "ID=CHOICE", any number of them */
} throng_option_type;

/* A name for throng_options.settings. */
typedef struct throng_option {
    uint32_t size;
    int32_t type; /* throng_option_type */
    const char* name;
    const char* unit;           /* of the value, for a help text; may be "" */
    const char* help;           /* one sentence, or "" */
    const char* value;          /* the default of the detector; "": chosen at run time, or none */
    const char* const* choices; /* up to a NULL; NULL without choices */
    double min, max;
} throng_option;

/* Returns the option after `previous`, NULL after the last one. previous NULL: the first option, with the defaults of
 * `detector` ("auto", "haar", "lbp", "hog", "cnn", "person", "face+person"); NULL if there is no such detector. Valid for ever. */
THRONG_API const throng_option* throng_options_next(const char* detector, const throng_option* previous);

/* As throng_nms_error, but of this thread's last call with the detector. */
THRONG_API const char* throng_detector_error(const throng_detector* detector);
/* "cpu" or "cuda"; with THRONG_BACKEND_AUTO, "cpu" after a failure of the GPU. Valid for ever. */
THRONG_API const char* throng_detector_backend(const throng_detector* detector);

/* Any thread may request a stop, at any time and more than once. NULL: out of memory, and allowed as an argument. */
THRONG_API throng_stop* throng_stop_create(void);
THRONG_API void throng_stop_request(throng_stop* stop);
THRONG_API void throng_stop_destroy(throng_stop* stop);

/* Opens a source, loads the model and starts to detect: a video or image file, a folder of images, rtsp://..., camera:N,
 * csi:N, gst:PIPELINE, crowd:faces=60,size=1920x1080,frames=100 (without frames, or with 0: endless). Every frame of a file is
 * detected; a live source keeps the newest one. Threads of the stream decode and detect ahead, and stop at
 * throng_stream_destroy. Wrong options and models are errors of this function, not of the first frame. */
THRONG_API throng_status throng_stream_open(throng_stream** stream, int32_t abi, const char* source,
                                            const throng_options* options);
THRONG_API void throng_stream_destroy(throng_stream* stream); /* NULL is allowed */

/* Ends a stream: throng_stream_next returns THRONG_ERROR_STOPPED at once, also a call that another thread waits in. Any
 * thread, and more than once. NULL is allowed. */
THRONG_API void throng_stream_stop(throng_stream* stream);

/* Waits for the next frame, at most timeout_ms (-1: without limit). *frame is NULL at the end of the source and after a
 * time-out; *ended is then 1 or 0. The frame is valid until the next call. A damaged or truncated file ends with
 * THRONG_ERROR_INPUT after its readable frames. */
THRONG_API throng_status throng_stream_next(throng_stream* stream, int32_t timeout_ms, const throng_frame** frame,
                                            int32_t* ended);
/* Returns what is counted up to the newest frame of throng_stream_next; at the end of the source, with all visits ended.
 * NULL without options.count. Valid until the next call with the stream; to be called by the thread of that. */
THRONG_API const throng_counts* throng_stream_counts(const throng_stream* stream);
THRONG_API const char* throng_stream_error(const throng_stream* stream); /* as throng_nms_error */

/* Returns 0 to continue, another value to stop. Called on the thread of throng_run. Must not throw. */
typedef int (*throng_callback)(const throng_frame* frame, void* user);

/* Detects in all frames of a source and calls `callback` for each in order. THRONG_ERROR_STOPPED if a callback or
 * options.stop asked to stop. The error text is that of throng_stream_error(NULL). */
THRONG_API throng_status throng_run(int32_t abi, const char* source, const throng_options* options,
                                    throng_callback callback, void* user);

#ifdef __cplusplus
}
#endif

#endif
