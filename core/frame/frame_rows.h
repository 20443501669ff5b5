// The pixels of a frame that is too large for memory: they are read in strips.
#pragma once

#include <memory>

namespace throng {

struct PlaneView;

// Reads a frame from its first row to its last. Not thread-safe.
class RowReader {
public:
    RowReader() = default;
    RowReader(const RowReader&) = delete;
    RowReader& operator=(const RowReader&) = delete;
    virtual ~RowReader() = default;

    // Returns the next rows, in the format of the frame, in host memory; valid until the next call. No rows: the frame has
    // ended. All strips together have the frame's height. Throws Error(input) if the file cannot be read any more, or is
    // damaged where it was not before.
    [[nodiscard]] virtual PlaneView next() = 0;
};

// Immutable, so threads may share it. A frame may be read any number of times.
class FrameRows {
public:
    FrameRows() = default;
    FrameRows(const FrameRows&) = delete;
    FrameRows& operator=(const FrameRows&) = delete;
    virtual ~FrameRows() = default;

    // Throws Error(input).
    [[nodiscard]] virtual std::unique_ptr<RowReader> open() const = 0;
};

}  // namespace throng
