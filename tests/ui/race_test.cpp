// Tests the race in the window, with contestants of the test. The real ones are tested in tests/unit/app/race_test.cpp.
#include <atomic>

#include "tests/ui/window_fixture.h"

namespace throng::ui {
namespace {

class Race : public Window {
protected:
    void open_with_contestants(int boxes) {
        race_suppression_ = [this](const RaceInput& input, const auto& show, const std::stop_token&) {
            ++races_;
            raw_ = static_cast<int>(input.raw.detections.size());
            frame_ = input.frame.info().index;
            show({"Throng, greedy (CPU)", "same 20 boxes", 2, "", true});
            show({"Plain loop, greedy (CPU)", "same 20 boxes", 50, "", false});
            show({"The paper's kernels, one-pass (GPU)", "", 0, "need a GPU", false});
        };
        race_detector_ = [](const RaceInput&, const auto& show, const std::stop_token& stop) {
            show({"Haar cascade as set (CPU)", "same 60 raw detections", 10, "", true});
            if (!stop.stop_requested()) show({"on one thread", "same 60 raw detections", 25, "", false});
        };
        test::FakeClip clip;
        clip.boxes = boxes;
        open(clip);
        session_->display()->set_raw(false);
    }
    [[nodiscard]] RaceView& race() { return *session_->view<RaceView>(); }
    [[nodiscard]] bool is_done() { return race().raw_count() >= 0 && !race().running(); }

    std::atomic<int> races_ = 0, raw_ = -1;
    std::atomic<std::int64_t> frame_ = -1;
};

TEST_F(Race, MeasuresTheFrameOnScreenWhilePaused) {
    open_with_contestants(60);
    activate();
    play();
    ASSERT_TRUE(test::wait_for([&] { return session_->transport()->playing(); }));
    QTest::keyClick(window_, Qt::Key_X);
    ASSERT_TRUE(test::wait_for([&] { return is_done(); }));
    EXPECT_FALSE(session_->transport()->playing()) << "playback does not compete with the race";
    EXPECT_EQ(races_, 1);
    EXPECT_EQ(raw_, 60) << "all raw detections of the frame";
    ASSERT_EQ(race().suppression().size(), 3);
    const QVariantMap plain = race().suppression()[1].toMap();
    EXPECT_EQ(plain["times"].toDouble(), 25);
    EXPECT_NEAR(plain["share"].toDouble(), 1.5, 0.001);
    EXPECT_TRUE(test::wait_for([&] { return shows("50.0 ms · 25 times") && shows("150 % of a 33 ms frame"); }));
    EXPECT_TRUE(shows("need a GPU"));
    EXPECT_TRUE(shows("on one thread"));
    EXPECT_TRUE(in_sight("racePanel"));

    const std::int64_t measured = frame_;
    trigger("step");
    ASSERT_TRUE(test::wait_for([&] { return session_->result()->frame.info().index != measured; }));
    EXPECT_EQ(races_, 1) << "runs on request only";
    ASSERT_TRUE(click("Again"));
    ASSERT_TRUE(test::wait_for([&] { return is_done() && races_ == 2; }));
    EXPECT_EQ(frame_, session_->result()->frame.info().index);

    QTest::keyClick(window_, Qt::Key_Escape);
    EXPECT_FALSE(race().open());
    EXPECT_EQ(race().suppression().size(), 0);
    EXPECT_TRUE(test::wait_for([&] { return session_->transport()->playing(); })) << "playback goes on";
    EXPECT_TRUE(test::wait_for([&] { return session_->result()->raw.detections.empty(); })) << "no longer read back";
}

TEST_F(Race, MeasuresTheFirstFrameOfASourceOpenedMeanwhile) {
    open_with_contestants(60);
    play();
    for (const bool was_paused : {false, true}) {
        SCOPED_TRACE(was_paused);
        ASSERT_TRUE(test::wait_for([&] { return session_->transport()->playing(); }));
        if (was_paused) {
            trigger("play");
            ASSERT_TRUE(test::wait_for([&] { return session_->transport()->state() == "paused"; }));
        }
        trigger("race");
        ASSERT_TRUE(test::wait_for([&] { return is_done(); }));
        const int before = races_;
        session_->open("other.mp4");
        ASSERT_TRUE(test::wait_for([&] { return races_ == before + 1 && is_done(); }));
        EXPECT_EQ(session_->pipeline()->state(), PipelineState::paused);
        EXPECT_EQ(frame_, 0);
        EXPECT_EQ(session_->pipeline()->counters().detected, 1);
        trigger("race");
        EXPECT_TRUE(test::wait_for([&] { return session_->transport()->playing(); })) << "it would have played";
        session_->open("clip.mp4");
        ASSERT_TRUE(test::wait_for([&] { return session_->source()->spec() == "clip.mp4"; }));
    }
}

TEST_F(Race, SharesItsSideWithTheMatrix) {
    open_with_contestants(60);
    play();
    trigger("matrix");
    trigger("race");
    EXPECT_FALSE(session_->view<MatrixView>()->open());
    trigger("matrix");
    EXPECT_FALSE(race().open());
    EXPECT_TRUE(session_->view<MatrixView>()->open());
}

TEST_F(Race, AcceptsNoAndManyDetections) {
    for (const int boxes : {0, 20000}) {
        open_with_contestants(boxes);
        play();
        trigger("race");
        ASSERT_TRUE(test::wait_for([&] { return is_done(); })) << boxes;
        EXPECT_EQ(raw_, std::min(boxes, 20000));
        engine_.reset();
    }
}

TEST_F(Race, ShowsTheErrorOfAContestant) {
    race_suppression_ = [](const RaceInput&, const auto&, const std::stop_token&) {
        throw Error(ErrorKind::unavailable, "no such backend", "", "take another one");
    };
    open({});
    play();
    trigger("race");
    ASSERT_TRUE(test::wait_for([&] { return !race().error().isEmpty(); }));
    EXPECT_TRUE(shows("no such backend"));
}

TEST_F(Race, IsDrawnAtEverySize) {
    open_with_contestants(300);
    play();
    trigger("race");
    ASSERT_TRUE(test::wait_for([&] { return is_done(); }));
    TH_NEEDS_READ_BACK(*window_);
    for (const QSize size : {QSize(640, 400), QSize(800, 480), QSize(1280, 800), QSize(1920, 1080), QSize(600, 900)}) {
        window_->resize(size);
        EXPECT_EQ(wait_until_drawn("racePanel", "race"), "") << size.width();
    }
}

}  // namespace
}  // namespace throng::ui
