// A source and a backend whose behavior a test chooses.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/sleep.h"
#include "core/detect/backend.h"
#include "core/frame/frame_pool.h"
#include "core/pipeline/pipeline.h"
#include "tests/support/eventually.h"
#include "tests/unit/pipeline/recording_sink.h"

namespace throng::test {

// Counts frames from 0; the first sample of frame n is n % 256.
class FakeSource final : public VideoSource {
public:
    struct Plan {
        std::int64_t frames = 10;
        int width = 16;
        int height = 16;
        double fps = 100;
        bool live = false;
        std::int64_t breaks_at = -1;             // throws instead of this frame
        std::chrono::milliseconds read_time{0};  // of every frame
        std::int64_t waits_at = -1;              // this frame never arrives
        std::int64_t resizes_at = -1;            // frames from here on are twice as wide
        bool device = false;                     // frames in device memory, until it resumes on the host
        std::int64_t device_ends_at = -1;        // the decoder of the device ends here
        bool resumes = true;                     // can resume in host memory
        std::string incomplete;                  // reported at the end
        std::int64_t damaged_at = -1;            // this frame is damaged
        std::uint64_t reconnects = 0;
        std::shared_ptr<std::atomic<int>> seeks = std::make_shared<std::atomic<int>>(0);  // counts them
        std::shared_ptr<std::atomic<int>> reads = std::make_shared<std::atomic<int>>(0);
        std::shared_ptr<std::atomic<bool>> loops = std::make_shared<std::atomic<bool>>(false);  // the last set_loop
    };

    explicit FakeSource(const Plan& plan) : plan_(plan) {}

    ReadStatus read(Frame& frame, std::stop_token stop) override {
        ++*plan_.reads;
        if (next_ == plan_.waits_at) static_cast<void>(sleep_for(std::chrono::hours(1), stop));
        if (plan_.read_time.count() > 0) static_cast<void>(sleep_for(plan_.read_time, stop));
        if (stop.stop_requested()) return ReadStatus::timeout;
        if (next_ == plan_.breaks_at) throw Error(ErrorKind::input, "the data is broken", "fake");
        if (next_ >= plan_.frames || (plan_.device && next_ == plan_.device_ends_at)) {
            incomplete_ = plan_.incomplete;
            return ReadStatus::end;
        }
        const bool wide = plan_.resizes_at >= 0 && next_ >= plan_.resizes_at;
        WritableFrame writable = pool_.take(PixelFormat::gray8, plan_.width * (wide ? 2 : 1), plan_.height);
        writable.info().index = next_;
        writable.info().pts = static_cast<double>(next_) / plan_.fps;
        writable.info().captured = std::chrono::steady_clock::now();
        *writable.data(0) = static_cast<std::uint8_t>(next_);
        if (plan_.device) writable.info().memory = MemoryKind::device;
        writable.info().damaged = next_ == plan_.damaged_at;
        frame = std::move(writable).finish();
        return next_++ == plan_.resizes_at ? ReadStatus::format_changed : ReadStatus::frame;
    }

    bool seek(double seconds) override {
        next_ = static_cast<std::int64_t>(seconds * plan_.fps);
        ++*plan_.seeks;
        return true;
    }

    void set_loop(bool loop) override { *plan_.loops = loop; }

    [[nodiscard]] std::uint64_t reconnects() const override { return plan_.reconnects; }

    bool resume_on_host(std::int64_t index, double) override {
        if (!plan_.resumes) return false;
        plan_.device = false;
        next_ = index + 1;
        return true;
    }

    [[nodiscard]] std::string incomplete() const override { return incomplete_; }

