// The table of video decoders: software and the hardware ones, tried in order, quietly.
#pragma once

#include <string>

#include "core/video/av.h"
#include "core/video/source.h"

namespace throng {

struct OpenDecoder {
    av::CodecPtr codec;
    std::string name;  // of the table's row: "software", "cuda", "v4l2m2m"
};

// A decoder for the stream. options.decoder names a row or is "auto". low_delay gives each frame as soon as its packet
// is in; `errors` counts what it complains about and must outlive it. `shown` is the source's name for messages. Throws
// Error(usage) for a name that is not in the table, Error(unavailable) for a row asked for by name that does not work
// here, Error(input) when nothing can decode the stream.
[[nodiscard]] OpenDecoder open_decoder(const AVStream& stream, const SourceOptions& options, bool low_delay,
                                       av::ErrorCount& errors, const std::string& shown);

}  // namespace throng
