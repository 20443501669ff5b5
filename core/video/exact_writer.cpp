#include "core/video/exact_writer.h"

#include "core/base/error.h"
#include "core/base/extension.h"
#include "core/video/animation_writer.h"
#include "core/video/exact_encoder.h"
#include "core/video/exact_muxer.h"

namespace throng {
namespace {

// Returns true for the demuxers whose animations are written as such.
const char* animation_of(const std::string& demuxer) {
    return demuxer == "gif" ? ".gif" : demuxer == "apng" ? ".png" : nullptr;
}

class H264Writer final : public ExactWriter {
public:
    H264Writer(const std::string& path, const VideoFormat& format, const ExactWriterOptions& options)
        : format_(format),
          encoder_name_(options.encoder.encoder),
          encoder_(format, options.encoder, path),
          muxer_(path, format, encoder_, options.audio) {}

    void write(const ExactFrame& frame) override {
        encoder_.encode(frame, write_);
        muxer_.copy_audio_until(frame.ticks);
    }
    void commit() override {
        encoder_.finish(write_);
        muxer_.commit();
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
    ExactMuxer muxer_;
    ExactEncoder::Write write_ = [this](AVPacket& packet) { muxer_.write(packet); };
};

}  // namespace

std::unique_ptr<ExactWriter> make_exact_writer(const std::string& path, const VideoFormat& format,
                                               const ExactWriterOptions& options) {
    const std::string extension = lower_extension(path);
    if (has_video_muxer(path)) return std::make_unique<H264Writer>(path, format, options);
    if (extension == ".gif" || extension == ".png" || extension == ".apng") {
        if (!options.audio.empty()) {
            throw Error(ErrorKind::usage, "an animation cannot hold audio", path, {"use %1", Setting{"audio", "drop"}});
        }
        return make_animation_writer(path, extension == ".gif", format);
    }
    throw Error(ErrorKind::usage, "unknown video file extension", path, "use a name that ends in .mp4 or .mkv");
}

std::string exact_extension(const std::string& path, const std::string& container) {
    if (const char* animation = animation_of(container)) {
        const std::string extension = lower_extension(path);
        return extension == ".apng" ? extension : animation;
    }
    return has_video_muxer(path) ? lower_extension(path) : ".mp4";
}

}  // namespace throng
