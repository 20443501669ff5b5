// The encoded frames of a part of a video, and the joining of all parts into one stream without encoding again.
//
// Each part begins with a key frame and needs no frame of another one. Both ends have a fingerprint, as in part_file.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/record_file.h"
#include "core/video/exact_encoder.h"

namespace throng {

// Writes one part. Its bytes depend on the frames, the format and the options only. Not thread-safe.
class EncodedPartWriter {
public:
    // before: the last frame before the part; none at the start of the video. Throws as ExactEncoder does.
    EncodedPartWriter(const std::string& path, const VideoFormat& format, const ExactEncoderOptions& options,
                      const std::optional<Frame>& before, const std::stop_token& stop);

    void write(const ExactFrame& frame);
    // last: the last frame of the part, or `before` if the part is empty. report: what join_encoded_parts returns.
    void finish(const std::optional<Frame>& last, nlohmann::ordered_json report);

private:
    void write_packet(const AVPacket& packet);

    std::stop_token stop_;
    RecordWriter records_;
    ExactEncoder encoder_;
    ExactEncoder::Write write_ = [this](AVPacket& packet) { write_packet(packet); };
};

struct JoinedParts {
    std::vector<nlohmann::ordered_json> reports;  // of each part
    std::int64_t scaled_frames = 0;               // see ExactEncoder
};

// Calls `write` with the packets of all parts, in the order of decoding and with the time stamps of one stream. encoder:
// opened with the format and options of the parts. Throws PartsDoNotJoin before the first call, Error(input) for a file
// that is damaged or cannot be read, and Error(interrupted) after a stop request.
JoinedParts join_encoded_parts(const std::vector<std::filesystem::path>& parts, const ExactEncoder& encoder,
                               const ExactEncoder::Write& write, const std::stop_token& stop);

}  // namespace throng
