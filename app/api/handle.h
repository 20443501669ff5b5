// Common to all handles of the C libraries: exceptions become status codes, the text of the last error is kept, and a
// second thread is rejected.
#pragma once

#include <atomic>
#include <cstdint>
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

// The text of the last failed creation or call without a handle on this thread.
inline std::string& creation_error() {
    thread_local std::string text;
    return text;
}

// Stores the text of a call without a handle, and returns its status.
inline throng_status no_handle(const char* name) noexcept {
    return guarded(creation_error(), [&] { throw Error(ErrorKind::usage, "is NULL", name); });
}

// Base of a handle.
class Handle {
public:
    // Runs work() unless another thread is in a call with this handle.
    template <class Work>
    throng_status call(const Work& work) noexcept {
        if (busy_.exchange(true, std::memory_order_acquire)) {
            rejected_ = number_;
            return THRONG_ERROR_BUSY;
        }
        if (rejected_ == number_) rejected_ = 0;
        const throng_status status = guarded(error_, work);
        busy_.store(false, std::memory_order_release);
        return status;
    }

    // The text of the last call with this handle. A rejected thread gets its own: the other one may be writing.
    [[nodiscard]] const char* error() const noexcept {
        return rejected_ == number_ ? "another thread is in a call with this handle" : error_.c_str();
    }

private:
    static std::uint64_t next_number() noexcept {
        static std::atomic<std::uint64_t> last{0};
        return ++last;
    }
    inline static thread_local std::uint64_t rejected_ = 0;  // the handle that rejected this thread's last call with it

    std::string error_;
    std::atomic<bool> busy_{false};
    const std::uint64_t number_ = next_number();  // not the address, which the next handle may have
};

// Returns what the functions for error texts return.
inline const char* error_text(const Handle* handle) noexcept {
    return handle != nullptr ? handle->error() : creation_error().c_str();
}

}  // namespace throng::api
