// The table of video decoders: hardware and software, tried in order. Failures of the automatic choice are only logged.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/video/av.h"
#include "core/video/source.h"

namespace throng {

struct DecoderRequest {
    const AVStream& stream;
    const SourceOptions& options;
    bool low_delay;          // return each frame as soon as its packet was sent
    av::ErrorCount& errors;  // counts the errors that the decoder logs, and must outlive it
};

struct DecoderRow {
    DecoderKind kind;
    bool hardware;
    // Returns a decoder that is open; null, with the reason, if it does not work here.
    av::CodecPtr (*open)(const DecoderRequest& request, std::string& why);

    [[nodiscard]] std::string_view name() const { return name_of(kDecoderNames, kind); }
};

// The last row is the software decoder.
struct DecoderTable {
    std::vector<DecoderRow> rows;
};
[[nodiscard]] const DecoderTable& decoder_table();

struct OpenDecoder {
    av::CodecPtr codec;
    const DecoderRow* row = nullptr;
    std::string passed_over;  // "cuda: no device": the best row that does not work, and why; empty if it is the best
};

// Opens a decoder for the stream. `shown` is the name of the source for messages. after: with DecoderKind::automatic, a
// decoder that opened and then could not decode; the rows behind it are tried. Throws Error(unavailable) if the requested
// decoder does not work here, and Error(input) if no decoder supports the stream.
[[nodiscard]] OpenDecoder open_decoder(const DecoderRequest& request, const std::string& shown,
                                       const DecoderTable& table = decoder_table(), const OpenDecoder* after = nullptr);

}  // namespace throng