    [[nodiscard]] SourceInfo info() const override {
        SourceInfo info;
        info.name = "fake";
        info.width = plan_.width;
        info.height = plan_.height;
        info.fps = plan_.fps;
        info.live = plan_.live;
        info.seekable = !plan_.live;
        return info;
    }

private:
    Plan plan_;
    FramePool pool_;
    std::int64_t next_ = 0;
    std::string incomplete_;
};

// Records stage times; begin and end record 0.5 ms.
class FakeRecorder final : public StageRecorder {
public:
    void begin(std::string_view) override {}
    void end(std::string_view name) override { current_.push_back({name, 0.5}); }
    void add(std::string_view name, double ms) override { current_.push_back({name, ms}); }
    const StageTimes& end_frame() override {
        if (!current_.empty()) finished_ = std::exchange(current_, {});
        return finished_;
    }

private:
    StageTimes current_;
    StageTimes finished_;
};

// Returns `boxes(frame)` detections with score = index of the frame. NMS keeps all that fit.
class FakeBackend final : public Backend {
public:
    struct Plan {
        std::function<std::uint32_t(std::int64_t frame)> boxes = [](std::int64_t) { return 2U; };
        // Candidates of a frame: the detector has memory for 100 until it needs more, and finds nothing without.
        std::function<std::uint32_t(std::int64_t frame)> candidates = [](std::int64_t) { return 0U; };
        std::function<void(DetectionSet&)> changes;  // if set: what is read back after NMS
        std::int64_t fails_at = -1;  // the detector throws from this frame on; this frame may be dropped
        ErrorKind failure = ErrorKind::internal;
        std::chrono::milliseconds detect_time{0};
        std::optional<DetectorId> only_kind;  // detectors of other kinds find nothing and never fail; none: all do
        std::string missing_model;            // make_detector throws for it
        // configure throws for parameters of this kind and minimum size; 0: never
        std::optional<DetectorId> rejecting_kind;
        int rejected_size = 0;
        std::shared_ptr<std::map<DetectorId, DetectorParams>> configured;  // if set: the last ones of each kind
        std::string name = "fake";
        BackendKind kind = BackendKind::cpu;
        std::optional<float> score_threshold;                                                // of the detectors
        std::shared_ptr<std::atomic<int>> min_hits = std::make_shared<std::atomic<int>>(0);  // of the last NMS
        int in_flight = 1;
        std::int64_t fails_late_at = -1;  // work enqueued for this frame fails when the readback waits for it
        bool reads_device = true;         // accepts frames in device memory; false: they are an error
        bool device_failed = false;       // check() throws
        int detectors = -1;               // so many can be made, then make_detector throws
        int buffers = -1;                 // so many can be made, then make_buffer throws
        std::int32_t most = -1;           // there is no memory for buffers of more detections
        std::shared_ptr<std::atomic<int>> rejected = std::make_shared<std::atomic<int>>(0);  // counts those
        DeviceMemory memory;  // total 0: no memory of its own
        std::vector<DetectorSwitch> switches;
        // Counters of frames in flight.
        std::shared_ptr<std::atomic<int>> running = std::make_shared<std::atomic<int>>(0);
        std::shared_ptr<std::atomic<int>> max_running = std::make_shared<std::atomic<int>>(0);
    };

    FakeBackend() : FakeBackend(Plan{}) {}
    explicit FakeBackend(Plan plan) : plan_(std::make_shared<Plan>(std::move(plan))) {}

    [[nodiscard]] BackendKind kind() const override { return plan_->kind; }
    [[nodiscard]] std::string name() const override { return plan_->name; }
    [[nodiscard]] std::string description() const override { return "a backend for tests"; }

