#include "gpu/cnn/dynamic_batcher.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/detect/null_recorder.h"
#include "gpu/cnn/cnn_detector.h"
#include "gpu/runtime/event_recorder.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {
namespace {

// Measured with YuNet-n and 8 or 16 videos of 640x360 and 1920x1080 on an H200: 2 to 8 in flight, 2 to 16 frames.
constexpr std::size_t kInFlight = 3;
constexpr std::size_t kMaxFrames = 4;

}  // namespace

struct DynamicBatcher::Request {
    const Frame* frame;
    DetectionBuffer* raw;
    StreamView stream;
    StageTimes times{};  // of one frame
    bool done = false;
    std::exception_ptr failure{};
};

// Holds what a batch needs. One thread uses it at a time.
struct DynamicBatcher::Engine {
    Engine(const DeviceInfo& device, const Network& network, const DetectorParams& params)
        : detector(stream.view(), device, network, params) {}

    Stream stream;
    EventRecorder recorder{stream.view()};
    std::chrono::steady_clock::time_point measured{};  // start of the last batch whose stages were measured
    std::size_t measured_frames = 0;                   // in that batch
    CnnDetector detector;
    Event done{Event::Timing::off, Event::Waiting::block};
};

std::shared_ptr<DynamicBatcher> DynamicBatcher::of(const DeviceInfo& device, const Network& network,
                                                   const DetectorParams& params) {
    static std::mutex mutex;
    static std::vector<std::weak_ptr<DynamicBatcher>> all;
    const std::lock_guard lock(mutex);
    std::erase_if(all, [](const auto& batcher) { return batcher.expired(); });
    for (const auto& weak : all) {
        const std::shared_ptr<DynamicBatcher> batcher = weak.lock();
        const bool same = batcher && batcher->device_.index == device.index && batcher->params_ == params &&
                          batcher->network_ == network;
        if (same) return batcher;
    }
    std::shared_ptr<DynamicBatcher> batcher(new DynamicBatcher(device, network, params));
    all.push_back(batcher);
    return batcher;
}

DynamicBatcher::DynamicBatcher(const DeviceInfo& device, Network network, DetectorParams params)
    : device_(device), network_(std::move(network)), params_(std::move(params)) {}

DynamicBatcher::~DynamicBatcher() {
    warn_cuda(cudaSetDevice(device_.index), "cudaSetDevice");  // the engines are destroyed on this thread
}

std::uint64_t DynamicBatcher::batches() const {
    const std::lock_guard lock(mutex_);
    return batches_;
}

DynamicBatcher::Source::Source(std::shared_ptr<DynamicBatcher> batcher) : batcher_(std::move(batcher)) {}

DynamicBatcher::Source::~Source() {
    count(false);
}

// Frees the engines when no batch is to come: they keep frames.
void DynamicBatcher::Source::count(bool fits) {
    if (fits == counted_) return;
    counted_ = fits;
    std::vector<std::unique_ptr<Engine>> unused;
    {
        const std::lock_guard lock(batcher_->mutex_);
        batcher_->sources_ += fits ? 1 : -1;
        if (batcher_->sources_ <= 1 && batcher_->waiting_.empty() && !batcher_->launching_ && !batcher_->awaiting_) {
            unused = std::exchange(batcher_->engines_, {});
            batcher_->in_flight_.clear();
        }
    }
    if (!unused.empty()) warn_cuda(cudaSetDevice(batcher_->device_.index), "cudaSetDevice");
}

bool DynamicBatcher::Source::can_share(bool fits) {
    count(fits);
    const std::lock_guard lock(batcher_->mutex_);
    return fits && batcher_->sources_ > 1 && !batcher_->failed_;
}

bool DynamicBatcher::Source::enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder,
                                     StreamView stream) {
    DynamicBatcher& batcher = *batcher_;
    Request request{&frame, &raw, stream};
    {
        std::unique_lock lock(batcher.mutex_);
        batcher.waiting_.push_back(&request);
        while (!request.done) {
            if (!batcher.launching_ && batcher.in_flight_.size() < kInFlight) {
                batcher.launch(lock);
            } else if (!batcher.launching_ && !batcher.awaiting_) {
                batcher.await_batch(lock);
            } else {
                batcher.changed_.wait(lock);
            }
        }
        if (request.failure && batcher.failed_) return false;
    }
    if (request.failure) std::rethrow_exception(request.failure);
    for (const StageTime& time : request.times) recorder.add(time.name, time.ms);
    return true;
}

