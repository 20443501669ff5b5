// The detections of a part of a video as JSON lines: all that tracking, results and hiding need of its frames, without
// pixels. The first line has the fingerprint "before", the last one "last".
//
// Both ends of a part have a fingerprint: the time, the damage and a hash of the pixels of the part's last frame, and of
// the frame before its first one, which was decoded, too. Parts are joined only if these are equal. So no frame is
// missing or repeated where a part begins, and decoding from a key frame gave the frames that decoding from the start
// gives.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/record_file.h"
#include "core/frame/fingerprint.h"
#include "core/pipeline/frame_result.h"

namespace throng {

// Writes one part. A file that was not finished is not accepted by read_parts. Not thread-safe.
class PartWriter {
public:
    explicit PartWriter(const std::string& path) : records_(path) {}

    // before: the last frame before the part; none at the start of the video. To be called first.
    void begin(const std::optional<Frame>& before, const std::stop_token& stop);
    // Writes kept boxes, candidates, counts and times; raw boxes if the result has them.
    void write(const FrameResult& result, const std::stop_token& stop);
    // last: the last frame of the part, or `before` if the part is empty; none if there are no frames at all.
    void finish(const std::optional<Frame>& last, const std::stop_token& stop);

private:
    RecordWriter records_;
};

// Calls `use` with the result of each frame of all parts, in order. Its frame has no pixels; index counts from 0 over
// all parts; source is empty, and tracks and plan are not set. The names of its timings are valid until read_parts
// returns. Returns the number of frames.
//
// Throws PartsDoNotJoin, possibly after calls, Error(input) for a file that is damaged or cannot be read, and
// Error(interrupted) after a stop request.
std::uint64_t read_parts(const std::vector<std::filesystem::path>& parts, const std::function<void(FrameResult&)>& use,
                         const std::stop_token& stop);

}  // namespace throng
