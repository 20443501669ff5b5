// The implementation of Pipeline: the detect thread, and the state that both threads and the façade share.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/base/in_flight_limiter.h"
#include "core/base/rate_meter.h"
#include "core/pipeline/auto_quality.h"
#include "core/pipeline/carry.h"
#include "core/pipeline/decode_loop.h"
#include "core/pipeline/engine.h"
#include "core/pipeline/frame_queue.h"
#include "core/pipeline/hiding_queue.h"
#include "core/pipeline/pipeline.h"
#include "core/pipeline/playback.h"
#include "core/pipeline/sink_list.h"

namespace throng {

class Pipeline::Impl {
public:
    Impl(std::unique_ptr<VideoSource> source, std::shared_ptr<Backend> backend, const PipelineSettings& settings,
         const PipelineOptions& options)
        : options_(options),
          live_(source->info().live),
          keeps_open_(options.real_time && !live_),
          playback_({live_, options.real_time && !live_, options.loop, options.speed}),
          keeps_newest_(live_ || options.real_time),
          max_in_flight_(std::max(backend->frames_in_flight(), 1)),
          limiter_(options.shared_permits ? options.shared_permits : std::make_shared<SharedPermits>(max_in_flight_),
                   max_in_flight_ + 1),
          queue_(keeps_newest_ ? 1 : static_cast<std::size_t>(max_in_flight_) + 1),
          decode_(std::move(source), playback_, queue_,
                  {keeps_newest_ ? nullptr : &limiter_, keeps_open_, options.max_frames, options.source_number,
                   keeps_newest_ ? [this](const DecodedFrame& decoded) { show_early(decoded); }
                                 : std::function<void(const DecodedFrame&)>()}),
          engine_(backend, settings, options.fallback),
          backend_(std::move(backend)),
          settings_(settings),
          statistics_(options.timing_window) {
        check_settings(settings);
    }

    ~Impl() { stop(); }

    void start();
    void stop();
    void update(const PipelineSettings& settings);
    [[nodiscard]] std::shared_ptr<Backend> backend() const {
        const std::lock_guard lock(mutex_);
        return backend_;
    }

private:
    friend class Pipeline;
    enum class Phase { idle, active, ended, failed };

    void detect_thread(const std::stop_token& stop);
    void detect(const std::stop_token& stop);
    [[nodiscard]] bool handle_event(PopStatus event);
    void prepare();
    void submit(DecodedFrame frame);
    void finish_oldest();
    void drain();
    void apply_pending_settings();
    void detect_again();
    void note_fallback();
    void resume_source();
    void note_backend();
    void deliver(const Engine::Outcome& outcome);
    void emit(const std::vector<std::shared_ptr<const FrameResult>>& results);
    void flush_hiding();
    void set_up_hiding();
    void set_up_search();
    struct Found {
        std::shared_ptr<const FrameResult> result;  // null: hiding has no detector of its own, or it failed
        std::optional<Error> failure;
    };
    [[nodiscard]] Found search(const std::shared_ptr<FrameResult>& result);
    void add_times(const FrameResult& result);
    void publish(const std::shared_ptr<const FrameResult>& result);
    void show_early(const DecodedFrame& decoded);
    void set_latest(std::shared_ptr<const FrameResult> result);
    [[nodiscard]] bool frames_arrive() const;
    void adapt_quality(const FrameResult& result);
    void set_carries(const PipelineSettings& settings);
    [[nodiscard]] PipelineSettings with_quality(PipelineSettings settings);
    void note_overflow(const Engine::Outcome& outcome);
    void enter_end();
    void fail(const Error& error);
    void wake();

    // Constant after construction, or thread-safe.
    const PipelineOptions options_;
    const bool live_;
    const bool keeps_open_;  // wait for a seek after the end of the file (window)
    Playback playback_;
    const bool keeps_newest_;  // frames that were not popped in time are dropped
    const int max_in_flight_;  // maximum number of frames in flight
    InFlightLimiter limiter_;  // limits the frames in flight plus the frame that is being decoded
    FrameQueue queue_;
    DecodeLoop decode_;
    SinkList sinks_;

    // Used by the detect thread only.
    PipelineSettings initial_settings_;
    Engine engine_;
    std::optional<AutoQuality> quality_;
    bool quality_changed_ = false;
    PipelineSettings applied_;           // as requested: the engine's may have the detector parameters of quality_
    std::optional<HidingQueue> hiding_;  // with PipelineSettings::hiding
    std::unique_ptr<Engine> searcher_;   // with HidingParams::search, unless the engine does the same
    DecodedFrame newest_;                // submitted last; detected again when settings change while no frame arrives
    bool outdated_ = false;              // newest_ was submitted with earlier settings
    std::int64_t submitted_ = 0;         // frames
    DecodeLoop::Delivered delivered_;
    bool device_frames_ = false;  // the source delivers frames in device memory
    bool fell_back_ = false;
    bool overflowing_ = false;
    bool reset_statistics_ = false;  // the next frame is the first of another detector or backend

    mutable std::mutex mutex_;  // guards all members below
    std::condition_variable over_;
    Phase phase_ = Phase::idle;
    bool ready_ = false;  // the detector was made
    std::optional<Error> failure_;
    struct {
        Message backend, settings, overflow, given_up;
    } notices_;
    std::shared_ptr<Backend> backend_;
    std::vector<DetectorSwitch> switches_;
    PipelineSettings settings_;
    bool settings_pending_ = false;
    std::shared_ptr<const FrameResult> latest_;
    PipelineCounters counters_;
    RateMeter rate_;
    StageStatistics statistics_;

    // Guards carrier_. Also held while its choice becomes latest_, so that choices are shown in order; locked before
    // mutex_.
    std::mutex show_mutex_;
    std::optional<FrameCarrier> carrier_;  // with PipelineSettings::carry and tracking

    std::mutex wake_mutex_;
    std::function<void()> wake_;

    std::mutex threads_mutex_;  // serializes start and stop
    std::stop_source decode_stop_;
    std::stop_source detect_stop_;
    std::thread decode_thread_;
    std::thread detect_thread_;
};
}  // namespace throng
