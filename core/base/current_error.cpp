#include "core/base/current_error.h"

#include <exception>
#include <new>

namespace throng {

Error current_error() {
    try {
        throw;
    } catch (const Error& error) {
        return error;
    } catch (const std::bad_alloc&) {
        return Error(ErrorKind::internal, "out of memory");
    } catch (const std::exception& error) {
        return Error(ErrorKind::internal, error.what());
    } catch (...) {
        return Error(ErrorKind::internal, "unknown error");
    }
}

}  // namespace throng
