// Common to all handles of the C libraries: exceptions become status codes, the text of the last error is kept, a second
// thread is rejected or waits, and a forked process that cannot use the handle is rejected.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <utility>

#include "app/api/throng_types.h"
#include "core/base/error.h"
#include "core/base/forks.h"

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

// Throws Error(usage) unless the condition holds. field: the name of an argument, or a Setting.
template <class Field>
void require(bool holds, const Field& field, const char* problem) {
    if (!holds) throw Error(ErrorKind::usage, problem, field);
}

// Runs work(); returns its status and stores the text of an exception in `text`, which is emptied otherwise.
template <class Work>
throng_status guarded(std::string& text, const Work& work) noexcept {
    throng_status status = THRONG_ERROR_INTERNAL;
    try {
        text.clear();
        work();
        return THRONG_OK;
    } catch (const std::bad_alloc&) {
        text = "out of memory";  // fits the string's own storage
    } catch (...) {
        try {
            const Error error = current_error();
            status = status_of(error.kind());
            text = error.what();
        } catch (...) {  // out of memory: the status remains
        }
    }
    return status;
}

// The text of the last failed creation or call without a handle on this thread.
inline std::string& creation_error() {
    thread_local std::string text;
    return text;
}

// Debug mode: addresses of handles that were destroyed while THRONG_CHECK_POINTERS was in the environment.
class DestroyedHandles {
public:
    static void add(const void* handle) noexcept {
        if (std::getenv("THRONG_CHECK_POINTERS") == nullptr) return;
        const std::lock_guard lock(mutex_);
        try {
            handles_.insert(handle);
        } catch (...) {  // out of memory: this one is not checked
        }
        count_ = handles_.size();
    }
    static void remove(const void* handle) noexcept {  // a new one has the address
        if (count_ == 0) return;
        const std::lock_guard lock(mutex_);
        handles_.erase(handle);
        count_ = handles_.size();
    }
    [[nodiscard]] static bool has(const void* handle) noexcept {
        if (count_ == 0) return false;
        const std::lock_guard lock(mutex_);
        return handles_.contains(handle);
    }

private:
    inline static std::mutex mutex_;
    inline static std::set<const void*> handles_;
    inline static std::atomic<std::size_t> count_{0};
};

// Returns THRONG_OK for a handle that can be called. Otherwise stores the text of the call, and returns its status.
inline throng_status check_handle(const void* handle, const char* name) noexcept {
    if (handle != nullptr && !DestroyedHandles::has(handle)) return THRONG_OK;
    const char* const problem = handle == nullptr ? "is NULL" : "was destroyed";
    return guarded(creation_error(), [&] { throw Error(ErrorKind::usage, problem, name); });
}

// Base of a handle.
class Handle {
public:
    Handle() noexcept { DestroyedHandles::remove(this); }

    // Runs work() unless the handle is a copy that cannot be used. While another thread is in a call with it, rejects this
    // one, or waits if threads take turns.
    template <class Work>
    throng_status call(const Work& work) noexcept {
        for (;;) {
            if (const char* text = why_unusable()) return reject(text, THRONG_ERROR_USAGE);
            std::uint32_t user = 0;
            if (user_.compare_exchange_strong(user, fork_count() + 1, std::memory_order_acquire)) break;
            if (!takes_turns_) return reject("another thread is in a call with this handle", THRONG_ERROR_BUSY);
            user_.wait(user, std::memory_order_relaxed);
        }
        if (rejected_.number == number_) rejected_ = {0, ""};
        std::string text;
        const throng_status status = guarded(text, work);
        keep(std::move(text));
        user_.store(0, std::memory_order_release);
        if (takes_turns_) user_.notify_one();
        return status;
    }

    // The text of the last call with this handle; where threads take turns, of this thread's last one. A rejected thread
    // gets its own: the other one may be writing.
    [[nodiscard]] const char* error() const noexcept {
        if (rejected_.number == number_) return rejected_.text;
        if (!takes_turns_) return error_.c_str();
        const auto found = errors_by_number.find(number_);
        return found != errors_by_number.end() ? found->second.c_str() : "";
    }

    // Returns why a handle cannot be used in a forked process, otherwise null.
    [[nodiscard]] const char* why_unusable() const noexcept {
        const std::uint32_t forks = fork_count();
        if (forks == forks_) return nullptr;
        if (!survives_fork_) {
            return "made before fork: neither its threads nor CUDA exist in this process; make another one here";
        }
        const std::uint32_t user = user_;
        if (user == 0 || user == forks + 1) return nullptr;
        return "made before fork, which came during a call of another thread; make another one here";
    }

    // Deletes a handle; null is allowed. One that cannot be used stays in memory: its threads cannot be joined.
    template <class Made>
    static void destroy(Made* handle) noexcept {
        if (handle == nullptr || DestroyedHandles::has(handle) || handle->why_unusable() != nullptr) return;
        DestroyedHandles::add(handle);
        delete handle;
    }
    struct Destroy {
        template <class Made>
        void operator()(Made* handle) const noexcept {
            destroy(handle);
        }
    };

protected:
    // What the handle owns works in a forked process: no running threads but those of a ThreadPool, nothing of CUDA.
    void set_survives_fork(bool survives) noexcept { survives_fork_ = survives; }
    // Threads wait for each other instead of being rejected.
    void set_takes_turns() noexcept { takes_turns_ = true; }

private:
    struct Rejection {
        std::uint64_t number;  // of the handle that rejected this thread's last call with it; 0: none
        const char* text;
    };

    throng_status reject(const char* text, throng_status status) const noexcept {
        rejected_ = {number_, text};
        return status;
    }
    void keep(std::string text) noexcept {
        if (!takes_turns_) {
            error_ = std::move(text);
        } else if (text.empty()) {
            errors_by_number.erase(number_);
        } else {
            try {
                errors_by_number[number_] = std::move(text);
            } catch (...) {  // out of memory: the status remains
            }
        }
    }
    static std::uint64_t next_number() noexcept {
        static std::atomic<std::uint64_t> last{0};
        return ++last;
    }
    inline static thread_local Rejection rejected_{0, ""};
    inline static thread_local std::map<std::uint64_t, std::string>
        errors_by_number;  // by numbers, where threads take turns

    std::string error_;
    std::atomic<std::uint32_t> user_{0};  // 0, or 1 + fork_count() of the process that is in a call
    bool survives_fork_ = false;
    bool takes_turns_ = false;
    const std::uint32_t forks_ = fork_count();
    const std::uint64_t number_ = next_number();  // not the address, which the next handle may have
};

// Returns what the functions for error texts return.
inline const char* error_text(const Handle* handle) noexcept {
    return handle != nullptr && !DestroyedHandles::has(handle) ? handle->error() : creation_error().c_str();
}

}  // namespace throng::api
