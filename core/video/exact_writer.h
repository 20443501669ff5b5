// Writes the frames of a video file again: with the time stamps and colors of the input, and nothing else of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/video/exact_encoder.h"
#include "core/video/exact_frame.h"
#include "core/video/muxer.h"

namespace throng {

struct ExactWriterOptions {
    ExactEncoderOptions encoder{};  // for H.264
    std::string audio{};            // media file that the frames come from: all its audio is copied; empty: none
};

// The file has one video stream and the requested audio: no data, subtitles, timecode, attachments or metadata. It gets
// its name when it is complete (AtomicFile). Not thread-safe.
class ExactWriter {
public:
    ExactWriter() = default;
    ExactWriter(const ExactWriter&) = delete;
    ExactWriter& operator=(const ExactWriter&) = delete;
    virtual ~ExactWriter() = default;  // discards a file that was not committed

    // Frames of another size than the first are scaled to fit on a black background. Throws Error(input) if the file
    // cannot be written, Error(unavailable) if the encoder fails. The writer must then be destroyed.
    virtual void write(const ExactFrame& frame) = 0;
    // Finishes the file and gives it its name. Throws Error(input).
    virtual void commit() = 0;
    // As encoding_notes, and after commit about the audio.
    [[nodiscard]] virtual std::vector<std::string> notes() const = 0;
    // After commit: why the audio is not that of a whole file, as VideoSource::incomplete.
    [[nodiscard]] virtual std::string incomplete() const { return ""; }
};

// path: mp4, m4v, mov and mkv are written as H.264; gif and apng (or png) as animations. Throws Error(usage) for another
// extension, for audio in an animation and for audio that the container cannot hold, Error(input) if the file cannot be
// created or has no audio to copy, Error(unavailable) without the encoder.
[[nodiscard]] std::unique_ptr<ExactWriter> make_exact_writer(const std::string& path, const VideoFormat& format,
                                                             const ExactWriterOptions& options);

// Returns the extension with which a file of this name and demuxer is written: its own if make_exact_writer takes it,
// otherwise ".mp4".
[[nodiscard]] std::string exact_extension(const std::string& path, const std::string& container);

// Begins a file of the encoder's packets.
void begin_result(Muxer& muxer, const ExactEncoder& encoder, const VideoFormat& format);

}  // namespace throng
