// Tests that an installed network becomes the default detector if it keeps up, with given times.
#include "ui/session/network_trial.h"
#include "tests/ui/window_fixture.h"

namespace throng::ui {
namespace {

FrameResult result_of(double ms) {
    FrameResult result;
    result.timings = {{stage::kDecode, 500}, {stage::kCascade, ms - 2}, {stage::kNmsReduce, 2}, {stage::kTotal, 700}};
    return result;
}

TEST(NetworkTrial, ReturnsTheMedianAfterTheFirstFrames) {
    NetworkTrial trial(true);
    EXPECT_TRUE(trial.due());
    trial.start();
    EXPECT_TRUE(trial.measuring());
    const auto skip = [&] {
        for (int i = 0; i < NetworkTrial::kSkipped; ++i) EXPECT_FALSE(trial.add(result_of(1000)));
    };
    skip();
    EXPECT_FALSE(trial.add(result_of(30)));
    trial.restart();
    skip();
    for (const double ms : {31.0, 90.0, 30.0, 32.0}) EXPECT_FALSE(trial.add(result_of(ms)));
    EXPECT_EQ(trial.add(result_of(29)), 31);
    trial.end();
    EXPECT_FALSE(trial.due());
    EXPECT_FALSE(NetworkTrial(false).due());
}

class NetworkDefault : public Window {
protected:
    // Opens the window on a machine with a network that takes these milliseconds per frame. 0: it cannot run.
    void open_with_network(double ms) {
        detector_chosen_ = false;
        try_network_ = true;
        keep_rate_ = 12;  // 83 ms
        test::FakeClip clip;
        clip.cnn_ms = ms > 0 ? ms - 4.5 : 0;  // the other fake stages take 4.5 ms
        open(clip);
        ASSERT_TRUE(test::wait_for([&] { return session_->detection()->offers_network(); }));
        session_->detection()->set_installed_models(
            {{{"yunet_n_dynamic", DetectorId::cnn, "/m/yunet_n_dynamic.onnx"}, 0.25F}});
    }
    [[nodiscard]] DetectorId kind() const { return session_->detection()->values().detector.kind; }
    [[nodiscard]] bool says(const char* text) const { return session_->feedback()->text().contains(text); }
};

TEST_F(NetworkDefault, UsesANetworkThatKeepsUp) {
    open_with_network(31);
    play();
    ASSERT_TRUE(test::wait_for([&] { return says("31 ms per frame; using it. Key D changes it"); }));
    EXPECT_EQ(kind(), DetectorId::cnn);
    EXPECT_EQ(item("networkHint"), nullptr);
    session_->detection()->reset();
    EXPECT_EQ(kind(), DetectorId::cnn) << "it is the default now";
    activate();
    QTest::keyClick(window_, Qt::Key_D);
    ASSERT_TRUE(wait_for_results(15));
    EXPECT_EQ(kind(), DetectorId::haar) << "the user's choice is kept";
}

TEST_F(NetworkDefault, ReturnsIfItIsTooSlow) {
    open_with_network(90);
    play();
    ASSERT_TRUE(test::wait_for([&] { return says("90 ms per frame, too slow here; using Haar"); }));
    session_->feedback()->say(session_->feedback()->text(), 600000);
    for (const QSize size : {QSize(480, 400), QSize(800, 480)}) {
        window_->resize(size);
        draw();
        const QQuickItem* text = item("feedbackText");
        ASSERT_NE(text, nullptr);
        EXPECT_FALSE(text->property("truncated").toBool()) << size.width();
    }
    window_->resize(1320, 800);
    ASSERT_TRUE(wait_for_results(15));
    EXPECT_EQ(kind(), DetectorId::haar) << "it is not tried again";
    EXPECT_NE(item("networkHint"), nullptr) << "the user may prefer it all the same";
    play("other.mp4");
    ASSERT_TRUE(wait_for_results(15));
    EXPECT_EQ(kind(), DetectorId::haar) << "nor with another source";
}

TEST_F(NetworkDefault, ReturnsIfItCannotRun) {
    open_with_network(0);
    play();
    ASSERT_TRUE(test::wait_for([&] { return !session_->status()->notice().isEmpty() && kind() == DetectorId::haar; }));
    ASSERT_TRUE(wait_for_results(15));
    EXPECT_EQ(kind(), DetectorId::haar);
    EXPECT_FALSE(says("using it"));
}

TEST_F(NetworkDefault, AChoiceOfTheUserEndsTheTrial) {
    open_with_network(31);
    session_->detection()->set_installed_models({});  // found later
    play();
    pause_at(500000);
    session_->detection()->set_installed_models(
        {{{"yunet_n_dynamic", DetectorId::cnn, "/m/yunet_n_dynamic.onnx"}, 0.25F}});
    trigger("step");
    ASSERT_TRUE(test::wait_for([&] { return kind() == DetectorId::cnn; }))
        << "while paused, too few frames for a decision";
    EXPECT_FALSE(says("using it"));
    session_->detection()->set_detector(2);
    trigger("play");
    ASSERT_TRUE(wait_for_results(20));
    EXPECT_EQ(kind(), DetectorId::hog);
    EXPECT_FALSE(says("using"));
}

TEST_F(NetworkDefault, AChosenDetectorStays) {
    open_with_network(31);
    session_->detection()->set_theta(0.3);  // no choice of a detector
    session_->detection()->set_detector(2);
    play();
    ASSERT_TRUE(wait_for_results(15));
    EXPECT_EQ(kind(), DetectorId::hog);
}

}  // namespace
}  // namespace throng::ui
