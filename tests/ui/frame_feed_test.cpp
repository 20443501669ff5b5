// Tests the way of a result from the pipeline to the window's thread.
#include "ui/session/frame_feed.h"

#include <gtest/gtest.h>

#include <QEvent>

#include "tests/support/eventually.h"
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
    // Blocks the window's thread until the pipeline has published frame n.
    static bool wait_while_busy(const Pipeline& pipeline, std::int64_t n) {
        return test::eventually([&] { return pipeline.latest() && pipeline.latest()->frame.info().index >= n; });
    }
    bool wait_for_more(int deliveries) {
        return test::wait_for([this, enough = delivered_ + deliveries] { return delivered_ >= enough; });
    }

    QObject owner_;
    ImageThread images_{&owner_, 1};
    FrameFeed feed_{images_, 0};
    int delivered_ = 0;
};

ImageView view_of(int width) {
    ImageView view;
    view.item = QSizeF(width, 100);
    return view;
}

TEST_F(FrameFeedTest, DeliversResultAndImageInOneEvent) {
    const PostedEvents events(owner_);
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
    test::FakeClip clip;
    clip.frames = 100;
    const auto pipeline = start(clip);
    ASSERT_TRUE(wait_for_more(1));
    ASSERT_TRUE(wait_while_busy(*pipeline, clip.frames - 1));
    const int before = delivered_;
    ASSERT_TRUE(test::wait_for([&] { return feed_.shown().result->frame.info().index == clip.frames - 1; }));
    // One that was posted, two whose images were not ready, and the end of the source.
    EXPECT_LE(delivered_ - before, 4) << "the frames in between are skipped";
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
    pipeline->seek(5000);  // no other frame is in flight after this one
    ASSERT_TRUE(test::wait_for([&] { return feed_.shown().result->frame.info().index == 500000; }));
    const auto paused = feed_.shown().result;
    feed_.set_view(view_of(90));
    ASSERT_TRUE(test::wait_for([&] { return feed_.shown().image.width() == 90; }));
    EXPECT_EQ(feed_.shown().result, paused);
}

TEST_F(FrameFeedTest, DropsLateImagesOfThePreviousPipeline) {
    feed_.set_view(view_of(100));
    const auto previous = start();
    ASSERT_TRUE(wait_for_more(1));
    ASSERT_TRUE(wait_while_busy(*previous, feed_.shown().result->frame.info().index + 5));
    feed_.attach(nullptr, nullptr);  // an image is waiting to be delivered
    EXPECT_EQ(feed_.shown().result, nullptr);
    int late = 0;
    QObject::connect(&feed_, &FrameFeed::delivered, [&] {
        if (feed_.shown().result == nullptr || feed_.shown().result->frame.width() == test::FakeClip{}.width) ++late;
    });
    test::FakeClip clip;
    clip.width = 64;
    start(clip);
    ASSERT_TRUE(wait_for_more(3));
    EXPECT_EQ(late, 0);
}

}  // namespace
}  // namespace throng::ui
