// Back pressure of files: how many of their frames may be between the decoder and their boxes. A decoder is asked for a
// frame only when there is a place for it, so that no decoded frame waits long for a busy detector.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>

namespace throng {

class FramePlaces;

// Places beyond the one that each source has of its own, for whoever comes first. Pipelines that run at the same time
// share one object. Thread-safe.
class SparePlaces {
public:
    explicit SparePlaces(int places) : free_(places) {}

private:
    friend class FramePlaces;
    void wake_next();  // with the lock held

    std::mutex mutex_;
    int free_;
    std::deque<FramePlaces*> waiting_;  // longest first
};

// Enough for a GPU to be busy while each of many streams decodes (see README.md), for all pipelines of a run together.
inline constexpr int kSparePlaces = 6;

// The places of one source: its own and what it gets of the spare ones. Thread-safe; outlives the places it gave.
class FramePlaces {
public:
    struct GiveBack {
        void operator()(FramePlaces* places) const { places->give_back(); }
    };
    using Place = std::unique_ptr<FramePlaces, GiveBack>;  // goes back with its owner

    // most: places held at once, its own included; at least 1.
    FramePlaces(std::shared_ptr<SparePlaces> spare, int most) : spare_(std::move(spare)), most_(most) {}
    FramePlaces(const FramePlaces&) = delete;
    FramePlaces& operator=(const FramePlaces&) = delete;
    ~FramePlaces() = default;

    // Waits for a place; null when a stop was asked for meanwhile. From one thread.
    [[nodiscard]] Place take(const std::stop_token& stop);

private:
    friend class SparePlaces;
    [[nodiscard]] bool has_one() const { return held_ == 0 || (held_ < most_ && spare_->free_ > 0); }
    void give_back();

    const std::shared_ptr<SparePlaces> spare_;  // whose mutex guards what follows
    const int most_;
    int held_ = 0;
    std::condition_variable_any changed_;
};

}  // namespace throng
