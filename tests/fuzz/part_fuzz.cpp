// Any bytes as a record of the detections of a part are read or rejected with an Error.
#include <cstdint>

#include "core/archive/segments.h"
#include "core/base/error.h"
#include "core/sinks/part_file.h"
#include "tests/fuzz/input.h"

TH_FUZZ(part) {
    using namespace throng;
    static const fuzz::MemoryFile file;
    const std::string& path = file.put(fuzz::text_of(data, size));
    std::uint64_t frames = 0;
    try {
        fuzz::require(read_parts({path}, [&](FrameResult&) { ++frames; }, {}) == frames);
    } catch (const PartsDoNotJoin&) {
    } catch (const Error& error) {
        fuzz::require(error.kind() == ErrorKind::input);
    }
    return 0;
}
