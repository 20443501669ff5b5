#include "gpu/cnn/batching_detector.h"

#include <optional>
#include <utility>

#include "core/model/onnx_reader.h"
#include "gpu/cnn/cnn_detector.h"
#include "gpu/cnn/dynamic_batcher.h"

namespace throng::gpu {
namespace {

// Pixels of a frame. Smaller ones are processed faster alone, as one graph each (gpu/README.md).
constexpr int kSharedPixels = 1 << 20;

class BatchingDetector final : public CudaDetector {
public:
    BatchingDetector(StreamView stream, const DeviceInfo& device, Network network, const DetectorParams& params)
        : stream_(stream), device_(device), alone_(stream, device, std::move(network), params) {
        join();
    }

    void enqueue_with(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder,
                      const FollowingWork& next) override {
        // Frames in host memory are uploaded by the thread of their own source.
        const bool large = frame.width() * frame.height() >= kSharedPixels;
        const bool fits = large && frame.info().memory == MemoryKind::device && raw.memory() == MemoryKind::device;
        const bool can_share = source_ && source_->can_share(fits);
        if (!can_share || !source_->enqueue(frame, raw, recorder, stream_)) {
            alone_.enqueue_with(frame, raw, recorder, next);
            return;
        }
        alone_.release_read_frames();  // its decoder needs those from before there were other sources
        if (next.enqueue) next.enqueue(recorder);
    }

    void configure(const DetectorParams& params) override {
        alone_.configure(params);
        join();
    }

    [[nodiscard]] std::optional<float> score_threshold() const override { return alone_.score_threshold(); }
    [[nodiscard]] OptionalFields optional_fields() const override { return alone_.optional_fields(); }
    [[nodiscard]] std::vector<DetectorSwitch> switches() const override { return alone_.switches(); }

private:
    void join() {
        source_.reset();
        if (alone_.chosen_switches().batch)
            source_.emplace(DynamicBatcher::of(device_, alone_.network(), alone_.params()));
    }

    StreamView stream_;
    DeviceInfo device_;
    CnnDetector alone_;
    std::optional<DynamicBatcher::Source> source_;
};

}  // namespace

std::unique_ptr<Detector> make_cnn_detector(StreamView stream, const DeviceInfo& device, const DetectorParams& params) {
    check_params(params);
    return std::make_unique<BatchingDetector>(stream, device, read_network(params), params);
}

}  // namespace throng::gpu
