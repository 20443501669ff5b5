// Counts people while the window shows them.
#pragma once

#include <mutex>

#include "core/count/counter.h"
#include "core/pipeline/frame_result.h"

namespace throng::ui {

// A sink of the pipeline. The other functions may be called on any thread.
class LiveCounter final : public ResultSink {
public:
    struct Figures {
        CountTotals totals;
        double frame_ms = 0;  // cost of the newest frame
    };

    explicit LiveCounter(const CountPlan& plan) : counter_(plan) {}

    void write(const FrameResult& result) override;
    void close() override {}

    void restart(const CountPlan& plan);  // from zero
    void change(const CountPlan& plan);   // goes on: see Counter::change
    [[nodiscard]] Figures figures() const;

private:
    mutable std::mutex mutex_;
    Counter counter_;
    double frame_ms_ = 0;
};

}  // namespace throng::ui
