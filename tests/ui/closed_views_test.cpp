// Tests all views together: closed or covered they cost nothing, open they accept frames of any size with any number of
// boxes.
#include <QSignalSpy>

#include "tests/ui/window_fixture.h"

namespace throng::ui {
namespace {

TEST_F(Window, ClosedViewsComputeNothing) {
    test::FakeClip clip;
    clip.boxes = 30;
    open(clip);
    play();
    session_->display()->set_raw(false);
    QObject* const views[] = {session_->view<MatrixView>(), session_->view<StageMapView>(), session_->view<Replay>(),
                              session_->view<CompareView>(), session_->view<RaceView>()};
    const char* const actions[] = {"matrix", "stageMap", "replay", "compare", "race"};
    for (int i = 0; i < 5; ++i) {
        SCOPED_TRACE(actions[i]);
        ASSERT_TRUE(test::wait_for([&] { return session_->result()->raw.detections.empty(); })) << "no readback";
        QSignalSpy changed(views[i], SIGNAL(changed()));
        ASSERT_TRUE(wait_for_results(10));
        EXPECT_EQ(changed.count(), 0) << "never opened";
        trigger(actions[i]);
        EXPECT_TRUE(views[i]->property("open").toBool());
        ASSERT_TRUE(test::wait_for([&] { return changed.count() > 0; })) << "open";
        trigger(actions[i]);
        EXPECT_FALSE(views[i]->property("open").toBool());
        if (!session_->transport()->playing()) trigger("play");  // the race pauses
        ASSERT_TRUE(wait_for_results(3));                        // of before
        changed.clear();
        ASSERT_TRUE(wait_for_results(10));
        EXPECT_EQ(changed.count(), 0) << "closed";
    }
}

TEST_F(Window, CoveredViewsComputeNothing) {
    test::FakeClip clip;
    clip.boxes = 30;
    open(clip);
    play();
    StageMapView& map = *session_->view<StageMapView>();
    QSignalSpy shown(&map, &StageMapView::behindChanged);  // with every result that it gets
    trigger("stageMap");
    ASSERT_TRUE(test::wait_for([&] { return shown.count() > 1; }));
    trigger("compare");
    EXPECT_TRUE(map.covered());
    map.clear();  // its thread may still work on a result
    shown.clear();
    QSignalSpy refreshed(session_.get(), &Session::refreshed);
    ASSERT_TRUE(test::wait_for([&] { return refreshed.count() > 3; }));
    EXPECT_EQ(shown.count(), 0) << "below the comparison";
    session_->set_seen(false);
    trigger("compare");
    EXPECT_FALSE(map.covered());
    shown.clear();
    refreshed.clear();
    ASSERT_TRUE(test::wait_for([&] { return refreshed.count() > 3; }));
    EXPECT_EQ(shown.count(), 0) << "nobody sees the window";
    session_->set_seen(true);
    EXPECT_TRUE(test::wait_for([&] { return shown.count() > 0; })) << "in sight again";
}

// Matrix and race have cases of their own.
TEST_F(Window, ViewsAcceptNoneAndManyBoxes) {
    for (const int boxes : {0, 20000}) {
        SCOPED_TRACE(boxes);
        test::FakeClip clip;
        clip.boxes = boxes;
        open(clip);
        play();
        for (const char* action : {"counts", "replay", "compare"}) trigger(action);
        auto& compare = *session_->view<CompareView>();
        compare.second()->set_detector(0);
        ASSERT_TRUE(test::wait_for([&] { return compare.ready() && session_->view<Replay>()->count() > 0; }));
        EXPECT_EQ(compare.left_count() > 0, boxes > 0);
        EXPECT_FALSE(session_->alert()->visible()) << session_->alert()->what().toStdString();
    }
}

TEST_F(Window, OpenViewsFollowASourceWhoseSizeChanges) {
    test::FakeClip clip;
    clip.boxes = 30;
    clip.grows_at = 1000;
    open(clip);
    play();
    pause_at(10);
    for (const char* action : {"matrix", "counts", "stageMap", "replay", "compare"}) trigger(action);
    auto& compare = *session_->view<CompareView>();
    compare.second()->set_detector(0);
    ASSERT_TRUE(test::wait_for([&] { return compare.ready(); }));
    draw();
    session_->transport()->seek(1500 / clip.fps);
    ASSERT_TRUE(test::wait_for([&] { return compare.pair()->right->frame.width() == 2 * clip.width; }));
    EXPECT_EQ(compare.pair()->left->frame.width(), 2 * clip.width) << "both sides show the same frame";
    trigger("compare");
    const auto& map = *session_->view<StageMapView>();
    EXPECT_TRUE(test::wait_for([&] { return map.ready() && map.cells().width() == 2.0 * clip.width / kStageCell; }));
    EXPECT_TRUE(test::wait_for([&] { return session_->view<MatrixView>()->count() == clip.boxes; }));
    EXPECT_TRUE(test::wait_for([&] { return session_->view<Replay>()->entries().back().width == 2 * clip.width; }));
    EXPECT_TRUE(test::wait_for([&] { return video_->frame().image.width() > 0; }));
    draw();
    EXPECT_FALSE(session_->alert()->visible());
}

TEST_F(Window, DrawsTheSmallestAndTheLargestSource) {
    for (const QSize frame : {QSize(16, 16), QSize(7680, 4320)}) {
        test::FakeClip clip;
        clip.width = frame.width();
        clip.height = frame.height();
        clip.frames = 1;
        for (const QSize size : {QSize(800, 480), QSize(480, 800)}) {
            SCOPED_TRACE(testing::Message() << frame.width() << " in " << size.width());
            open(clip, size);
            TH_NEEDS_READ_BACK(*window_);
            session_->display()->set_kept(false);
            play();
            const QPointF middle = video_->mapToScene(video_->boundingRect().center());
            EXPECT_EQ(test::wait_for_image(*window_,
                                           [&](const QImage& image) {
                                               const double ratio = image.width() / static_cast<double>(size.width());
                                               const int gray = test::gray_of(0);
                                               return test::difference(0.5, 0.5,
                                                                       image.pixelColor((middle * ratio).toPoint()),
                                                                       QColor(gray, gray, gray), 3);
                                           }),
                      "");
        }
    }
}

}  // namespace
}  // namespace throng::ui