    std::unique_ptr<Detector> make_detector(const DetectorParams& params) override {
        if (!params.model.empty() && params.model == plan_->missing_model) {
            throw Error(ErrorKind::unavailable, "no such model", params.model);
        }
        if (plan_->detectors >= 0 && detectors_++ >= plan_->detectors) {
            throw Error(ErrorKind::unavailable, "no memory", "fake");
        }
        return std::make_unique<FakeDetector>(plan_, !plan_->only_kind || plan_->only_kind == params.kind);
    }
    std::unique_ptr<Nms> make_nms() override { return std::make_unique<FakeNms>(plan_); }
    DetectionBuffer make_buffer(std::int32_t capacity, const OptionalFields& optional_fields) override {
        if (plan_->most >= 0 && capacity > plan_->most) {
            ++*plan_->rejected;
            if (plan_->kind == BackendKind::cpu) throw std::bad_alloc();
            throw Error(ErrorKind::unavailable, "no memory", "fake");
        }
        if (plan_->buffers >= 0 && buffers_++ >= plan_->buffers) {
            throw Error(ErrorKind::internal, "the device failed", "fake");
        }
        if (!plan_->reads_device) return make_host_buffer(capacity, optional_fields);
        const auto buffer = std::make_shared<DetectionBuffer>(make_host_buffer(capacity, optional_fields));
        return DetectionBuffer(MemoryKind::device, buffer->span(), buffer);  // only declared as device memory
    }
    std::unique_ptr<StageRecorder> make_recorder() override { return std::make_unique<FakeRecorder>(); }

    void download(const DetectionBuffer& buffer, DetectionSet& out) override {
        const DetectionSpan& span = buffer.span();
        out = {};
        out.total = span.count->total;
        out.candidates = span.count->candidates;
        const auto n = std::min<std::uint32_t>(out.total, static_cast<std::uint32_t>(span.capacity));
        for (std::uint32_t i = 0; i < n; ++i) out.detections.push_back({span.boxes[i], span.scores[i], 1, -1});
    }
    void upload(const DetectionSet&, DetectionBuffer&) override {}
    [[nodiscard]] int frames_in_flight() const override { return plan_->in_flight; }
    std::unique_ptr<FrameReadback> make_readback() override { return std::make_unique<FakeReadback>(*this); }
    [[nodiscard]] std::optional<DeviceMemory> device_memory() const override {
        return plan_->memory.total > 0 ? std::optional(plan_->memory) : std::nullopt;
    }
    void check() override {
        if (plan_->device_failed) throw Error(ErrorKind::internal, "the device failed", "fake");
    }

private:
    // Reads the buffers as late as the interface allows.
    class FakeReadback final : public FrameReadback {
    public:
        explicit FakeReadback(FakeBackend& backend) : backend_(backend) {}
        void start(const DetectionBuffer& raw, const DetectionBuffer& kept, const Frame& frame,
                   Requested requested) override {
            raw_ = &raw;
            kept_ = &kept;
            raw_boxes_ = requested.raw_boxes;
            index_ = frame.info().index;
            const int running = ++*backend_.plan_->running;
            if (running > *backend_.plan_->max_running) *backend_.plan_->max_running = running;
        }
        void finish(DetectionSet& raw, DetectionSet& kept, Frame&) override {
            --*backend_.plan_->running;
            if (index_ == backend_.plan_->fails_late_at) {
                throw Error(backend_.plan_->failure, "the device failed", "fake");
            }
            backend_.download(*kept_, kept);
            if (backend_.plan_->changes) backend_.plan_->changes(kept);
            backend_.download(raw_boxes_ ? DetectionBuffer(raw_->memory(), raw_->span(), nullptr) : count_of(*raw_),
                              raw);
        }

    private:
        FakeBackend& backend_;
        const DetectionBuffer* raw_ = nullptr;
        const DetectionBuffer* kept_ = nullptr;
        bool raw_boxes_ = false;
        std::int64_t index_ = -1;
    };

