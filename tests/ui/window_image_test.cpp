// Tests what lies over the image and how it is played: figures, messages, zoom, single frames, repeated parts.
#include <cmath>

#include "tests/ui/fake_tree.h"
#include "tests/ui/window_fixture.h"

namespace throng::ui {
namespace {

TEST_F(Window, ShowsTheFaceCountWithoutThePanel) {
    test::FakeClip clip;
    clip.boxes = 123;
    open(clip, {800, 480});
    play();
    EXPECT_FALSE(window_->property("panelOpen").toBool());
    EXPECT_TRUE(test::wait_for([&] { return shows("41"); })) << "of 123 raw detections";
    EXPECT_TRUE(shows(session_->detection()->title()));
    for (const QSize size : {QSize(800, 480), QSize(640, 400)}) {
        window_->resize(size);
        EXPECT_TRUE(test::wait_for([&] { return in_sight("figures"); })) << size.width();
    }
    EXPECT_TRUE(test::wait_for([&] { return shows("fps · "); })) << "rate and latency";
    trigger("panel");
    EXPECT_EQ(item("figures"), nullptr) << "the panel shows them";
}

TEST_F(Window, ShowsTheFiguresInFullScreenAndKiosk) {
    kiosk_ = true;
    open({});
    window_->showFullScreen();
    play();
    ASSERT_TRUE(test::wait_for([&] { return window_->property("fullScreen").toBool(); }));
    if (window_->property("panelOpen").toBool()) trigger("panel");
    EXPECT_TRUE(test::wait_for([&] { return in_sight("figures"); }));
}

TEST_F(Window, TheSheetCutsNoRow) {
    open({});
    activate();
    constexpr int kRow = 32;
    for (const QSize size : {QSize(640, 400), QSize(800, 480), QSize(1280, 800)}) {
        window_->resize(size);
        QTest::keyClick(window_, Qt::Key_F1);
        QQuickItem* scroll = nullptr;
        ASSERT_TRUE(test::wait_for([&] { return (scroll = item("sheetScroll")) != nullptr; }));
        const auto is_whole = [&] {
            return std::remainder(scroll->height(), kRow) == 0 &&
                   std::remainder(scroll->property("contentY").toDouble(), kRow) == 0 &&
                   std::remainder(scroll->property("contentHeight").toDouble(), kRow) == 0;
        };
        EXPECT_TRUE(test::wait_for(is_whole))
            << scroll->height() << ' ' << scroll->property("contentHeight").toDouble();
        QTest::keyClick(window_, Qt::Key_Down);
        QTest::keyClick(window_, Qt::Key_PageDown);
        EXPECT_TRUE(is_whole());
        const double hidden = scroll->property("contentHeight").toDouble() - scroll->height();
        EXPECT_EQ(scroll->property("contentY").toDouble() > 0, hidden > 0) << "the keys scroll";
        QTest::keyClick(window_, Qt::Key_Escape);
        ASSERT_TRUE(test::wait_for([&] { return item("sheetScroll") == nullptr; }));
    }
}

TEST_F(Window, NamesTheDetectorAndEveryChange) {
    test::FakeClip clip;
    clip.boxes = 123;
    open(clip);
    play();
    activate();
    EXPECT_TRUE(shows("found by " + session_->detection()->title()));
    const auto says = [&](const QString& text) {
        return test::wait_for([&] { return in_sight("feedback") && session_->feedback()->text().contains(text); });
    };
    QTest::keyClick(window_, Qt::Key_N);
    EXPECT_TRUE(says("Suppression: ")) << session_->feedback()->text().toStdString();
    EXPECT_TRUE(says(": 41 found")) << "of 123 raw detections: " << session_->feedback()->text().toStdString();
    QTest::keyClick(window_, Qt::Key_T);
    EXPECT_TRUE(says(QStringLiteral("Threshold θ")));
    session_->setSwitch("trick", "off");
    EXPECT_TRUE(says("A trick: off: 41 found"));
    QTest::keyClick(window_, Qt::Key_R);
    EXPECT_TRUE(says("Raw detections on"));
    QTest::keyClick(window_, Qt::Key_BracketRight);
    EXPECT_TRUE(says(QStringLiteral("Speed 2×")));
    QTest::keyClick(window_, Qt::Key_Space);
    EXPECT_TRUE(says("Paused"));
    EXPECT_TRUE(test::wait_for([&] { return item("feedback") == nullptr; })) << "it disappears by itself";
    QTest::keyClick(window_, Qt::Key_D);  // the fake backend has no lbp, so that it reverts to the first detector
    ASSERT_TRUE(test::wait_for([&] { return session_->detection()->detector() == 0; }));
    EXPECT_EQ(item("feedback"), nullptr) << session_->feedback()->text().toStdString();
}

TEST_F(Window, StepsForwardAndBack) {
    open({});
    activate();
    play();
    pause_at(500000);
    const auto reaches = [&](int index) {
        return test::wait_for([&] { return session_->result()->frame.info().index == index; });
    };
    QTest::keyClick(window_, Qt::Key_Comma);
    EXPECT_TRUE(reaches(499999));
    QTest::keyClick(window_, Qt::Key_Comma);
    EXPECT_TRUE(reaches(499998));
    QTest::keyClick(window_, Qt::Key_Period);
    EXPECT_TRUE(reaches(499999));
    EXPECT_EQ(session_->transport()->state(), "paused");
}

TEST_F(Window, RepeatsAPart) {
    open({});
    activate();
    play();
    pause_at(500000);
    QTest::keyClick(window_, Qt::Key_A);
    session_->transport()->seek(5000.5);
    ASSERT_TRUE(test::wait_for([&] { return session_->result()->frame.info().index == 500050; }));
    QTest::keyClick(window_, Qt::Key_A);
    EXPECT_DOUBLE_EQ(session_->transport()->loop_start(), 5000);
    EXPECT_DOUBLE_EQ(session_->transport()->loop_end(), 5000.5);
    session_->transport()->seek(5000);
    QTest::keyClick(window_, Qt::Key_Space);
    int returns = 0;
    double last = 0, farthest = 0;
    QObject::connect(session_->transport(), &Transport::positionChanged, window_, [&] {
        const double now = session_->transport()->position();
        if (now < last) ++returns;
        last = now;
        farthest = std::max(farthest, now);
    });
    EXPECT_TRUE(test::wait_for([&] { return returns >= 2; }));
    EXPECT_LT(farthest, 5002);
    QTest::keyClick(window_, Qt::Key_A);
    EXPECT_LT(session_->transport()->loop_start(), 0);
    EXPECT_TRUE(test::wait_for([&] { return session_->transport()->position() > 5001; }));
}

TEST_F(Window, RepeatsAPartUpToTheEndOfTheSource) {
    test::FakeClip clip;
    clip.frames = 100;  // 1 s
    open(clip);
    play();
    ASSERT_TRUE(test::wait_for([&] { return session_->transport()->state() == "ended"; }));
    trigger("markLoop");
    session_->transport()->seek(0.5);
    ASSERT_TRUE(test::wait_for([&] { return session_->transport()->position() < 0.9; }));
    trigger("markLoop");
    EXPECT_GE(session_->transport()->loop_start(), 0.5);
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(test::wait_for([&] { return session_->transport()->position() > 0.9; }));
        ASSERT_TRUE(test::wait_for([&] { return session_->transport()->position() < 0.9; }));
    }
}

TEST_F(Window, EndsWithItsLastPosition) {
    test::FakeClip clip;
    clip.frames = 50;
    clip.fps = 2000;  // the pipeline has ended before the images of its last frames are made
    clip.width = 1920;
    clip.height = 1080;
    open(clip);
    int ends = 0;
    QObject::connect(session_->transport(), &Transport::stateChanged, window_, [&] {
        if (session_->transport()->state() != "ended") return;
        ++ends;
        EXPECT_DOUBLE_EQ(session_->transport()->position(), 49 / 2000.0);
    });
    for (int i = 0; i < 4; ++i) {
        session_->open(QStringLiteral("clip%1.mp4").arg(i));
        ASSERT_TRUE(test::wait_for([&] { return ends == i + 1; }));
    }
}

// The window was busy between two ends of the part.
TEST(Transport, RepeatsAPartThatHasEndedAgain) {
    test::FakeClip clip;
    clip.frames = 10;
    clip.fps = 1000;
    PipelineOptions options;
    options.real_time = true;
    const auto pipeline = std::make_shared<Pipeline>(test::make_fake_source(clip), test::make_fake_backend(clip),
                                                     PipelineSettings{}, options);
    Transport transport(options);
    transport.attach(pipeline);
    pipeline->start();
    std::shared_ptr<const FrameResult> last;
    const auto ends_again = [&] {
        const bool ended =
            test::wait_for([&] { return pipeline->latest() != last && pipeline->state() == PipelineState::ended; });
        last = pipeline->latest();
        return ended;
    };
    ASSERT_TRUE(ends_again());
    transport.set_position(0.002);
    transport.markLoop();
    transport.set_position(0.009);
    transport.markLoop();
    for (int i = 0; i < 3; ++i) {
        transport.set_state(Transport::State::ended);
        ASSERT_TRUE(ends_again()) << i;
        EXPECT_EQ(last->frame.info().index, 9);
    }
}

TEST_F(Window, SeeksToTheTimeBelowThePointer) {
    open({});
    play();
    pause_at(500000);
    auto* seek = window_->findChild<QQuickItem*>("seekBar");
    ASSERT_NE(seek, nullptr);
    for (const double part : {0.05, 0.3, 0.97}) {
        draw();  // the text of the position beside the bar has another width
        const QPoint at = seek->mapToScene(QPointF(part * seek->width(), seek->height() / 2)).toPoint();
        QTest::mouseMove(window_, at - QPoint(3, 0));
        QTest::mouseMove(window_, at);
        ASSERT_TRUE(test::wait_for([&] { return item("hoverTime") != nullptr; }));
        const QStringList parts = item("hoverTimeText")->property("text").toString().split(':');
        double shown = 0;
        for (const QString& digits : parts) shown = 60 * shown + digits.toDouble();
        QTest::mouseClick(window_, Qt::LeftButton, {}, at);
        // Frames have 0.01 s, the text whole seconds.
        EXPECT_TRUE(test::wait_for([&] { return std::abs(session_->transport()->position() - shown) < 1.1; }))
            << part << ": " << session_->transport()->position() << " s, not " << shown;
    }
}

TEST_F(Window, ShowsTheTimeBelowThePointer) {
    open({});
    play();
    pause_at(0);
    auto* seek = window_->findChild<QQuickItem*>("seekBar");
    ASSERT_NE(seek, nullptr);
    EXPECT_EQ(item("hoverTime"), nullptr);
    QTest::mouseMove(window_, center_of(*seek) + QPoint(3, 0));
    QTest::mouseMove(window_, center_of(*seek));
    ASSERT_TRUE(test::wait_for([&] { return item("hoverTime") != nullptr; }));
    EXPECT_TRUE(in_sight("hoverTime"));
    // Half of 10,000 s, within a pixel.
    const QStringList parts = item("hoverTimeText")->property("text").toString().split(':');
    ASSERT_EQ(parts.size(), 3);
    const double seconds = parts[0].toDouble() * 3600 + parts[1].toDouble() * 60 + parts[2].toDouble();
    EXPECT_NEAR(seconds, 5000, 10000 / seek->width() + 1);
}

void turn_wheel(QWindow& window, const QPointF& at, int steps) {
    QWheelEvent event(at, window.mapToGlobal(at), {}, {0, 120 * steps}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                      false);
    QCoreApplication::sendEvent(&window, &event);
}

TEST_F(Window, DrawsWhatWasZoomedAtThePointerAndPanned) {
    open({});
    TH_NEEDS_READ_BACK(*window_);
    session_->display()->set_raw(false);
    activate();
    play();
    pause_at(500001);
    const Box box = video_->frame().result->kept.detections.front().box;
    const auto shown = [&] { return video_->mapRectToScene(video_->mapping().map(box)); };
    const QRectF before = shown();
    const QPointF pointer = before.topLeft();
    turn_wheel(*window_, pointer, 3);
    ASSERT_TRUE(test::wait_for([&] { return video_->zoom() > 1.9; }));
    EXPECT_LT((shown().topLeft() - pointer).manhattanLength(), 3) << "the point below the pointer must not move";
    EXPECT_NEAR(shown().width(), before.width() * video_->zoom(), 2);
    // The edge of the box is drawn there: overlay and image are magnified alike.
    const QColor accent(0x2e, 0xe6, 0xbf);
    const int gray = test::gray_of(500001);
    const auto mismatch = [&](const QImage& image) {
        return test::difference(0, 0.5, shown_at(image, box, 0, 0.5), accent) +
               test::difference(0.5, 0.5, shown_at(image, box, 0.5, 0.5), QColor(gray, gray, gray), 2);
    };
    EXPECT_EQ(test::wait_for_image(*window_, mismatch), "");

    const QPoint start = center_of(*video_);
    const QPointF unmoved = shown().topLeft();
    QTest::mousePress(window_, Qt::LeftButton, {}, start);
    for (int i = 1; i <= 10; ++i) QTest::mouseMove(window_, start + QPoint(8 * i, 4 * i));
    QTest::mouseRelease(window_, Qt::LeftButton, {}, start + QPoint(80, 40));
    EXPECT_GT(shown().left(), unmoved.x() + 30);
    EXPECT_GT(shown().top(), unmoved.y() + 10);
    EXPECT_EQ(test::wait_for_image(*window_, mismatch), "");

    QTest::keyClick(window_, Qt::Key_0);
    EXPECT_EQ(video_->zoom(), 1);
    EXPECT_EQ(shown(), before);
    EXPECT_EQ(test::wait_for_image(*window_, mismatch), "");
    for (int i = 0; i < 40; ++i) QTest::keyClick(window_, Qt::Key_Plus);
    EXPECT_EQ(video_->zoom(), 16);
    EXPECT_TRUE(video_->frame_rect().contains(QRectF(1, 1, video_->width() - 2, video_->height() - 2))) << "no gap";
}

}  // namespace
}  // namespace throng::ui
