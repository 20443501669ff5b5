// Tests the timeline of the seek bar: faces, slow frames, small images, and that hidden faces stay hidden.
#include "ui/replay/timeline.h"
#include "tests/ui/window_fixture.h"

namespace throng::ui {
namespace {

std::shared_ptr<FrameResult> result_at(double seconds, std::size_t faces, double ms) {
    auto result = std::make_shared<FrameResult>();
    FramePool pool;
    WritableFrame writable = pool.take(PixelFormat::gray8, 640, 320);
    writable.info().pts = seconds;
    std::fill_n(writable.data(0), writable.plane(0).pitch * 320, static_cast<std::uint8_t>(200));
    result->frame = std::move(writable).finish();
    result->kept.detections.resize(faces, {{10, 10, 20, 20}, 1, 1, 0});
    result->timings = {{stage::kTotal, ms}};
    return result;
}

TEST(Timeline, HasTheMostFacesAndTheLongestTimeOfEachPart) {
    Timeline timeline;
    EXPECT_EQ(timeline.facesAt(0.5), -1);
    EXPECT_TRUE(timeline.imageAt(0.5).isNull());
    timeline.add(result_at(1, 3, 5), 0);
    EXPECT_TRUE(timeline.parts().empty()) << "the length is unknown";
    for (int second = 0; second < 60; ++second) timeline.add(result_at(second, 2, 5), 120);
    timeline.add(result_at(30.01, 7, 4), 120);
    timeline.add(result_at(60, 1, 50), 120);
    EXPECT_EQ(timeline.facesAt(30.0 / 120), 7);
    EXPECT_EQ(timeline.facesAt(10.0 / 120), 2);
    EXPECT_EQ(timeline.facesAt(0.9), -1) << "not played";
    int slow = 0;
    for (const Timeline::Part& part : timeline.parts()) slow += part.slow ? 1 : 0;
    EXPECT_EQ(slow, 1);
    EXPECT_TRUE(timeline.parts()[120].slow);
    EXPECT_TRUE(test::wait_for([&] { return !timeline.imageAt(0.5).isNull(); }));
    EXPECT_EQ(timeline.imageAt(0.5).value<QImage>().size(), QSize(160, 80));
    EXPECT_TRUE(timeline.imageAt(0.9).isNull());
    timeline.clear();
    EXPECT_TRUE(timeline.parts().empty());
}

TEST(Timeline, HiddenFacesStayHidden) {
    Timeline timeline;
    timeline.add(result_at(60, 1, 5), 120);
    ASSERT_TRUE(test::wait_for([&] { return !timeline.imageAt(0.5).isNull(); }));
    timeline.add(result_at(30, 1, 5), 120);  // its image may be in the making
    timeline.set_hides_faces(true);
    EXPECT_TRUE(timeline.imageAt(0.5).isNull()) << "made without hiding";
    timeline.add(result_at(90, 1, 5), 120);
    ASSERT_TRUE(test::wait_for([&] { return !timeline.imageAt(0.75).isNull(); }));
    EXPECT_TRUE(timeline.imageAt(0.25).isNull());
    timeline.set_hides_faces(false);
    EXPECT_FALSE(timeline.imageAt(0.75).isNull());
}

TEST_F(Window, TheSeekBarShowsWhatWasSeen) {
    open({}, {1320, 800});
    play();
    ASSERT_TRUE(test::wait_for([&] { return in_sight("seekBar"); }));
    pause_at(500000);
    ASSERT_TRUE(test::wait_for([&] { return !session_->view<Replay>()->timeline()->imageAt(0.5).isNull(); }));
    draw();
    QTest::mouseMove(window_, center_of(*item("seekBar")) + QPoint(40, 0));
    QTest::mouseMove(window_, center_of(*item("seekBar")));
    EXPECT_TRUE(test::wait_for([&] { return in_sight("hoverImage"); }));
    EXPECT_TRUE(item("hoverTimeText")->property("text").toString().endsWith(" · 1 found"));
    session_->display()->set_blur(true);
    EXPECT_TRUE(test::wait_for([&] { return item("hoverImage") == nullptr; })) << "with faces that are hidden now";
    EXPECT_NE(item("hoverTimeText"), nullptr);
    session_->display()->set_blur(false);
    trigger("markLoop");
    draw();
    EXPECT_NE(item("markA"), nullptr);
    EXPECT_EQ(item("markB"), nullptr);
    session_->open("other.mp4");
    ASSERT_TRUE(test::wait_for([&] { return session_->source()->spec() == "other.mp4" && session_->result(); }));
    EXPECT_EQ(session_->view<Replay>()->timeline()->facesAt(0.5), -1) << "of the source before";
}

}  // namespace
}  // namespace throng::ui
