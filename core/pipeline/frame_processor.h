// One frame through detector and NMS of one backend: owns what the detect thread works with.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/detect/backend.h"
#include "core/pipeline/frame_result.h"
#include "core/pipeline/handover.h"
#include "core/pipeline/pipeline_settings.h"

namespace throng {

// Used from one thread.
class FrameProcessor {
public:
    // Throws what Backend::make_detector throws.
    FrameProcessor(std::shared_ptr<Backend> backend, const PipelineSettings& settings);

    // Takes over new settings between two frames. Throws as the constructor and keeps the former ones then.
    void apply(const PipelineSettings& settings);
    [[nodiscard]] const PipelineSettings& settings() const noexcept { return settings_; }
    [[nodiscard]] std::string backend_name() const { return backend_->name(); }

    struct Outcome {
        std::shared_ptr<const FrameResult> result;
        bool overflowed = false;  // wanted more than the capacity; the buffers have grown for the next frame
    };
    // lossless: a frame that wanted more than the capacity runs again in the larger buffers, so that none of its
    // detections is lost (up to capacity_limit).
    [[nodiscard]] Outcome run(const DecodedFrame& decoded, bool lossless);

private:
    void set_capacity(std::int32_t capacity);
    [[nodiscard]] bool grow(std::uint32_t wanted);
    void download(FrameResult& result);

    std::shared_ptr<Backend> backend_;
    PipelineSettings settings_;
    std::unique_ptr<Detector> detector_;
    std::unique_ptr<Nms> nms_;
    std::unique_ptr<StageRecorder> recorder_;
    DetectionBuffer raw_;
    DetectionBuffer kept_;
};

}  // namespace throng
