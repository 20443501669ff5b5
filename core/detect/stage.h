// Timing of the stages of a frame, with the same names on CPU and GPU.
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

namespace throng {

// Names in the order in which a frame passes them; a backend may add its own. All have static lifetime.
namespace stage {
inline constexpr std::string_view kDecode = "decode";
inline constexpr std::string_view kUpload = "upload";
inline constexpr std::string_view kGray = "gray";        // only if the frame has no luma plane
inline constexpr std::string_view kPyramid = "pyramid";  // resized gray images
inline constexpr std::string_view kIntegral = "integral";
inline constexpr std::string_view kCascade = "cascade";        // candidate windows to raw detections
inline constexpr std::string_view kGradient = "gradient";      // hog: magnitudes and orientations
inline constexpr std::string_view kHistogram = "histogram";    // hog: blocks of cells
inline constexpr std::string_view kNormalize = "normalize";    // hog: L2-Hys
inline constexpr std::string_view kSvm = "svm";                // hog: margins of all windows to raw detections
inline constexpr std::string_view kPreprocess = "preprocess";  // cnn: frame to input tensor
inline constexpr std::string_view kNetwork = "network";        // cnn: all layers
inline constexpr std::string_view kBoxes = "boxes";            // cnn: output maps to raw detections
inline constexpr std::string_view kNmsOrder = "nms_order";     // validation and sorting, if it is a separate stage
inline constexpr std::string_view kNmsMap = "nms_map";
inline constexpr std::string_view kNmsReduce = "nms_reduce";
inline constexpr std::string_view kDownload = "download";
inline constexpr std::string_view kTrack = "track";  // kept detections to tracks, on the host
inline constexpr std::string_view kTotal = "total";  // decoded frame to boxes on the host
}  // namespace stage

// Milliseconds that one frame spent in a stage. A stage that did not run has no entry, not a 0.
struct StageTime {
    std::string_view name;
    double ms;
};
using StageTimes = std::vector<StageTime>;

// A device that processes many frames per interval measures one of them: events around each stage cost up to a third of
// the throughput of small frames.
inline constexpr std::chrono::milliseconds kMeasuringInterval{10};
// Of a slower source one in so many, because measured frames are not replayed as graphs.
inline constexpr int kMeasuringFrames = 8;

// Collects the times of frames. One recorder per pipeline; used from the detect thread only.
// A CPU recorder returns a frame's times at its end_frame, a GPU recorder some frames later. Neither waits.
class StageRecorder {
public:
    StageRecorder() = default;
    StageRecorder(const StageRecorder&) = delete;
    StageRecorder& operator=(const StageRecorder&) = delete;
    virtual ~StageRecorder() = default;

    virtual void begin(std::string_view name) = 0;
    virtual void end(std::string_view name) = 0;
    // Adds a time measured elsewhere (decode, on another thread) to the current frame.
    virtual void add(std::string_view name, double ms) = 0;

    // Closes the current frame. Returns the times of the newest completely measured frame, which may be an earlier one;
    // empty if there is none. A frame without stages is not measured.
    virtual const StageTimes& end_frame() = 0;
};

// Measures a scope with the recorder.
class ScopedStage {
public:
    ScopedStage(StageRecorder& recorder, std::string_view name) : recorder_(recorder), name_(name) {
        recorder_.begin(name_);
    }
    ~ScopedStage() { recorder_.end(name_); }
    ScopedStage(const ScopedStage&) = delete;
    ScopedStage& operator=(const ScopedStage&) = delete;

private:
    StageRecorder& recorder_;
    std::string_view name_;
};

}  // namespace throng
