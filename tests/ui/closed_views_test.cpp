// Tests that views cost nothing while they are closed: no computation and no readback of raw detections.
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
    QObject* const views[] = {session_->matrix(), session_->stage_map(), session_->replay(), session_->compare(),
                              session_->race()};
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

}  // namespace
}  // namespace throng::ui
