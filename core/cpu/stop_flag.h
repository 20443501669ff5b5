// A request that ends a long call on the CPU, for callers that have no stop_token: the C library.
#pragma once

#include <cstdint>

#include "core/base/error.h"

namespace throng {

// Threads of the call only read it. Not to be changed during a call.
class StopFlag {
public:
    // flag: a number of the caller, which any thread or a handler of a signal sets to other than 0. Null: no request.
    void watch(const volatile std::int32_t* flag) noexcept { flag_ = flag; }

    // Throws Error(interrupted) after a request. Takes a load and a comparison.
    void check() const {
        if (flag_ != nullptr && __atomic_load_n(flag_, __ATOMIC_RELAXED) != 0) end();
    }

private:
    // Kept out of the loops that check.
    [[noreturn]] [[gnu::cold, gnu::noinline]] static void end() { throw Error(ErrorKind::interrupted, "stopped"); }

    const volatile std::int32_t* flag_ = nullptr;
};

}  // namespace throng
