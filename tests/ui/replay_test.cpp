// The last 30 seconds of the window: what is stored, its bounds, and the view.
#include <random>

#include "tests/support/random.h"
#include "tests/ui/window_fixture.h"
#include "ui/replay/replay.h"

namespace throng::ui {
namespace {

std::shared_ptr<FrameResult> make_result(std::int64_t index, int boxes, const FramePlan& plan = {}) {
    FramePool pool;
    WritableFrame writable = pool.take(PixelFormat::gray8, 640, 480);
    writable.info().index = index;
    std::fill_n(writable.data(0), writable.plane(0).pitch * 480, static_cast<std::uint8_t>(200));
    auto result = std::make_shared<FrameResult>();
    result->frame = std::move(writable).finish();
    result->kept.detections.resize(static_cast<std::size_t>(boxes), {{10, 10, 20, 20}, 1, 1, 0});
    result->timings = {{stage::kCascade, 5}, {stage::kTotal, 7}};
    result->plan = plan;
    return result;
}

TEST(Replay, ClosedItStoresNothing) {
    Replay replay;
    replay.add(make_result(0, 3), 1);
    EXPECT_EQ(replay.count(), 0);
    EXPECT_FALSE(replay.open());
    EXPECT_EQ(replay.megabytes(), 0);
}

TEST(Replay, ItsMemoryIsBounded) {
    const std::uint64_t seed = test::seed(3);
    std::mt19937_64 random(seed);
    Replay replay;
    replay.set_open(true);
    const double limit = static_cast<double>(Replay::kMaxBytes) / (1 << 20);
    for (std::uint64_t i = 1; i <= 1500; ++i) {
        replay.add(make_result(static_cast<std::int64_t>(i), 3000 + static_cast<int>(random() % 3000)), i);
        ASSERT_LE(replay.megabytes(), limit);
    }
    EXPECT_GT(replay.megabytes(), limit / 2);
    EXPECT_LT(replay.count(), 1500);
    std::size_t bytes = 0;
    for (const ReplayEntry& entry : replay.entries()) {
        EXPECT_LE(entry.boxes.size(), Replay::kMaxBoxes);
        bytes += entry.bytes();
    }
    EXPECT_DOUBLE_EQ(static_cast<double>(bytes) / (1 << 20), replay.megabytes());
    EXPECT_EQ(replay.entries().back().number, 1500U);
    replay.set_open(false);
    EXPECT_EQ(replay.count(), 0);
    EXPECT_EQ(replay.megabytes(), 0);
}

TEST(Replay, ASelectedEntryIsKeptUntilTheViewIsLiveAgain) {
    Replay replay;
    replay.set_open(true);
    for (std::uint64_t i = 1; i <= 10; ++i) replay.add(make_result(static_cast<std::int64_t>(i), 2), i);
    replay.selectNumber(4);
    ASSERT_NE(replay.selected(), nullptr);
    EXPECT_EQ(replay.selected()->frame, 4);
    EXPECT_EQ(replay.stages().size(), 2);
    replay.add(make_result(11, 2), 11);
    EXPECT_EQ(replay.count(), 10) << "frozen";
    replay.step(-100);
    EXPECT_EQ(replay.selected()->frame, 1);
    replay.step(1);
    EXPECT_EQ(replay.selected()->frame, 2);
    replay.selectNumber(1e300);
    EXPECT_EQ(replay.selected()->frame, 10);
    replay.selectSecondsAgo(-5);
    EXPECT_EQ(replay.selected()->frame, 10);
    replay.goLive();
    EXPECT_EQ(replay.selected(), nullptr);
    replay.add(make_result(12, 2), 12);
    EXPECT_EQ(replay.count(), 11);
}

TEST(Replay, StoresImagesAfterHidingOnly) {
    const auto brightest = [](const QImage& image) {
        int most = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) most = std::max(most, qGray(image.pixel(x, y)));
        }
        return most;
    };
    const auto stored = [](Replay& replay, const std::shared_ptr<FrameResult>& result, std::uint64_t number) {
        replay.add(result, number);
        replay.selectNumber(static_cast<double>(number));
        EXPECT_TRUE(test::wait_for([&] { return !replay.image().isNull(); }));
        const QImage image = replay.image();
        replay.goLive();
        return image;
    };
    Replay replay;
    replay.set_open(true);
    // A white square in a gray frame, which is hidden whole: nothing is known about it.
    auto result = make_result(0, 1);
    FramePool pool;
    WritableFrame writable = pool.take(PixelFormat::gray8, 640, 480);
    for (int y = 0; y < 480; ++y) {
        for (int x = 0; x < 640; ++x) {
            writable.data(0)[y * static_cast<std::ptrdiff_t>(writable.plane(0).pitch) + x] =
                x / 40 == 8 && y / 40 == 6 ? 255 : 40;
        }
    }
    result->frame = std::move(writable).finish();
    result->plan.reset();
    const QImage plain = stored(replay, result, 1);
    EXPECT_EQ(plain.width(), Replay::kImageWidth);
    EXPECT_GT(brightest(plain), 200);
    replay.set_hides_faces(true);
    EXPECT_EQ(replay.count(), 0) << "what was stored without hiding is dropped";
    EXPECT_LT(brightest(stored(replay, result, 2)), 200);
    const auto below_pointer = replay.imageAt(0).value<QImage>();
    EXPECT_EQ(below_pointer.width(), Replay::kImageWidth);
    EXPECT_LT(brightest(below_pointer), 200);
    EXPECT_EQ(replay.momentAt(0), "0.0 s before · 1 found");
}

