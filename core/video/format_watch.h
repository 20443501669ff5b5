// Detects changes of the size or the format of a source's frames.
#pragma once

#include <tuple>

#include "core/video/source.h"

namespace throng {

class FormatWatch {
public:
    // Returns ReadStatus::frame for the first frame and for a frame like the previous one, otherwise format_changed.
    ReadStatus status_of(const Frame& frame) {
        const FrameInfo& info = frame.info();
        const Key key{info.width, info.height, info.format, info.memory};
        const bool changed = seen_ && key != last_;
        seen_ = true;
        last_ = key;
        return changed ? ReadStatus::format_changed : ReadStatus::frame;
    }

private:
    using Key = std::tuple<int, int, PixelFormat, MemoryKind>;
    Key last_{};
    bool seen_ = false;
};

}  // namespace throng
