// The table of video decoders: hardware and software, tried in order. Failures of the automatic choice are only logged.
#pragma once

#include <string>

#include "core/video/av.h"
#include "core/video/source.h"

namespace throng {

struct OpenDecoder {
    av::CodecPtr codec;
    std::string name;  // of the table row: "software", "cuda", "v4l2m2m"
};

// Opens a decoder for the stream. options.decoder is the name of a row or "auto". low_delay returns each frame as soon
// as its packet was sent. `errors` counts the errors that the decoder logs and must outlive it. `shown` is the name of
// the source for messages. Throws Error(usage) for a name that is not in the table, Error(unavailable) if the named
// decoder does not work here, and Error(input) if no decoder supports the stream.
[[nodiscard]] OpenDecoder open_decoder(const AVStream& stream, const SourceOptions& options, bool low_delay,
                                       av::ErrorCount& errors, const std::string& shown);

}  // namespace throng
