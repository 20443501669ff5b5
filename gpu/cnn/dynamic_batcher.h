// Dynamic batching: sources that use the same network on the same device share launches. A batch keeps the device
// busier than the launches of one frame, and takes fewer calls of the driver.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "core/detect/detector.h"
#include "core/model/network.h"
#include "gpu/runtime/check.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

// Has no thread of its own: one of the waiting sources launches the batch. Up to three batches run at the same time. A
// frame starts at once while fewer run. Otherwise it waits until the oldest is finished. The frame that waits longest
// then forms the next batch, with up to three others of its size. No frame waits for one that has not arrived.
// Thread-safe.
class DynamicBatcher {
public:
    // Returns the batcher of all detectors with this device, network and these parameters; creates it for the first
    // one.
    [[nodiscard]] static std::shared_ptr<DynamicBatcher> of(const DeviceInfo& device, const Network& network,
                                                            const DetectorParams& params);
    ~DynamicBatcher();
    DynamicBatcher(const DynamicBatcher&) = delete;
    DynamicBatcher& operator=(const DynamicBatcher&) = delete;

    // One source. Not thread-safe.
    class Source {
    public:
        explicit Source(std::shared_ptr<DynamicBatcher> batcher);
        ~Source();
        Source(const Source&) = delete;
        Source& operator=(const Source&) = delete;

        // fits: whether this frame, and probably the next ones, can be processed in batches. Returns whether it can
        // be now: the frames of other sources fit, too, and there was enough memory so far.
        [[nodiscard]] bool can_share(bool fits);
        // Waits until the work of this frame is enqueued, and makes later work on the stream wait for it. raw must not
        // be in use on any stream. Adds the stage times of a recent batch, divided by its frames, to the recorder.
        // Returns false if there is not enough memory for batches. Throws Error(internal) if the device failed.
        [[nodiscard]] bool enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder,
                                   StreamView stream);

    private:
        void count(bool fits);

        std::shared_ptr<DynamicBatcher> batcher_;
        bool counted_ = false;  // in sources_
    };

    // Returns the number of batches so far.
    [[nodiscard]] std::uint64_t batches() const;

private:
    struct Request;
    struct Engine;

    DynamicBatcher(const DeviceInfo& device, Network network, DetectorParams params);

    [[nodiscard]] std::vector<Request*> take_batch();
    void launch(std::unique_lock<std::mutex>& lock);
    void await_batch(std::unique_lock<std::mutex>& lock);
    [[nodiscard]] Engine& free_engine();
    void enqueue_batch(Engine& engine, const std::vector<Request*>& requests);

    const DeviceInfo device_;
    const Network network_;
    const DetectorParams params_;

    mutable std::mutex mutex_;  // never held during a call of CUDA
    std::condition_variable changed_;
    int sources_ = 0;  // whose last frame fits
    std::deque<Request*> waiting_;
    std::vector<std::unique_ptr<Engine>> engines_;  // created when a batch needs one
    std::deque<Engine*> in_flight_;                 // oldest first
    std::uint64_t batches_ = 0;
    bool failed_ = false;     // a batch failed for lack of memory, or with the device: the sources go on alone
    bool launching_ = false;  // a thread is in enqueue_batch
    bool awaiting_ = false;   // a thread is in await_batch
};

}  // namespace throng::gpu