// Takes the frame that waits longest and others of its size out of the waiting ones.
std::vector<DynamicBatcher::Request*> DynamicBatcher::take_batch() {
    const Frame& first = *waiting_.front()->frame;
    std::vector<Request*> batch;
    std::erase_if(waiting_, [&](Request* request) {
        const Frame& frame = *request->frame;
        const bool taken =
            batch.size() < kMaxFrames && frame.width() == first.width() && frame.height() == first.height();
        if (taken) batch.push_back(request);
        return taken;
    });
    return batch;
}

// Launches a batch. The lock is released meanwhile.
void DynamicBatcher::launch(std::unique_lock<std::mutex>& lock) {
    launching_ = true;
    const std::vector<Request*> requests = take_batch();
    lock.unlock();
    Engine* engine = nullptr;
    std::exception_ptr failure;
    bool unavailable = false;
    try {
        check_cuda(cudaSetDevice(device_.index), "cudaSetDevice");  // the current device is a property of the thread
        engine = &free_engine();
        enqueue_batch(*engine, requests);
    } catch (const Error& error) {
        failure = std::current_exception();
        unavailable = error.kind() == ErrorKind::unavailable;
        if (unavailable) logger().warn("frames of several sources are processed one by one: {}", error.what());
    } catch (...) {
        failure = std::current_exception();
    }
    // The sources process these frames again: no kernel may write the buffers any more.
    if (failure && engine != nullptr) warn_cuda(cudaStreamSynchronize(engine->stream.view()), "waiting for a batch");
    lock.lock();
    launching_ = false;
    if (!failure) in_flight_.push_back(engine);
    failed_ = failed_ || unavailable;
    ++batches_;
    for (Request* request : requests) {
        request->failure = failure;
        request->done = true;
    }
    changed_.notify_all();
}

// Waits for the oldest batch. The lock is released meanwhile.
void DynamicBatcher::await_batch(std::unique_lock<std::mutex>& lock) {
    awaiting_ = true;
    Engine& oldest = *in_flight_.front();
    lock.unlock();
    try {
        oldest.done.synchronize();
    } catch (const Error& error) {  // the next launch fails as well, and reports it to its sources
        logger().debug("{}", error.what());
    }
    lock.lock();
    awaiting_ = false;
    in_flight_.pop_front();
    changed_.notify_all();
}

// On the launching thread.
DynamicBatcher::Engine& DynamicBatcher::free_engine() {
    std::vector<Engine*> free;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& engine : engines_) {
            if (std::find(in_flight_.begin(), in_flight_.end(), engine.get()) == in_flight_.end())
                free.push_back(engine.get());
        }
    }
    // Decoders wait for their frames, and an engine that is not used again would keep them.
    for (Engine* engine : free) engine->detector.release_read_frames();
    if (!free.empty()) return *free.front();
    engines_.push_back(std::make_unique<Engine>(device_, network_, params_));
    return *engines_.back();
}

void DynamicBatcher::enqueue_batch(Engine& engine, const std::vector<Request*>& requests) {
    // The earlier batches of this engine are finished, so these are the times of the last one that was measured.
    StageTimes times = engine.recorder.end_frame();
    for (StageTime& time : times) time.ms /= static_cast<double>(engine.measured_frames);
    const auto now = std::chrono::steady_clock::now();
    const bool measure = now - engine.measured >= kInFlight * kMeasuringInterval;
    NullRecorder none;
    StageRecorder& recorder = measure ? static_cast<StageRecorder&>(engine.recorder) : none;
    std::array<Frame, kMaxFrames> frames;
    std::array<DetectionBuffer*, kMaxFrames> raw;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        frames[i] = *requests[i]->frame;
        raw[i] = requests[i]->raw;
    }
    engine.detector.enqueue_batch(frames.data(), raw.data(), static_cast<int>(requests.size()), recorder);
    if (measure) {
        engine.measured = now;
        engine.measured_frames = requests.size();
        static_cast<void>(engine.recorder.end_frame());
    }
    engine.done.record(engine.stream.view());
    for (Request* request : requests) {
        engine.done.make_wait(request->stream);
        request->times = times;
    }
}

}  // namespace throng::gpu
