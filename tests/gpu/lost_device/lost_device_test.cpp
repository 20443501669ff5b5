// A device that is lost in the middle of a file. A separate program, because CUDA is unusable in its process
// afterwards.
#include <chrono>
#include <functional>

#include "core/base/error.h"
#include "core/cpu/cpu_backend.h"
#include "gpu/backend.h"
#include "tests/gpu/lost_device/trap.h"
#include "tests/gpu/pipeline/runs.h"
#include "tests/support/eventually.h"
#include "tests/support/wrapped_backend.h"

namespace throng {
namespace {

// Returns a CUDA backend whose device fails while the given frame is processed.
std::shared_ptr<Backend> breaking_backend(std::int64_t breaks_at) {
    return std::make_shared<test::WrappedBackend>(
        make_cuda_backend(), [breaks_at](const Frame& frame, const std::function<void()>& enqueue) {
            enqueue();
            if (frame.info().index == breaks_at) test::break_device();
        });
}

class LostDevice : public test::CrowdTest {
protected:
    void TearDown() override {}
};

TEST_F(LostDevice, ContinuesOnTheCpuWithOneResultPerFrame) {
    using Clock = std::chrono::steady_clock;
    constexpr int kFrames = 120;
    constexpr int kBreaksAt = 57;
    const test::CrowdFile file(640, 360, kFrames);
    const auto expected = test::run_file(file.path(), make_cpu_backend(), false);

    SourceOptions source;
    source.prefer_device_frames = true;
    PipelineOptions options;
    options.fallback = [] { return make_cpu_backend(); };
    Pipeline pipeline(open_source(file.path(), source), breaking_backend(kBreaksAt), test::crowd_settings(), options);
    // Records when each result arrives, to find the longest gap.
    class Times final : public ResultSink {
    public:
        void write(const FrameResult&) override { at.push_back(Clock::now()); }
        void close() override {}
        std::vector<Clock::time_point> at;
    };
    auto sink = std::make_shared<test::LineSink>();
    auto times = std::make_shared<Times>();
    pipeline.add_sink(sink);
    pipeline.add_sink(times);
    // Other sources on the device, whose frames share launches.
    std::vector<std::unique_ptr<Pipeline>> others;
    std::vector<std::shared_ptr<test::LineSink>> other_sinks;
    options.loop = true;  // until they are stopped: they must be at work when the device fails
    const auto network = test::network_settings();
    for (int i = 0; network && i < 3; ++i) {
        others.push_back(
            std::make_unique<Pipeline>(open_source(file.path(), source), make_cuda_backend(), *network, options));
        other_sinks.push_back(std::make_shared<test::LineSink>());
        others.back()->add_sink(other_sinks.back());
        others.back()->start();
    }
    pipeline.start();
    pipeline.wait();
    EXPECT_EQ(pipeline.state(), PipelineState::ended) << (pipeline.failure() ? pipeline.failure()->what() : "");
    EXPECT_EQ(pipeline.backend_name(), "cpu");
    EXPECT_NE(pipeline.notice(), "");
    EXPECT_EQ(sink->lines, expected->lines);
    for (std::size_t i = 0; i < others.size(); ++i) {
        ASSERT_TRUE(test::eventually([&] { return others[i]->backend_name() == "cpu"; })) << "source " << i;
        const auto before = others[i]->counters().detected;
        ASSERT_TRUE(test::eventually([&] { return others[i]->counters().detected > before; })) << "source " << i;
        others[i]->stop();
        EXPECT_EQ(static_cast<std::int64_t>(other_sinks[i]->lines.size()), others[i]->counters().detected);
        EXPECT_NE(other_sinks[i]->lines.back().find("\"score\""), std::string::npos);
    }
    double longest_gap = 0;
    for (std::size_t i = 1; i < times->at.size(); ++i) {
        longest_gap =
            std::max(longest_gap, std::chrono::duration<double, std::milli>(times->at[i] - times->at[i - 1]).count());
    }
    RecordProperty("longest_silence_ms", static_cast<int>(longest_gap));
    std::printf("notice: %s\nlongest time without a result: %.0f ms\n", pipeline.notice().text().c_str(), longest_gap);
    // Later use of the device throws an error and does not crash.
    stream.reset();
    EXPECT_THROW(
        {
            const auto backend = make_cuda_backend();
            backend->check();
            static_cast<void>(backend->make_buffer(100));
        },
        Error);
}

}  // namespace
}  // namespace throng
