// Detection for the C library and the Python module: a detector for single images, and a stream of a source's frames.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/bounded_queue.h"
#include "core/detect/backend.h"
#include "core/detect/chosen_settings.h"
#include "core/frame/device_converter.h"
#include "core/frame/frame_pool.h"
#include "core/pipeline/engine.h"
#include "core/pipeline/pipeline.h"
#include "core/redact/device_redactor.h"
#include "core/redact/redact.h"
#include "core/video/media_module.h"

namespace throng::api {

enum class Pixels : std::uint8_t { decoded, gray, bgr, rgb };

struct DetectionOptions {
    BackendKind backend = BackendKind::automatic;
    int device = 0;
    ChosenSettings chosen;
    // Of streams:
    std::stop_token stop;              // ends opening and waiting
    bool track = false;                // FrameResult::tracks
    std::optional<std::string> count;  // of StreamCounts, which needs tracks
    std::optional<RedactStyle> hide;   // faces are hidden in the pixels that image() returns
    Pixels pixels = Pixels::decoded;   // the format of image()
};

// Image in the caller's memory. Planes and pitches as in throng_image.
struct ImageView {
    PixelFormat format = PixelFormat::gray8;
    int width = 0;
    int height = 0;
    ColorRange range = ColorRange::limited;  // of NV12 and YUV420P, as is the matrix
    ColorMatrix matrix = ColorMatrix::bt709;
    MemoryKind memory = MemoryKind::host;
    int step = 3;            // of bgr24: bytes per pixel; 4: one is not read
    bool red_first = false;  // of bgr24: red, green, blue
    const void* planes[Frame::kMaxPlanes] = {};
    std::ptrdiff_t pitch[Frame::kMaxPlanes] = {};
    // Describe a frame in a sequence, as in FrameInfo:
    std::int64_t index = 0;
    double pts = 0;
    bool damaged = false;
};

// Hides boxes in place. The planes must be writable. Throws Error(usage) as ImageDetector::detect does, and for device
// memory, which ImageDetector::hide takes.
void hide_in(const ImageView& image, const RedactRegions& regions, const RedactOptions& options);

// Returns the settings for single images. Throws Error(usage) naming the setting that is wrong.
[[nodiscard]] PipelineSettings image_settings(const DetectionOptions& options);
// The same for a sequence of frames: with tracks and hiding as the options say. What is hidden is decided kLiveDelay
// frames later.
[[nodiscard]] PipelineSettings stream_settings(const DetectionOptions& options);

// Not thread-safe, except that backend() may be called from any thread.
class ImageDetector {
public:
    // Throws Error as Backend::make_detector does.
    explicit ImageDetector(const DetectionOptions& options) : ImageDetector(options, image_settings(options)) {}
    ImageDetector(const DetectionOptions& options, const PipelineSettings& settings);
    // A detector with the same options for another thread. On the CPU, it shares the model, which is not read again.
    // Throws as the others do.
    ImageDetector(const ImageDetector& other);
    ImageDetector& operator=(const ImageDetector&) = delete;

    // Detects in an image; a host image is copied, because decoders and detectors read beyond the end of rows. Throws
    // Error(usage) with the name of the field for an image that cannot be read.
    [[nodiscard]] std::shared_ptr<const FrameResult> detect(const ImageView& image);
    // Returns true if images at this address in device memory can be passed: by the backend in use, on its device.
    [[nodiscard]] bool can_read(const void* device_address);
    // Does as hide_in, also in device memory for which can_read returns true. Blocks until the boxes are hidden. Throws
    // Error as DeviceRedactor::redact does, too.
    void hide(const ImageView& image, const RedactRegions& regions, const RedactOptions& options);
    // The backend in use: with `auto`, the CPU's after a failure of the GPU.
    [[nodiscard]] BackendKind backend() const noexcept { return backend_; }

private:
    void note_backend();

    DetectionOptions options_;
    Engine engine_;
    std::atomic<BackendKind> backend_ = BackendKind::automatic;
    FramePool pool_;
    std::unique_ptr<DeviceConverter> device_;  // made when it is first used, as the next one
    std::unique_ptr<DeviceRedactor> redactor_;
};

// Results of a pipeline, in order, for one thread that asks for them.
class ResultQueue final : public ResultSink {
public:
    void write(const FrameResult& result) override;  // blocks while results wait, until abandon()
    void close() override;

    // Waits for a result. Returns null after the last one (see has_ended), after the time and after a stop request.
    [[nodiscard]] std::shared_ptr<const FrameResult> pop(std::optional<std::chrono::milliseconds> timeout,
                                                         const std::stop_token& stop);
    [[nodiscard]] bool has_ended() const noexcept { return ended_; }
    void abandon();  // discards all results from now on

private:
    BoundedQueue<std::shared_ptr<const FrameResult>> results_{2};
    std::stop_source abandoned_;
    bool ended_ = false;  // of the thread that pops
};

// Not thread-safe, except that stop() may be called from any thread.
class SourceStream {
public:
    // Returns when the source is open and the detector made. Throws Error as open_source and Backend::make_detector do.
    SourceStream(const std::string& source, const DetectionOptions& options);
    ~SourceStream();
    SourceStream(const SourceStream&) = delete;
    SourceStream& operator=(const SourceStream&) = delete;

    // Returns the next result; null at the end and after the time. Throws the error that ended the pipeline, and
    // Error(input) after the last frame of a source that is damaged or truncated. Error(interrupted) after stop().
    [[nodiscard]] std::shared_ptr<const FrameResult> next(std::optional<std::chrono::milliseconds> timeout);
    void stop() { stopped_.request_stop(); }

    // Returns the image of a result for the user, as DetectionOptions say. Never shows what must be hidden. Of rgb, a
    // bgr24 frame whose first bytes are red.
    [[nodiscard]] Frame image(const FrameResult& result);
    [[nodiscard]] bool has_ended() const { return results_->has_ended(); }

private:
    std::string source_;
    const Pixels pixels_;
    const std::optional<RedactStyle> hide_;
    FramePool pool_;
    BgrCopy bgr_copy_;  // made when it is first used
    std::stop_source stopped_;
    std::stop_callback<std::function<void()>> on_stop_;  // of DetectionOptions::stop
    std::shared_ptr<ResultQueue> results_;
    std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace throng::api
