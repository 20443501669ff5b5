// Counts the damage of a video and decides which decoded frames may be incorrect, from what demuxer and decoder report.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/video/av.h"

namespace throng {

// Not thread-safe. One per decoder.
class DamageWatch {
public:
    // The decoder counts the errors that it logs here; the address remains the same.
    [[nodiscard]] av::ErrorCount& decoder_errors() { return *decoder_errors_; }

    // Counts something that could not be read or decoded.
    void add(std::uint64_t count = 1) { damaged_ += count; }
    // Call for every packet before it is sent to the decoder.
    void follow(const AVPacket& packet, const AVFormatContext& format);
    // Call for every frame that the decoder returns, in order. max_delay: the frames that the decoder may hold. Returns
    // true if the frame, or one that it depends on, may be decoded incorrectly.
    [[nodiscard]] bool follow(const AVFrame& av_frame, int max_delay);
    // Forgets which frames are damaged: decoding begins again elsewhere, without the frames before.
    void begin_again();

    // Returns how often a packet could not be decoded, a frame was decoded only in part, or reading failed.
    [[nodiscard]] std::uint64_t count() const { return num_errors() - ignored_; }

private:
    // The start of decoding. If reading starts between two key frames, the first frames have missing references.
    struct Entry {
        std::optional<std::int64_t> key_pts;  // of the first key frame
        bool has_key = false;
        bool starts_mid_gop = false;  // packets preceded the key frame, in the file or in display order
        bool passed = false;          // a frame at or after the key frame was decoded
    };

    // An error of a frame is counted before the decoder returns the frame, up to max_delay frames earlier.
    [[nodiscard]] std::uint64_t num_errors() const { return std::max<std::uint64_t>(damaged_, *decoder_errors_); }
    void note_entry(const AVPacket& packet);
    void note_entry(const AVFrame& av_frame);

    std::unique_ptr<av::ErrorCount> decoder_errors_ = std::make_unique<av::ErrorCount>(0);
    std::uint64_t damaged_ = 0;
    Entry entry_;
    std::uint64_t ignored_ = 0;  // errors about frames whose references are not in the file
    std::uint64_t errors_seen_ = 0;
    int suspect_frames_ = 0;                       // frames that were in the decoder when it reported an error
    bool frames_are_damaged_ = false;              // until the next key frame
    int packets_to_gap_ = 0;                       // packets from here to the first one after a gap; 0: none is known
    std::int64_t key_after_gap_ = AV_NOPTS_VALUE;  // time of the key frame that follows a gap; none: the lowest number
};

// Returns the text of VideoSource::incomplete for a file: DamageWatch::count and Demuxer::early_end.
[[nodiscard]] std::string incomplete_text(std::uint64_t damaged, const std::string& early_end);
// Joins two such texts, each of which may be empty.
[[nodiscard]] std::string joined_reasons(const std::string& first, const std::string& second);

}  // namespace throng
