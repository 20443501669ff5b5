#include "core/base/error.h"

#include <new>
#include <system_error>
#include <utility>

namespace throng {
namespace {

Message whole(const Message& what, const Message& where, const Message& advice) {
    const Message placed = where.empty() ? what : Message("%1: %2", where, what);
    return advice.empty() ? placed : Message("%1 (%2)", placed, advice);
}

}  // namespace

Error::Error(ErrorKind kind, Message what, Message where, Message advice)
    : std::runtime_error(whole(what, where, advice).text()),
      kind_(kind),
      problem_(std::move(what)),
      where_(std::move(where)),
      advice_(std::move(advice)) {}

Message Error::message() const {
    return whole(problem_, where_, advice_);
}

Error current_error() {
    try {
        throw;
    } catch (const Error& error) {
        return error;
    } catch (const std::bad_alloc&) {
        return Error(ErrorKind::internal, "out of memory");
    } catch (const std::system_error& error) {
        if (error.code() != std::errc::resource_unavailable_try_again) return Error(ErrorKind::internal, error.what());
        // Thrown by std::thread.
        return Error(ErrorKind::internal, "cannot start a thread", {},
                     "raise the limit of threads of the user, the service or the container");
    } catch (const std::exception& error) {
        return Error(ErrorKind::internal, error.what());
    } catch (...) {
        return Error(ErrorKind::internal, "unknown error");
    }
}

int exit_status(ErrorKind kind) noexcept {
    switch (kind) {
        case ErrorKind::usage: return 2;
        case ErrorKind::input: return 3;
        case ErrorKind::unavailable: return 4;
        case ErrorKind::internal: return 5;
        case ErrorKind::interrupted: return 130;
    }
    return 5;
}

}  // namespace throng
