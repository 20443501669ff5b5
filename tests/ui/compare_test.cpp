// Tests the comparison of two settings on the same frame.
#include "tests/ui/window_fixture.h"

namespace throng::ui {
namespace {

class Comparison : public Window {
protected:
    [[nodiscard]] CompareView& view() { return *session_->view<CompareView>(); }

    // Opens the view on a paused frame. The fake detector finds boxes at the gray value of the frame; HOG's settings on
    // the right side keep it there.
    void compare_at(int index) {
        play();
        pause_at(index);
        trigger("compare");
        view().second()->set_detector(0);  // the fake backend has no LBP
        ASSERT_TRUE(test::wait_for([&] { return view().ready() && view().pair()->left == session_->result(); }))
            << view().error().toStdString();
    }
};

TEST_F(Comparison, ShowsBothSettingsOnTheSameFrame) {
    test::FakeClip clip;
    clip.boxes = 60;
    open(clip);
    play();
    activate();
    QTest::keyClick(window_, Qt::Key_V);
    EXPECT_TRUE(view().open());
    view().second()->set_detector(0);
    int pairs = 0, wrong = 0;
    QObject::connect(&view(), &CompareView::changed, [&] {
        if (!view().ready()) return;
        ++pairs;
        const ComparePair& pair = *view().pair();
        // The position of the boxes encodes the number of the frame.
        const float x = static_cast<float>(test::gray_of(pair.left->frame.info().index));
        if (pair.right->frame.info().index != pair.left->frame.info().index) ++wrong;
        if (pair.left->kept.detections.front().box.x != x || pair.right->kept.detections.front().box.x != x) ++wrong;
        if (pair.left_image.size() != pair.right_image.size()) ++wrong;
    });
    ASSERT_TRUE(test::wait_for([&] { return pairs >= 8; }));
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(view().left_count(), 20);
    EXPECT_EQ(view().right_count(), 20);
    EXPECT_GT(view().right_ms(), 0);
    EXPECT_GT(view().alone_ms(), 0);
    EXPECT_LE(view().shown(), view().offered());
    EXPECT_TRUE(in_sight("compareLeft"));
    EXPECT_TRUE(in_sight("compareRight"));

    QTest::keyClick(window_, Qt::Key_Escape);
    EXPECT_FALSE(view().open());
    EXPECT_FALSE(view().ready());
    const int before = pairs;
    ASSERT_TRUE(wait_for_results(10));
    EXPECT_EQ(pairs, before) << "nothing is computed while the view is closed";
}

// A slow detector's boxes are carried to the frames in between, which is no comparison of detections.
TEST_F(Comparison, ComparesDetectedFramesOnly) {
    carry_ = true;
    test::FakeClip clip;
    clip.detect_ms = 40;
    open(clip);
    play();
    ASSERT_TRUE(test::wait_for([&] { return session_->result()->carried; }));
    trigger("compare");
    view().second()->set_detector(0);
    ASSERT_TRUE(test::wait_for([&] { return view().shown() >= 4; })) << view().error().toStdString();
    EXPECT_FALSE(session_->result()->carried);
    trigger("compare");
    ASSERT_TRUE(test::wait_for([&] { return session_->result()->carried; })) << "as before";
}

TEST_F(Comparison, StartsAsACopyWithOneChange) {
    open({});
    play();
    session_->detection()->set_detector(2);  // HOG: no other detector finds people
    session_->detection()->set_min_size(64);
    trigger("compare");
    EXPECT_EQ(view().second()->values().detector, session_->detection()->values().detector);
    EXPECT_NE(view().second()->values().nms.rule, session_->detection()->values().nms.rule);
    view().copyFirst();
    EXPECT_EQ(view().second()->values().nms, session_->detection()->values().nms);
    view().second()->set_theta(0.6);
    EXPECT_NE(session_->detection()->theta(), 0.6) << "the left side keeps its setting";
    trigger("compare");
    EXPECT_FALSE(view().open());
    session_->detection()->set_detector(0);
    trigger("compare");
    EXPECT_EQ(view().second()->detector(), 1) << "another detector for faces";
}

// The defaults of each kind would compare Haar from 48 px with LBP from 24 px, which searches four times as much.
TEST_F(Comparison, ComparesDetectorsAtTheSameSizes) {
    open({});
    play();
    session_->detection()->set_detector(0);
    session_->detection()->set_min_size(48);
    session_->detection()->set_max_size(300);
    session_->detection()->set_scale_factor(1.3);
    trigger("compare");
    const auto right = [&] { return view().second()->values().detector; };
    ASSERT_EQ(right().kind, DetectorId::lbp);
    EXPECT_EQ(right().min_size, 48);
    EXPECT_EQ(right().max_size, 300);
    EXPECT_EQ(right().scale_factor, 1.3);
    view().second()->set_detector(3);
    ASSERT_EQ(right().kind, DetectorId::cnn);
    EXPECT_EQ(right().min_size, 48);
    EXPECT_EQ(right().scale_factor, detector_kind("cnn").params.scale_factor) << "in another unit";
    view().second()->set_detector(2);
    EXPECT_EQ(right().min_size, detector_kind("hog").params.min_size) << "of people, not of faces";
    session_->detection()->set_min_size(64);
    view().second()->set_detector(1);
    EXPECT_EQ(right().min_size, 64) << "those of the left side now";
}

TEST_F(Comparison, SaysWhyTheSecondSettingCannotRun) {
    open({});
    play();
    trigger("compare");  // with LBP, which the fake backend does not have
    ASSERT_EQ(view().second()->detector(), 1);
    ASSERT_TRUE(test::wait_for([&] { return view().error().contains("cannot be made"); }));
    EXPECT_FALSE(view().ready());
    EXPECT_TRUE(shows("this detector cannot be made"));
    view().second()->set_detector(0);
    ASSERT_TRUE(test::wait_for([&] { return view().ready(); }));
    EXPECT_TRUE(view().error().isEmpty());
}

TEST_F(Comparison, DragsTheDividerByMouseTouchAndKeys) {
    test::FakeClip clip;
    clip.boxes = 3;
    open(clip, {1500, 800});
    activate();
    compare_at(500000);
    QQuickItem* divider = item("compareDivider");
    QQuickItem* overlay = divider->parentItem();
    const auto fraction = [&] { return overlay->property("fraction").toReal(); };
    EXPECT_EQ(fraction(), 0.5);
    const QPoint from = center_of(*divider);
    const int quarter = static_cast<int>(overlay->width() / 4);
    QTest::mousePress(window_, Qt::LeftButton, {}, from);
    for (int step = 1; step <= 8; ++step) QTest::mouseMove(window_, from - QPoint(step * quarter / 8, 0));
    QTest::mouseRelease(window_, Qt::LeftButton, {}, from - QPoint(quarter, 0));
    EXPECT_NEAR(fraction(), 0.25, 0.02);

    static QPointingDevice* finger = QTest::createTouchDevice();
    const QPoint touch = center_of(*divider);
    QTest::touchEvent(window_, finger).press(0, touch, window_);
    for (int step = 1; step <= 8; ++step)
        QTest::touchEvent(window_, finger).move(0, touch + QPoint(step * quarter / 4, 0), window_);
    QTest::touchEvent(window_, finger).release(0, touch + QPoint(2 * quarter, 0), window_);
    EXPECT_NEAR(fraction(), 0.75, 0.02);

    const double position = session_->transport()->position();
    divider->forceActiveFocus(Qt::TabFocusReason);
    for (int i = 0; i < 5; ++i) QTest::keyClick(window_, Qt::Key_Left);
    EXPECT_NEAR(fraction(), 0.65, 0.02);
    QTest::keyClick(window_, Qt::Key_Home);
    EXPECT_EQ(fraction(), 0);
    EXPECT_EQ(session_->transport()->position(), position) << "the keys do not seek";
}

// Each side has the boxes of its setting: one side is shown, then the other, at the edge of the same box.
TEST_F(Comparison, DrawsEachSideWithItsOwnBoxes) {
    test::FakeClip clip;
    open(clip, {1500, 800});
    TH_NEEDS_READ_BACK(*window_);
    session_->display()->set_raw(false);
    session_->detection()->set_detector(0);
    compare_at(500000);
    view().second()->set_min_hits(2);  // suppresses the only box, which has one hit
    ASSERT_TRUE(test::wait_for([&] { return view().ready() && view().right_count() == 0; }));
    EXPECT_EQ(view().left_count(), 1);
    const int value = test::gray_of(session_->result()->frame.info().index);
    const QColor gray(value, value, value), accent(0x2e, 0xe6, 0xbf);
    const Box box = session_->result()->kept.detections.front().box;
    QQuickItem* overlay = item("compareDivider")->parentItem();
    const auto edge_is = [&](const QColor& color) {
        return test::wait_for_image(*window_, [&](const QImage& image) {
            return test::difference(0.5, 1, shown_at(image, box, 0.5, 1), color, 3) +
                   test::difference(0.5, 0.5, shown_at(image, box, 0.5, 0.5), gray, 3);
        });
    };
    overlay->setProperty("fraction", 1.0);
    EXPECT_EQ(edge_is(accent), "");
    overlay->setProperty("fraction", 0.0);
    EXPECT_EQ(edge_is(gray), "");
}

// Without a plan of what to hide, the whole frame is hidden on both sides.
TEST_F(Comparison, HidesFacesOnBothSides) {
    test::FakeClip clip;
    open(clip, {1500, 800});
    session_->display()->set_blur(true);
    compare_at(500000);
    ASSERT_TRUE(view().pair()->left->plan.has_value());
    ASSERT_TRUE(view().pair()->right->plan.has_value());
    EXPECT_EQ(view().pair()->right->plan->regions.size(), view().pair()->left->plan->regions.size());
}

TEST_F(Comparison, IsDrawnAtEverySize) {
    test::FakeClip clip;
    clip.width = 1280;
    clip.height = 720;
    clip.boxes = 300;
    open(clip);
    compare_at(500000);
    TH_NEEDS_READ_BACK(*window_);
    for (const QSize size : {QSize(640, 400), QSize(800, 480), QSize(1280, 800), QSize(1920, 1080), QSize(600, 900)}) {
        window_->resize(size);
        EXPECT_EQ(wait_until_drawn("compareItem", "compare"), "") << size.width();
    }
}

}  // namespace
}  // namespace throng::ui
