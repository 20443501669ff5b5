#include "core/detect/backend.h"

#include <utility>

namespace throng {
namespace {

// Copies in start, for backends whose work is complete when enqueue returns.
class ImmediateFetch final : public FrameReadback {
public:
    explicit ImmediateFetch(Backend& backend) : backend_(backend) {}

    void start(const DetectionBuffer& raw, const DetectionBuffer& kept, const Frame& frame,
               Requested requested) override {
        backend_.download(kept, kept_);
        backend_.download(requested.raw_boxes ? DetectionBuffer(raw.memory(), raw.span(), nullptr) : count_of(raw),
                          raw_);
        image_ = requested.image && frame.info().memory == MemoryKind::device ? frame.on_host() : Frame();
    }

    void finish(DetectionSet& raw, DetectionSet& kept, Frame& frame) override {
        raw = std::exchange(raw_, {});
        kept = std::exchange(kept_, {});
        if (image_) frame = std::exchange(image_, {});
    }

private:
    Backend& backend_;
    DetectionSet raw_;
    DetectionSet kept_;
    Frame image_;
};

}  // namespace

std::string Backend::name() const {
    return std::string(name_of(kBackendNames, kind()));
}

void Backend::enqueue_frame(const FrameWork& work, StageRecorder& recorder) {
    work.detector.enqueue(work.frame, work.raw, recorder);
    work.nms.enqueue(work.raw, work.kept, work.params, recorder);
    const ScopedStage stage(recorder, stage::kDownload);
    work.readback.start(work.raw, work.kept, work.frame, work.requested);
}

std::unique_ptr<FrameReadback> Backend::make_readback() {
    return std::make_unique<ImmediateFetch>(*this);
}

DetectionBuffer count_of(const DetectionBuffer& buffer) {
    DetectionSpan span = buffer.span();
    span.capacity = 0;
    return DetectionBuffer(buffer.memory(), span, nullptr);
}

}  // namespace throng
