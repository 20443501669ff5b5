// The limit of decoded frames that wait for a busy detector.
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "core/base/in_flight_limiter.h"
#include "tests/unit/pipeline/fakes.h"

namespace throng {
namespace {

using test::count_to;
using test::eventually;
using test::FakeBackend;
using test::FakeSource;
using test::RecordingSink;

std::stop_token stopped() {
    std::stop_source source;
    source.request_stop();
    return source.get_token();
}

TEST(InFlightLimiter, EachSourceHasAPermitAndSharedPermitsServeAll) {
    const auto shared = std::make_shared<SharedPermits>(1);
    InFlightLimiter a(shared, 3);
    InFlightLimiter b(shared, 3);
    auto first = a.acquire({});
    auto second = a.acquire({});
    EXPECT_TRUE(first && second);
    EXPECT_FALSE(a.acquire(stopped())) << "no shared permit is available";
    auto own = b.acquire({});
    EXPECT_TRUE(own) << "a source's own permit does not depend on others";
    EXPECT_FALSE(b.acquire(stopped()));
    first.reset();
    EXPECT_TRUE(b.acquire({})) << "the released permit was a shared one";
}

TEST(InFlightLimiter, NoSourceExceedsItsMaximum) {
    InFlightLimiter a(std::make_shared<SharedPermits>(10), 2);
    auto first = a.acquire({});
    auto second = a.acquire({});
    EXPECT_FALSE(a.acquire(stopped()));
    std::swap(first, second);
    second.reset();
    EXPECT_TRUE(a.acquire({}));
}

TEST(InFlightLimiter, AReleasedPermitWakesAWaiterThatCanUseIt) {
    const auto shared = std::make_shared<SharedPermits>(1);
    InFlightLimiter a(shared, 2);
    InFlightLimiter b(shared, 2);
    auto a_own = a.acquire({});
    auto b_own = b.acquire({});
    auto a_shared = a.acquire({});
    std::atomic<int> a_got = 0;
    std::atomic<int> b_got = 0;
    InFlightLimiter::Permit a_next;
    InFlightLimiter::Permit b_next;
    std::jthread waits_for_a([&] { a_next = a.acquire({}), ++a_got; });
    std::jthread waits_for_b([&] { b_next = b.acquire({}), ++b_got; });
    a_own.reset();  // releases a shared permit, which either waiter can use; a then holds only its own
    EXPECT_TRUE(eventually([&] { return a_got + b_got == 1; }));
    (a_got == 1 ? a_shared : b_own).reset();
    EXPECT_TRUE(eventually([&] { return a_got + b_got == 2; }));
}

// Counts the frames between the start of read and the boxes on the host.
class CountedSource final : public VideoSource {
public:
    struct Seen {
        std::atomic<int> open = 0;
        std::atomic<int> max = 0;
    };
    CountedSource(std::unique_ptr<VideoSource> inner, std::shared_ptr<Seen> seen)
        : inner_(std::move(inner)), seen_(std::move(seen)) {}

    ReadStatus read(Frame& frame, std::stop_token stop) override {
        const int open = ++seen_->open;
        int max = seen_->max;
        while (open > max && !seen_->max.compare_exchange_weak(max, open)) {
        }
        const ReadStatus status = inner_->read(frame, std::move(stop));
        if (!frame) --seen_->open;
        return status;
    }
    [[nodiscard]] SourceInfo info() const override { return inner_->info(); }

private:
    std::unique_ptr<VideoSource> inner_;
    std::shared_ptr<Seen> seen_;
};

// Ends the count of a frame when its boxes are on the host.
class ClosingBackend final : public Backend {
public:
    ClosingBackend(const FakeBackend::Plan& plan, std::shared_ptr<CountedSource::Seen> seen)
        : inner_(plan), seen_(std::move(seen)) {}

