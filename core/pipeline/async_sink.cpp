#include "core/pipeline/async_sink.h"

#include <exception>

#include "core/base/log.h"

namespace throng {

void AsyncSink::close() {
    std::exception_ptr failure;
    try {
        thread_.finish();
    } catch (...) {
        failure = std::current_exception();
    }
    if (thread_.dropped() > 0) logger().warn("{} frames were left out of a slow output", thread_.dropped());
    inner_->close();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace throng
