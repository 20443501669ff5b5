// Tests that views cost nothing while they are closed or covered: no computation and no readback of raw detections.
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

}  // namespace
}  // namespace throng::ui
