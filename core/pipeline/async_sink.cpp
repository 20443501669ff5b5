#include "core/pipeline/async_sink.h"

#include <exception>

namespace throng {

void AsyncSink::close() {
    std::exception_ptr failure;
    try {
        thread_.finish();
    } catch (...) {
        failure = std::current_exception();
    }
    inner_->close();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace throng
