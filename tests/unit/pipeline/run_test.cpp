// The run loop in one thread, with backends and sources that fail at every point.
#include "core/pipeline/run.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "tests/support/strip_frame.h"
#include "tests/unit/pipeline/fakes.h"

namespace throng {
namespace {

using test::count_to;
using test::FakeBackend;
using test::FakeSource;

FakeBackend::Plan device_backend(int in_flight) {
    FakeBackend::Plan plan;
    plan.name = "gpu";
    plan.in_flight = in_flight;
    return plan;
}

Engine engine_of(const FakeBackend::Plan& plan, bool falls_back = true) {
    Engine::MakeBackend fallback;
    if (falls_back) {
        fallback = [] {
            FakeBackend::Plan host;
            host.name = "host";
            host.reads_device = false;
            return std::make_shared<FakeBackend>(host);
        };
    }
    return {std::make_shared<FakeBackend>(plan), PipelineSettings{}, std::move(fallback)};
}

struct Seen {
    std::vector<std::int64_t> frames;
    std::uint64_t count = 0;
};

Seen run_all(FakeSource& source, Engine& engine, const RunOptions& options = {}, const std::stop_token& stop = {}) {
    Seen seen;
    seen.count = run(
        source, engine, options, [&](const FrameResult& result) { seen.frames.push_back(result.frame.info().index); },
        stop);
    return seen;
}

TEST(Run, GivesEachFrameOnceInOrder) {
    for (const int in_flight : {1, 2, 3}) {
        FakeSource source(FakeSource::Plan{});
        Engine engine = engine_of(device_backend(in_flight));
        const Seen seen = run_all(source, engine);
        EXPECT_EQ(seen.frames, count_to(10));
        EXPECT_EQ(seen.count, 10U);
        EXPECT_FALSE(engine.fell_back());
    }
}

// A failure at any frame, when its work is enqueued or when its boxes are read; frames in host and in device memory.
TEST(Run, ADeviceThatFailsAtAnyFrameLosesNone) {
    for (const bool on_device : {false, true}) {
        for (const bool late : {false, true}) {
            for (const int in_flight : {1, 2, 3}) {
                for (std::int64_t frame = 0; frame < 10; ++frame) {
                    FakeSource::Plan frames;
                    frames.device = on_device;
                    FakeSource source(frames);
                    FakeBackend::Plan plan = device_backend(in_flight);
                    (late ? plan.fails_late_at : plan.fails_at) = frame;
                    Engine engine = engine_of(plan);
                    EXPECT_EQ(run_all(source, engine).frames, count_to(10))
                        << "frame " << frame << ", late " << late << ", device " << on_device << ", " << in_flight;
                    EXPECT_TRUE(engine.fell_back());
                    EXPECT_EQ(engine.backend()->name(), "host");
                    EXPECT_NE(engine.notice().text().find("the gpu backend failed"), std::string::npos);
                    // The next source begins on the fallback.
                    FakeSource next(FakeSource::Plan{});
                    EXPECT_EQ(run_all(next, engine).frames, count_to(10));
                }
            }
        }
    }
}

// A decoder whose device has failed reports the end, or damaged data.
TEST(Run, AnEndBecauseOfTheDeviceIsNone) {
    for (const bool throws : {false, true}) {
        FakeSource::Plan frames;
        frames.device = true;
        (throws ? frames.breaks_at : frames.device_ends_at) = 4;
        FakeBackend::Plan plan = device_backend(2);
        plan.device_failed = true;
        FakeSource source(frames);
        Engine engine = engine_of(plan);
        if (throws) {  // this source is damaged on the host, too
            EXPECT_THROW(static_cast<void>(run_all(source, engine)), Error);
            EXPECT_TRUE(engine.fell_back());
        } else {
            EXPECT_EQ(run_all(source, engine).frames, count_to(10));
        }
    }
}

TEST(Run, AFailureWithoutAFallbackIsThrownAndTheEngineWorksOn) {
    for (const ErrorKind kind : {ErrorKind::internal, ErrorKind::unavailable, ErrorKind::input}) {
        FakeSource source(FakeSource::Plan{});
        FakeBackend::Plan plan = device_backend(3);
        plan.fails_late_at = 5;
        plan.failure = kind;
        Engine engine = engine_of(plan, kind == ErrorKind::input);
        EXPECT_THROW(static_cast<void>(run_all(source, engine)), Error);
        EXPECT_EQ(engine.in_flight(), 0U);
        FakeSource::Plan few;
        few.frames = 5;
        FakeSource next(few);
        EXPECT_EQ(run_all(next, engine).frames, count_to(5));
    }
}

TEST(Run, ASourceThatCannotBeReadAgainSaysSo) {
    FakeSource::Plan frames;
    frames.device = true;
    frames.resumes = false;
    FakeSource source(frames);
    FakeBackend::Plan plan = device_backend(2);
    plan.fails_at = 3;
    Engine engine = engine_of(plan);
    try {
        static_cast<void>(run_all(source, engine));
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unavailable);
        EXPECT_NE(std::string(error.what()).find("backend=cpu"), std::string::npos) << error.what();
    }
}

TEST(Run, WhatThrowsLeavesNoFrameInFlight) {
    for (const bool sink : {false, true}) {
        FakeSource::Plan frames;
        if (!sink) frames.breaks_at = 6;
        FakeSource source(frames);
        Engine engine = engine_of(device_backend(3));
        std::vector<std::int64_t> seen;
        EXPECT_ANY_THROW(run(source, engine, {},
                             [&](const FrameResult& result) {
                                 if (sink && result.frame.info().index == 2) throw std::runtime_error("full");
                                 seen.push_back(result.frame.info().index);
                             },
                             {}));
        EXPECT_EQ(seen, count_to(sink ? 2 : 4)) << "results of frames in flight are not written after an error";
        EXPECT_EQ(engine.in_flight(), 0U);
        FakeSource next(FakeSource::Plan{});
        EXPECT_EQ(run_all(next, engine).frames, count_to(10));
    }
}

TEST(Run, AFrameInStripsIsOneForTheHostOnly) {
    for (const bool falls_back : {true, false}) {
        FakeBackend::Plan plan = device_backend(3);
        plan.kind = BackendKind::cuda;
        plan.boxes = [](std::int64_t) { return 1U; };
        Engine engine = engine_of(plan, falls_back);
        FramePool pool(0);
        const auto frame = [&](std::int64_t index) {
            WritableFrame writable = pool.take(PixelFormat::gray8, 16, 16);
            writable.info().index = index;
            DecodedFrame decoded;
            decoded.frame = std::move(writable).finish();
            return decoded;
        };
        engine.submit(frame(0));
        DecodedFrame large = frame(1);
        large.frame = test::in_strips(large.frame, 5);
        if (!falls_back) {
            EXPECT_THROW(engine.submit(std::move(large)), Error);
            continue;
        }
        engine.submit(std::move(large));
        EXPECT_FALSE(engine.has_free_slot());
        EXPECT_EQ(engine.in_flight(), 2U);
        for (const std::int64_t index : {0, 1}) {
            const Engine::Outcome outcome = engine.collect(true);
            ASSERT_TRUE(outcome.result);
            EXPECT_EQ(outcome.result->frame.info().index, index);
            EXPECT_EQ(outcome.result->kept.total, index == 0 ? 1U : 2U);  // the host finds two
        }
        EXPECT_EQ(engine.in_flight(), 0U);
        EXPECT_EQ(engine.detect(frame(2)).result->kept.total, 1U);
        EXPECT_FALSE(engine.fell_back());
    }
}

TEST(Run, AStopEndsItAtAnyFrame) {
    for (std::int64_t frame = 0; frame < 10; ++frame) {
        FakeSource source(FakeSource::Plan{});
        Engine engine = engine_of(device_backend(2));
        std::stop_source stop;
        try {
            run(
                source, engine, {},
                [&](const FrameResult& result) {
                    if (result.frame.info().index == frame) stop.request_stop();
                },
                stop.get_token());
            EXPECT_EQ(frame, 9) << "only the last frame leaves nothing to stop";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::interrupted);
        }
        EXPECT_EQ(engine.in_flight(), 0U);
    }
}