    [[nodiscard]] BackendKind kind() const override { return inner_.kind(); }
    [[nodiscard]] std::string name() const override { return inner_.name(); }
    [[nodiscard]] std::string description() const override { return inner_.description(); }
    std::unique_ptr<Detector> make_detector(const DetectorParams& params) override {
        return inner_.make_detector(params);
    }
    std::unique_ptr<Nms> make_nms() override { return inner_.make_nms(); }
    DetectionBuffer make_buffer(std::int32_t capacity, const OptionalFields& optional_fields) override {
        return inner_.make_buffer(capacity, optional_fields);
    }
    std::unique_ptr<StageRecorder> make_recorder() override { return inner_.make_recorder(); }
    void download(const DetectionBuffer& buffer, DetectionSet& out) override { inner_.download(buffer, out); }
    void upload(const DetectionSet& in, DetectionBuffer& buffer) override { inner_.upload(in, buffer); }
    [[nodiscard]] int frames_in_flight() const override { return inner_.frames_in_flight(); }
    std::unique_ptr<FrameReadback> make_readback() override {
        return std::make_unique<ClosingReadback>(inner_.make_readback(), seen_);
    }

private:
    class ClosingReadback final : public FrameReadback {
    public:
        ClosingReadback(std::unique_ptr<FrameReadback> inner, std::shared_ptr<CountedSource::Seen> seen)
            : inner_(std::move(inner)), seen_(std::move(seen)) {}
        void start(const DetectionBuffer& raw, const DetectionBuffer& kept, const Frame& frame,
                   Requested requested) override {
            inner_->start(raw, kept, frame, requested);
        }
        void finish(DetectionSet& raw, DetectionSet& kept, Frame& frame) override {
            inner_->finish(raw, kept, frame);
            --seen_->open;
        }

    private:
        std::unique_ptr<FrameReadback> inner_;
        std::shared_ptr<CountedSource::Seen> seen_;
    };

    FakeBackend inner_;
    std::shared_ptr<CountedSource::Seen> seen_;
};

struct Streams {
    std::shared_ptr<CountedSource::Seen> seen = std::make_shared<CountedSource::Seen>();
    std::vector<std::shared_ptr<RecordingSink>> sinks;
    std::vector<std::unique_ptr<Pipeline>> pipelines;

    Streams(int streams, std::int64_t frames, const std::shared_ptr<SharedPermits>& shared) {
        FakeSource::Plan source;
        source.frames = frames;
        source.device = true;
        FakeBackend::Plan backend;
        backend.in_flight = 2;
        backend.detect_time = std::chrono::milliseconds(1);  // lets the decoder run far ahead if nothing limits it
        PipelineOptions options;
        options.shared_permits = shared;
        for (int i = 0; i < streams; ++i) {
            pipelines.push_back(std::make_unique<Pipeline>(
                std::make_unique<CountedSource>(std::make_unique<FakeSource>(source), seen),
                std::make_shared<ClosingBackend>(backend, seen), PipelineSettings(), options));
            sinks.push_back(std::make_shared<RecordingSink>());
            pipelines.back()->add_sink(sinks.back());
        }
        for (auto& pipeline : pipelines) pipeline->start();
    }
};

TEST(InFlightLimiter, ABusyDetectorLimitsTheDecoderWithoutDrops) {
    Streams alone(1, 100, nullptr);
    alone.pipelines.front()->wait();
    EXPECT_EQ(alone.sinks.front()->frames(), count_to(100));
    EXPECT_LE(alone.seen->max, 3) << "two in flight, one being decoded";

    for (const int shared : {0, 1, 4}) {
        Streams many(8, 60, std::make_shared<SharedPermits>(shared));
        for (auto& pipeline : many.pipelines) pipeline->wait();
        for (auto& sink : many.sinks) EXPECT_EQ(sink->frames(), count_to(60));
        EXPECT_LE(many.seen->max, 8 + shared);
    }
}

TEST(InFlightLimiter, OtherStreamsContinueWhenOneStops) {
    const auto shared = std::make_shared<SharedPermits>(2);
    Streams endless(3, std::numeric_limits<std::int64_t>::max(), shared);
    for (std::size_t alive = 3; alive > 0; --alive) {
        const std::size_t before = endless.sinks[alive - 1]->frames().size();
        EXPECT_TRUE(eventually([&] { return endless.sinks[alive - 1]->frames().size() > before + 20; }));
        endless.pipelines[alive - 1]->stop();
    }
    InFlightLimiter all(shared, 3);
    std::vector<InFlightLimiter::Permit> taken;
    for (int i = 0; i < 3; ++i) taken.push_back(all.acquire(stopped()));
    for (const auto& permit : taken) EXPECT_TRUE(permit) << "a stopped pipeline has released its permits";
}

}  // namespace
}  // namespace throng
