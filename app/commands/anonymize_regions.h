// Writes what is hidden in each frame of a file, for `throng eval --leaks`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/atomic_file.h"
#include "core/frame/frame.h"
#include "core/redact/redact.h"

namespace throng {

// Not thread-safe.
class RegionWriter {
public:
    // path: JSON lines; empty: nothing is written. source: for the lines. Throws Error(input) as AtomicFile does.
    RegionWriter(const std::string& path, std::string source);

    // Adds the next frame. Throws Error(input).
    void write(const Frame& frame, const RedactRegions& regions, const RedactOptions& options);
    // Gives the file its name.
    void commit();

private:
    std::optional<AtomicFile> file_;
    std::string source_;
    std::int64_t next_ = 0;  // number of the next frame
};

}  // namespace throng
