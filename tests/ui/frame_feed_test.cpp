// Tests the way of a result from the pipeline to the window's thread.
#include "ui/session/frame_feed.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QEvent>
#include <QThread>

#include "tests/ui/fakes.h"
#include "tests/ui/wait.h"

namespace throng::ui {
namespace {

// Counts the events that other threads have posted to an object.
class PostedEvents : public QObject {
public:
    explicit PostedEvents(QObject& receiver) { receiver.installEventFilter(this); }
    [[nodiscard]] int count() const { return count_; }

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::MetaCall) ++count_;
        return false;
    }

private:
    int count_ = 0;
};

class FrameFeedTest : public testing::Test {
protected:
    FrameFeedTest() {
        QObject::connect(&feed_, &FrameFeed::delivered, [this] { ++delivered_; });
    }

    std::shared_ptr<Pipeline> start(const test::FakeClip& clip = {}) {
        PipelineOptions options;
        options.real_time = true;
        auto pipeline = std::make_shared<Pipeline>(test::make_fake_source(clip), test::make_fake_backend(clip),
                                                   PipelineSettings{}, options);
        feed_.attach(pipeline, nullptr);
        pipeline->start();
        return pipeline;
    }
    bool wait_for_more(int deliveries) {
        return test::wait_for([this, enough = delivered_ + deliveries] { return delivered_ >= enough; });
    }

    FrameFeed feed_;
    int delivered_ = 0;
};

ImageView view_of(int width) {
    ImageView view;
    view.item = QSizeF(width, 100);
    return view;
}

TEST_F(FrameFeedTest, DeliversResultAndImageInOneEvent) {
    const PostedEvents events(feed_);
    int without_image = 0;
    QObject::connect(&feed_, &FrameFeed::delivered, [&] {
        if (feed_.shown().image.isNull()) ++without_image;
    });
    feed_.set_view(view_of(100));
    test::FakeClip clip;
    clip.fps = 2000;  // results arrive while others are delivered
    start(clip);
    ASSERT_TRUE(wait_for_more(300));
    EXPECT_EQ(without_image, 0);
    EXPECT_LE(events.count(), delivered_ + delivered_ / 4) << "a few find nothing new";
}

TEST_F(FrameFeedTest, DeliversTheNewestResultAfterTheWindowWasBusy) {
    feed_.set_view(view_of(100));
    const auto pipeline = start();
    ASSERT_TRUE(wait_for_more(1));
    const auto before = feed_.shown().result->frame.info().index;
    QThread::msleep(200);  // 20 frames of the clip
    const PostedEvents events(feed_);
    ASSERT_TRUE(wait_for_more(1));
    EXPECT_EQ(events.count(), 1) << "the frames in between are skipped";
    EXPECT_GT(feed_.shown().result->frame.info().index, before + 3);
}

TEST_F(FrameFeedTest, DeliversResultsWithoutAView) {
    start();
    ASSERT_TRUE(wait_for_more(3));
    EXPECT_NE(feed_.shown().result, nullptr);
    EXPECT_TRUE(feed_.shown().image.isNull());
    EXPECT_FALSE(feed_.shown().on_device);
}

TEST_F(FrameFeedTest, MakesTheImageOfAPausedFrameAgainForAnotherView) {
    feed_.set_view(view_of(100));
    const auto pipeline = start();
    ASSERT_TRUE(wait_for_more(1));
    pipeline->pause(true);
    ASSERT_TRUE(test::wait_for([&] { return feed_.shown().result == pipeline->latest(); }));
    QTest::qWait(100);  // deliveries of frames that were in flight
    const auto paused = feed_.shown().result;
    ImageView other = view_of(100);
    other.paint_overlay = true;
    feed_.set_view(other);
    ASSERT_TRUE(wait_for_more(1));
    EXPECT_EQ(feed_.shown().result, paused);
    EXPECT_EQ(feed_.shown().image.width(), 100);
    const int delivered = delivered_;
    feed_.set_view(other);
    QTest::qWait(100);
    EXPECT_EQ(delivered_, delivered) << "the view has not changed";
}

TEST_F(FrameFeedTest, DropsLateImagesOfThePreviousPipeline) {
    feed_.set_view(view_of(100));
    const auto pipeline = start();
    ASSERT_TRUE(wait_for_more(1));
    QThread::msleep(50);  // an image is waiting to be delivered
    feed_.attach(nullptr, nullptr);
    EXPECT_EQ(feed_.shown().result, nullptr);
    const int delivered = delivered_;
    QTest::qWait(100);
    EXPECT_EQ(delivered_, delivered);
    EXPECT_EQ(feed_.shown().result, nullptr);
}

}  // namespace
}  // namespace throng::ui
