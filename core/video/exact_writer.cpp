#include "core/video/exact_writer.h"

#include "core/base/error.h"
#include "core/base/extension.h"
#include "core/video/animation_writer.h"
#include "core/video/exact_encoder.h"
#include "core/video/formats.h"
#include "core/video/muxer.h"

namespace throng {
namespace {

class H264Writer final : public ExactWriter {
public:
    H264Writer(const std::string& path, const VideoFormat& format, const ExactWriterOptions& options)
        : format_(format),
          encoder_name_(options.encoder.encoder),
          encoder_(format, options.encoder, path),
          muxer_(path, format_of_name(path).muxer, result_file(path), options.audio) {
        begin_result(muxer_, encoder_, format);
    }

    void write(const ExactFrame& frame) override {
        encoder_.encode(frame, write_);
        muxer_.copy_audio_until(static_cast<double>(frame.ticks) * av_q2d(format_.time_base));
    }
    void commit() override {
        encoder_.finish(write_);
        muxer_.copy_audio_rest();
        muxer_.finish();
    }
    [[nodiscard]] std::vector<std::string> notes() const override {
        std::vector<std::string> notes = encoding_notes(format_, encoder_name_, encoder_.scaled_frames());
        for (std::string& note : muxer_.audio_notes()) notes.push_back(std::move(note));
        return notes;
    }
    [[nodiscard]] std::string incomplete() const override { return muxer_.audio_incomplete(); }

private:
    VideoFormat format_;
    std::string encoder_name_;
    ExactEncoder encoder_;
    Muxer muxer_;
    ExactEncoder::Write write_ = [this](AVPacket& packet) { muxer_.write(packet); };
};

}  // namespace

std::unique_ptr<ExactWriter> make_exact_writer(const std::string& path, const VideoFormat& format,
                                               const ExactWriterOptions& options) {
    if (names_video(path)) return std::make_unique<H264Writer>(path, format, options);
    if (names_animation(path)) {
        if (!options.audio.empty()) {
            throw Error(ErrorKind::usage, "an animation cannot hold audio", path, {"use %1", Setting{"audio", "drop"}});
        }
        return make_animation_writer(path, format);
    }
    throw Error(ErrorKind::usage, "unknown video file extension", path, "use a name that ends in .mp4 or .mkv");
}

std::string exact_extension(const std::string& path, const std::string& container) {
    const std::string extension = lower_extension(path);
    if (container == "gif") return ".gif";
    if (container == "apng") return extension == ".apng" ? extension : ".png";
    return names_video(path) ? extension : ".mp4";
}

void begin_result(Muxer& muxer, const ExactEncoder& encoder, const VideoFormat& format) {
    // Omits the names and versions of the libraries, and random identifiers.
    muxer.context().flags |= AVFMT_FLAG_BITEXACT;
    av::Dictionary none;
    muxer.begin(encoder.codec(), format.time_base, format.sample_aspect_ratio, format.first_frame, none);
}

}  // namespace throng
