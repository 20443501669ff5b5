// Any bytes, as a truth file and as a detection file, are read or rejected with a throng::Error.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/annotations/labels.h"
#include "core/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace throng;
    static const int file = memfd_create("labels", 0);
    static const std::string path = "/proc/self/fd/" + std::to_string(file);
    if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
    try {
        static_cast<void>(read_truth(path));
    } catch (const Error&) {
    }
    try {
        static_cast<void>(read_detection_lines(path));
    } catch (const Error&) {
    }
    return 0;
}