TEST_F(Window, ShowsAFrameOfTheLast30Seconds) {
    test::FakeClip clip;
    clip.boxes = 6;
    open(clip);
    activate();
    play();
    QTest::keyClick(window_, Qt::Key_I);
    ASSERT_TRUE(test::wait_for(
        [&] { return session_->view<Replay>()->seconds() > 0.6 && session_->view<Replay>()->cost_ms() > 0; }));
    EXPECT_TRUE(in_sight("replayStrip"));
    EXPECT_EQ(item("replayFrame"), nullptr) << "live";
    const QQuickItem* plot = item("replayPlot");
    ASSERT_NE(plot, nullptr);
    const QQuickItem* seek_bar = item("seekBar");
    ASSERT_NE(seek_bar, nullptr);
    EXPECT_GE(plot->mapToScene({0, 0}).x(), seek_bar->mapToScene({seek_bar->width(), 0}).x()) << "its end";
    for (const double x : {9.0, 3.0}) {
        QTest::mouseMove(window_, plot->mapToScene(QPointF(x, plot->height() / 2)).toPoint());
    }
    ASSERT_TRUE(test::wait_for([&] { return item("replayPeek") != nullptr; }));
    const auto moment = [&] { return item("replayPeek")->property("text").toString(); };
    const QString before = moment();
    EXPECT_TRUE(test::wait_for([&] { return moment() != before; })) << "the oldest frame grows older";
    QTest::mouseClick(window_, Qt::LeftButton, Qt::NoModifier,
                      plot->mapToScene(QPointF(plot->width() - 3, plot->height() / 2)).toPoint());
    ASSERT_TRUE(session_->view<Replay>()->active());
    EXPECT_EQ(session_->view<Replay>()->stages().size(), session_->result()->timings.size());
    EXPECT_TRUE(in_sight("replayFrame"));
    EXPECT_TRUE(in_sight("replayStages"));
    const std::int64_t frame = session_->view<Replay>()->selected()->frame;
    QTest::keyClick(window_, Qt::Key_Comma);
    EXPECT_LT(session_->view<Replay>()->selected()->frame, frame);
    QTest::keyClick(window_, Qt::Key_Escape);
    EXPECT_FALSE(session_->view<Replay>()->active());
    EXPECT_TRUE(session_->view<Replay>()->open());

    // A spike of the timing plot.
    const QQuickItem* spikes = item("timingPlot");
    ASSERT_NE(spikes, nullptr);
    const QPointF at(spikes->width() - 20, 10);
    QTest::mouseClick(window_, Qt::LeftButton, Qt::NoModifier, spikes->mapToScene(at).toPoint());
    ASSERT_TRUE(test::wait_for([&] { return session_->view<Replay>()->active(); }));
    QTest::mouseClick(window_, Qt::LeftButton, Qt::NoModifier, center_of(*item("replayLive")));
    EXPECT_TRUE(test::wait_for([&] { return !session_->view<Replay>()->active(); }));

    QTest::keyClick(window_, Qt::Key_I);
    EXPECT_FALSE(session_->view<Replay>()->open());
    EXPECT_EQ(session_->view<Replay>()->count(), 0);
}

