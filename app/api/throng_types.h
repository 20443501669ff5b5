/* What throng_nms.h and throng.h share: status codes, the memory of pointers, and the rules for structs. C99 and C++.
 *
 * Structs that the caller fills begin with their size. throng_X_init(&x, sizeof x) writes the size and the defaults,
 * never more bytes than the caller has; throng_X_default() returns such a struct.
 *   - Later versions append fields, for which 0 is the default. A library accepts the shorter structs of older headers.
 *   - It accepts the longer structs of newer headers as long as the bytes that it does not know are 0. Otherwise it
 *     reports THRONG_ERROR_USAGE and the number of the byte: a program never loses a setting silently.
 *   - Fields named `reserved` must be 0.
 * Structs that the library fills begin with the size that the library wrote; THRONG_HAS asks whether a field is there.
 * Arrays of structs that the library fills have the size of one element as an argument or a field. */
#ifndef THRONG_TYPES_H
#define THRONG_TYPES_H

/* Version of the headers; those of the libraries are throng_version() and throng_nms_version(). */
#define THRONG_VERSION "0.2.0"

#include <stddef.h>
#include <stdint.h>

/* Whether a struct that the library filled has a field, in a program that may run with an older library. */
#define THRONG_HAS(struct_pointer, field)                                                                       \
    ((const char*)&(struct_pointer)->field + sizeof((struct_pointer)->field) - (const char*)(struct_pointer) <= \
     (ptrdiff_t)(struct_pointer)->size)

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
    THRONG_ERROR_STOPPED = 7      /* a callback, a stop request or the number at params.stop asked to stop */
} throng_status;

/* Returns what a status means: "wrong usage". Never NULL, also for a number that is no status. */
THRONG_API const char* throng_status_text(int32_t status);

typedef enum throng_memory {
    THRONG_HOST = 0,
    THRONG_DEVICE = 1 /* CUDA device memory, or memory that the device can read */
} throng_memory;

#ifdef __cplusplus
}
#endif

#endif
