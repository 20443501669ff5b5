// Common to all handles of the C libraries: exceptions become status codes, the text of the last error is kept, and a
// second thread is rejected.
#pragma once

#include <atomic>
#include <exception>
#include <new>
#include <string>

#include "app/api/throng_types.h"
#include "core/base/error.h"

namespace throng::api {

inline throng_status status_of(ErrorKind kind) noexcept {
    switch (kind) {
        case ErrorKind::usage: return THRONG_ERROR_USAGE;
        case ErrorKind::input: return THRONG_ERROR_INPUT;
        case ErrorKind::unavailable: return THRONG_ERROR_UNAVAILABLE;
        case ErrorKind::interrupted: return THRONG_ERROR_STOPPED;
        case ErrorKind::internal: break;
    }
    return THRONG_ERROR_INTERNAL;
}

// Runs work(); returns its status and stores the text of an exception in `text`, which is emptied otherwise.
template <class Work>
throng_status guarded(std::string& text, const Work& work) noexcept {
    throng_status status = THRONG_ERROR_INTERNAL;
    try {
        text.clear();
        work();
        return THRONG_OK;
    } catch (const Error& error) {
        status = status_of(error.kind());
        try {
            text = error.what();
        } catch (...) {  // out of memory: the status remains
        }
    } catch (const std::bad_alloc&) {
        text = "out of memory";  // fits the string's own storage
    } catch (const std::exception& error) {
        try {
            text = error.what();
        } catch (...) {
        }
    } catch (...) {
        text = "unknown error";
    }
    return status;
}

// Base of a handle.
struct Handle {
    std::string error;
    std::atomic<bool> busy{false};

    // Runs work() unless another thread is in a call with this handle.
    template <class Work>
    throng_status call(const Work& work) noexcept {
        if (busy.exchange(true, std::memory_order_acquire)) return THRONG_ERROR_BUSY;
        const throng_status status = guarded(error, work);
        busy.store(false, std::memory_order_release);
        return status;
    }
};

// The text of the last failed creation on this thread.
inline std::string& creation_error() {
    thread_local std::string text;
    return text;
}

}  // namespace throng::api