TEST_F(Window, DrawsTheReplayAtEverySize) {
    test::FakeClip clip;
    clip.width = 1280;
    clip.height = 720;
    clip.boxes = 60;
    open(clip, {1320, 800});
    play();
    TH_NEEDS_READ_BACK(*window_);
    session_->view<Replay>()->set_open(true);
    ASSERT_TRUE(test::wait_for([&] { return session_->view<Replay>()->count() > 20; }));
    for (const QSize size : {QSize(800, 480), QSize(1280, 800), QSize(1920, 1080), QSize(600, 900)}) {
        window_->resize(size);
        session_->view<Replay>()->goLive();
        EXPECT_EQ(wait_until_drawn("replayStrip", "replay-live"), "") << size.width();
        session_->view<Replay>()->step(-12);
        EXPECT_EQ(wait_until_drawn("replayFrame", "replay"), "") << size.width();
        for (const char* name : {"replayPlot", "fullScreenButton"}) {
            EXPECT_TRUE(test::wait_for([&] { return in_sight(name); })) << name << " at " << size.width();
        }
    }
}

// The bars go when the pointer rests, but not below what is being looked at.
TEST_F(Window, TheBarStaysInFullScreenWhileTheReplayIsOpen) {
    open({}, {1320, 800});
    play();
    trigger("fullscreen");
    const auto bars = [&] { return window_->property("chrome").toBool(); };
    ASSERT_TRUE(test::wait_for([&] { return window_->property("fullScreen").toBool() && !bars(); }));
    session_->view<Replay>()->set_open(true);
    EXPECT_TRUE(bars());
    ASSERT_TRUE(test::wait_for([&] { return session_->view<Replay>()->count() > 0 && item("replayPlot") != nullptr; }));
    const QQuickItem* strip = item("replayStrip");
    ASSERT_NE(strip, nullptr);
    EXPECT_EQ(strip->height(), 52) << "its bar is in the transport bar";
    session_->view<Replay>()->set_open(false);
    EXPECT_TRUE(test::wait_for([&] { return !bars(); }));
}

TEST_F(Window, TheFiguresAreThoseOfTheReplayedFrame) {
    open({}, {1320, 800});
    play();
    auto& replay = *session_->view<Replay>();
    replay.set_open(true);
    ASSERT_TRUE(test::wait_for([&] { return replay.count() > 0; }));
    trigger("play");
    ASSERT_TRUE(test::wait_for([&] { return session_->transport()->state() == "paused"; }));
    replay.add(make_result(9, 27), session_->history()->added() + 100);
    const auto headline = [&] { return item("headline")->property("text").toString(); };
    EXPECT_TRUE(test::wait_for([&] { return headline() == "1"; }));
    replay.step(0);
    ASSERT_TRUE(replay.active());
    EXPECT_EQ(headline(), "27");
    replay.goLive();
    EXPECT_EQ(headline(), "1");
}

}  // namespace
}  // namespace throng::ui