TEST(Run, LimitsChooseTheFrames) {
    Engine engine = engine_of(device_backend(2));
    RunOptions options;
    options.max_frames = 4;
    FakeSource limited(FakeSource::Plan{});
    EXPECT_EQ(run_all(limited, engine, options).frames, count_to(4));
    options.max_frames = 0;
    options.end = 0.065;  // frame 6 is at 0.06 s
    FakeSource until(FakeSource::Plan{});
    EXPECT_EQ(run_all(until, engine, options).frames, count_to(7));

    FakeSource source(FakeSource::Plan{});
    Frame before, first;
    ASSERT_EQ(source.read(before, {}), ReadStatus::frame);
    ASSERT_EQ(source.read(first, {}), ReadStatus::frame);
    const RunOptions rest{{}, 0, std::numeric_limits<double>::infinity(), before.info(), first};
    EXPECT_EQ(run_all(source, engine, rest).frames, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

// A part of a video begins again after the frame before it.
TEST(Run, APartIsReadAgainFromItsBegin) {
    FakeSource::Plan frames;
    frames.device = true;
    FakeSource source(frames);
    Frame before, first;
    ASSERT_EQ(source.read(before, {}), ReadStatus::frame);
    ASSERT_EQ(source.read(first, {}), ReadStatus::frame);
    FakeBackend::Plan plan = device_backend(2);
    plan.fails_at = 1;
    Engine engine = engine_of(plan);
    EXPECT_EQ(run_all(source, engine, {{}, 0, 0.045, before.info(), first}).frames,
              (std::vector<std::int64_t>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace throng
