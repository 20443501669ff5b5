/* What throng_nms.h and throng.h share: status codes and the memory of pointers. C99 and C++. */
#ifndef THRONG_TYPES_H
#define THRONG_TYPES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define THRONG_API __attribute__((visibility("default")))
#else
#define THRONG_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* 2 to 5 are the exit statuses of the program. */
typedef enum throng_status {
    THRONG_OK = 0,
    THRONG_ERROR_USAGE = 2,       /* an argument is wrong; the error text names it */
    THRONG_ERROR_INPUT = 3,       /* a file or stream could not be opened or read */
    THRONG_ERROR_UNAVAILABLE = 4, /* backend, device or model unavailable */
    THRONG_ERROR_INTERNAL = 5,    /* an error of the library or of its device; out of memory */
    THRONG_ERROR_BUSY = 6,        /* another thread is in a call with the same handle; nothing was done */
    THRONG_ERROR_STOPPED = 7      /* a callback asked to stop */
} throng_status;

typedef enum throng_memory {
    THRONG_HOST = 0,
    THRONG_DEVICE = 1 /* CUDA device memory, or memory that the device can read */
} throng_memory;

#ifdef __cplusplus
}
#endif

#endif
