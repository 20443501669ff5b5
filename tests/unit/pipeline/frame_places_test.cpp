// How many decoded frames of a file may wait for a busy detector.
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "core/pipeline/frame_places.h"
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

TEST(FramePlaces, EachSourceHasItsOwnAndTheSpareOnesAreForAll) {
    const auto spare = std::make_shared<SparePlaces>(1);
    FramePlaces a(spare, 3);
    FramePlaces b(spare, 3);
    auto first = a.take({});
    auto second = a.take({});
    EXPECT_TRUE(first && second);
    EXPECT_FALSE(a.take(stopped())) << "no spare one is left";
    auto own = b.take({});
    EXPECT_TRUE(own) << "whatever others hold";
    EXPECT_FALSE(b.take(stopped()));
    first.reset();
    EXPECT_TRUE(b.take({})) << "what came back was the spare one";
}

TEST(FramePlaces, NoSourceHoldsMoreThanItMay) {
    FramePlaces a(std::make_shared<SparePlaces>(10), 2);
    auto first = a.take({});
    auto second = a.take({});
    EXPECT_FALSE(a.take(stopped()));
    std::swap(first, second);
    second.reset();
    EXPECT_TRUE(a.take({}));
}

TEST(FramePlaces, WhoWaitsIsWokenByWhatItCanUse) {
    const auto spare = std::make_shared<SparePlaces>(1);
    FramePlaces a(spare, 2);
    FramePlaces b(spare, 2);
    auto a_own = a.take({});
    auto b_own = b.take({});
    auto a_spare = a.take({});
    std::atomic<int> a_got = 0;
    std::atomic<int> b_got = 0;
    FramePlaces::Place a_next;
    FramePlaces::Place b_next;
    std::jthread waits_for_a([&] { a_next = a.take({}), ++a_got; });
    std::jthread waits_for_b([&] { b_next = b.take({}), ++b_got; });
    a_own.reset();  // a spare one: for whichever waits, and a has none but its own then
    EXPECT_TRUE(eventually([&] { return a_got + b_got == 1; }));
    (a_got == 1 ? a_spare : b_own).reset();
    EXPECT_TRUE(eventually([&] { return a_got + b_got == 2; }));
}

// Counts the frames that were handed out and have not come to their boxes yet, the one asked for included.
class CountedSource final : public VideoSource {
public:
    struct Seen {
        std::atomic<int> open = 0;
        std::atomic<int> most = 0;
    };
    CountedSource(std::unique_ptr<VideoSource> inner, std::shared_ptr<Seen> seen)
        : inner_(std::move(inner)), seen_(std::move(seen)) {}

    ReadStatus read(Frame& frame, std::stop_token stop) override {
        const int open = ++seen_->open;
        int most = seen_->most;
        while (open > most && !seen_->most.compare_exchange_weak(most, open)) {
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

// A frame is open until the backend has brought its boxes to the host.
class ClosingBackend final : public Backend {
public:
    ClosingBackend(const FakeBackend::Plan& plan, std::shared_ptr<CountedSource::Seen> seen)
        : inner_(plan), seen_(std::move(seen)) {}

    [[nodiscard]] std::string name() const override { return inner_.name(); }
    [[nodiscard]] std::string description() const override { return inner_.description(); }
    std::unique_ptr<Detector> make_detector(const DetectorParams& params) override {
        return inner_.make_detector(params);
    }
    std::unique_ptr<Nms> make_nms() override { return inner_.make_nms(); }
    DetectionBuffer make_buffer(std::int32_t capacity, const DetectionExtras& extras) override {
        return inner_.make_buffer(capacity, extras);
    }
    std::unique_ptr<StageRecorder> make_recorder() override { return inner_.make_recorder(); }
    void download(const DetectionBuffer& buffer, DetectionSet& out) override { inner_.download(buffer, out); }
    void upload(const DetectionSet& in, DetectionBuffer& buffer) override { inner_.upload(in, buffer); }
    [[nodiscard]] int frames_in_flight() const override { return inner_.frames_in_flight(); }
    std::unique_ptr<FrameFetch> make_fetch() override {
        return std::make_unique<ClosingFetch>(inner_.make_fetch(), seen_);
    }

private:
    class ClosingFetch final : public FrameFetch {
    public:
        ClosingFetch(std::unique_ptr<FrameFetch> inner, std::shared_ptr<CountedSource::Seen> seen)
            : inner_(std::move(inner)), seen_(std::move(seen)) {}
        void start(const DetectionBuffer& raw, const DetectionBuffer& kept, const Frame& frame,
                   Wanted wanted) override {
            inner_->start(raw, kept, frame, wanted);
        }
        void finish(DetectionSet& raw, DetectionSet& kept, Frame& frame) override {
            inner_->finish(raw, kept, frame);
            --seen_->open;
        }

    private:
        std::unique_ptr<FrameFetch> inner_;
        std::shared_ptr<CountedSource::Seen> seen_;
    };

    FakeBackend inner_;
    std::shared_ptr<CountedSource::Seen> seen_;
};

struct Streams {
    std::shared_ptr<CountedSource::Seen> seen = std::make_shared<CountedSource::Seen>();
    std::vector<std::shared_ptr<RecordingSink>> sinks;
    std::vector<std::unique_ptr<Pipeline>> pipelines;

    Streams(int streams, std::int64_t frames, const std::shared_ptr<SparePlaces>& spare) {
        FakeSource::Plan source;
        source.frames = frames;
        source.device = true;
        FakeBackend::Plan backend;
        backend.in_flight = 2;
        backend.detect_time = std::chrono::milliseconds(1);  // the decoder is far ahead if it may
        PipelineOptions options;
        options.spare_places = spare;
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

TEST(FramePlaces, ABusyDetectorHoldsTheDecoderBackAndNoFrameIsLost) {
    Streams alone(1, 100, nullptr);
    alone.pipelines.front()->wait();
    EXPECT_EQ(alone.sinks.front()->frames(), count_to(100));
    EXPECT_LE(alone.seen->most, 3) << "two in flight, one that is decoded";

    for (const int spare : {0, 1, 4}) {
        Streams many(8, 60, std::make_shared<SparePlaces>(spare));
        for (auto& pipeline : many.pipelines) pipeline->wait();
        for (auto& sink : many.sinks) EXPECT_EQ(sink->frames(), count_to(60));
        EXPECT_LE(many.seen->most, 8 + spare);
    }
}

TEST(FramePlaces, OthersGoOnWhenAStreamStopsOrFails) {
    const auto spare = std::make_shared<SparePlaces>(2);
    Streams endless(3, std::numeric_limits<std::int64_t>::max(), spare);
    for (std::size_t alive = 3; alive > 0; --alive) {
        const std::size_t before = endless.sinks[alive - 1]->frames().size();
        EXPECT_TRUE(eventually([&] { return endless.sinks[alive - 1]->frames().size() > before + 20; }));
        endless.pipelines[alive - 1]->stop();
    }
    FramePlaces all(spare, 3);
    std::vector<FramePlaces::Place> taken;
    for (int i = 0; i < 3; ++i) taken.push_back(all.take(stopped()));
    for (const auto& place : taken) EXPECT_TRUE(place) << "whoever stopped gave back what it held";
}

}  // namespace
}  // namespace throng