    class FakeDetector final : public Detector {
    public:
        FakeDetector(std::shared_ptr<const Plan> plan, bool finds) : plan_(std::move(plan)), finds_(finds) {}
        void enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder) override {
            const ScopedStage stage(recorder, stage::kCascade);
            const std::int64_t index = frame.info().index;
            if (!plan_->reads_device && frame.info().memory == MemoryKind::device) {
                throw Error(ErrorKind::internal, "this memory cannot be read", "fake");
            }
            if (finds_ && plan_->fails_at >= 0 && index >= plan_->fails_at)
                throw Error(plan_->failure, "the device failed", "fake");
            std::this_thread::sleep_for(plan_->detect_time);
            const DetectionSpan& span = raw.span();
            const std::uint32_t candidates = plan_->candidates(index);
            const bool complete = candidates <= reserved_;
            const std::uint32_t boxes = finds_ ? plan_->boxes(index) : 0;
            *span.count = {complete || boxes == 0 ? boxes : boxes - 1, 0, complete ? 0 : candidates};
            for (std::uint32_t i = 0;
                 i < std::min<std::uint32_t>(span.count->total, static_cast<std::uint32_t>(span.capacity)); ++i) {
                span.boxes[i] = {static_cast<float>(i), 0, 10, 10};
                span.scores[i] = static_cast<float>(index);
            }
        }
        bool reserve(std::uint32_t candidates) override {
            reserved_ = std::max(reserved_, candidates);
            return candidates > 0;
        }
        void configure(const DetectorParams& params) override {
            if (params.kind == plan_->rejecting_kind && params.min_size == plan_->rejected_size) {
                throw Error(ErrorKind::usage, "this size is rejected", "fake");
            }
            chosen_ = params.switches;
            if (plan_->configured) (*plan_->configured)[params.kind] = params;
        }
        [[nodiscard]] std::optional<float> score_threshold() const override { return plan_->score_threshold; }
        [[nodiscard]] std::vector<DetectorSwitch> switches() const override {
            std::vector<DetectorSwitch> all = plan_->switches;
            for (DetectorSwitch& each : all) {
                if (const auto choice = chosen_.find(each.id); choice != chosen_.end()) each.chosen = choice->second;
            }
            return all;
        }

    private:
        std::shared_ptr<const Plan> plan_;
        bool finds_;
        std::uint32_t reserved_ = 100;
        std::map<std::string, std::string> chosen_;
    };

    class FakeNms final : public Nms {
    public:
        explicit FakeNms(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}
        void enqueue(const DetectionBuffer& raw, DetectionBuffer& kept, const NmsParams& params,
                     StageRecorder& recorder) override {
            const ScopedStage stage(recorder, stage::kNmsMap);
            *plan_->min_hits = params.min_hits;
            const auto n = std::min<std::uint32_t>(raw.span().count->total, static_cast<std::uint32_t>(raw.capacity()));
            *kept.span().count = {n, 0};
            std::copy_n(raw.span().boxes, n, kept.span().boxes);
            std::copy_n(raw.span().scores, n, kept.span().scores);
        }

    private:
        std::shared_ptr<const Plan> plan_;
    };

    std::shared_ptr<const Plan> plan_;
    std::atomic<int> detectors_ = 0;  // made
    int buffers_ = 0;                 // made
};

// A pipeline of fakes with a RecordingSink.
struct Trial {
    std::shared_ptr<RecordingSink> sink = std::make_shared<RecordingSink>();
    std::unique_ptr<Pipeline> pipeline;

    Trial(const FakeSource::Plan& source, const FakeBackend::Plan& backend = {}, const PipelineOptions& options = {},
          const PipelineSettings& settings = {})
        : pipeline(std::make_unique<Pipeline>(std::make_unique<FakeSource>(source),
                                              std::make_shared<FakeBackend>(backend), settings, options)) {
        pipeline->add_sink(sink);
    }
    void run() {
        pipeline->start();
        pipeline->wait();
    }
};

// Pauses, then seeks to a distant frame of a fake source, so that no other frame is in flight.
[[nodiscard]] inline bool pause_at(Pipeline& pipeline, std::int64_t frame) {
    pipeline.pause(true);
    pipeline.seek(static_cast<double>(frame) / FakeSource::Plan{}.fps);
    return eventually([&] { return pipeline.latest() && pipeline.latest()->frame.info().index == frame; });
}

}  // namespace throng::test
