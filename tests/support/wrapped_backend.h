// A backend that passes everything on to another one, except what a test does to each frame.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "core/detect/backend.h"

namespace throng::test {

class WrappedBackend final : public Backend {
public:
    // Called instead of the detector's `enqueue`, which it may call. Every detector has a copy, with its own state.
    using OnFrame = std::function<void(const Frame& frame, const std::function<void()>& enqueue)>;

    // in_flight: number of frames in flight; 0: that of the other backend.
    WrappedBackend(std::shared_ptr<Backend> inner, OnFrame on_frame, int in_flight = 0)
        : inner_(std::move(inner)), on_frame_(std::move(on_frame)), in_flight_(in_flight) {}

    [[nodiscard]] BackendKind kind() const override { return inner_->kind(); }
    [[nodiscard]] std::string name() const override { return inner_->name(); }
    [[nodiscard]] std::string description() const override { return inner_->description(); }
    std::unique_ptr<Detector> make_detector(const DetectorParams& params) override {
        return std::make_unique<WrappedDetector>(inner_->make_detector(params), on_frame_);
    }
    std::unique_ptr<Nms> make_nms() override { return inner_->make_nms(); }
    DetectionBuffer make_buffer(std::int32_t capacity, const OptionalFields& optional_fields) override {
        return inner_->make_buffer(capacity, optional_fields);
    }
    std::unique_ptr<StageRecorder> make_recorder() override { return inner_->make_recorder(); }
    void download(const DetectionBuffer& buffer, DetectionSet& out) override { inner_->download(buffer, out); }
    void upload(const DetectionSet& in, DetectionBuffer& buffer) override { inner_->upload(in, buffer); }
    [[nodiscard]] int frames_in_flight() const override {
        return in_flight_ > 0 ? in_flight_ : inner_->frames_in_flight();
    }
    std::unique_ptr<FrameReadback> make_readback() override { return inner_->make_readback(); }
    void check() override { inner_->check(); }

private:
    class WrappedDetector final : public Detector {
    public:
        WrappedDetector(std::unique_ptr<Detector> inner, OnFrame on_frame)
            : inner_(std::move(inner)), on_frame_(std::move(on_frame)) {}
        void enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder) override {
            on_frame_(frame, [&] { inner_->enqueue(frame, raw, recorder); });
        }
        bool reserve(std::uint32_t candidates) override { return inner_->reserve(candidates); }
        void configure(const DetectorParams& params) override { inner_->configure(params); }

    private:
        std::unique_ptr<Detector> inner_;
        OnFrame on_frame_;
    };

    std::shared_ptr<Backend> inner_;
    OnFrame on_frame_;
    int in_flight_;
};

}  // namespace throng::test
