// Part of both libraries.
#include "app/api/throng_types.h"

extern "C" const char* throng_status_text(int32_t status) {
    switch (status) {
        case THRONG_OK: return "done";
        case THRONG_ERROR_USAGE: return "wrong usage";
        case THRONG_ERROR_INPUT: return "input cannot be opened or read";
        case THRONG_ERROR_UNAVAILABLE: return "backend, device or model unavailable";
        case THRONG_ERROR_INTERNAL: return "internal error";
        case THRONG_ERROR_BUSY: return "another thread is in a call with the handle";
        case THRONG_ERROR_STOPPED: return "stopped";
        default: return "unknown status";
    }
}
