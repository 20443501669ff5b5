// The window of `anonymize --review`, with real events on a small clip.
#include <atomic>
#include <future>
#include <random>

#include "core/base/sleep.h"
#include "core/frame/frame_pool.h"
#include "core/video/video_writer.h"
#include "tests/support/random.h"
#include "tests/ui/model_tester.h"
#include "tests/ui/window_fixture.h"
#include "ui/language/language.h"
#include "ui/review/review.h"
#include "ui/review/review_player.h"

namespace throng::ui {
namespace {

using Decision = ReviewTrack::Decision;

// The luma of frame i of the clip, which has 10 frames per second, and the gray that is shown: video has a luma of 16 to
// 235.
int luma_of(int i) {
    return 30 + 10 * i;
}
int gray_of(int i) {
    return (luma_of(i) - 16) * 255 / 219;
}

ReviewTrack track_of(std::int64_t id, double first, double last, const Box& from, const Box& to) {
    ReviewTrack track;
    track.id = id;
    track.first = first;
    track.last = last;
    track.frames = static_cast<std::int64_t>(10 * (last - first)) + 1;
    track.doubts = "few detections";
    track.samples = {{first, from}};
    if (last > first) track.samples.push_back({last, to});
    return track;
}

class ReviewWindow : public Window {
protected:
    ~ReviewWindow() override { engine_.reset(); }

    static constexpr int kFrames = 20;

    std::string make_clip() {
        const std::string path = (folder_.path() / "clip.mp4").string();
        VideoWriterOptions options;
        options.fps = 10;
        options.threads = 1;
        options.quality = 1;
        VideoWriter writer(path, options);
        FramePool pool;
        for (int i = 0; i < kFrames; ++i) {
            WritableFrame frame = pool.take(PixelFormat::gray8, 320, 240);
            std::fill_n(frame.data(0), static_cast<std::size_t>(frame.plane(0).pitch) * 240,
                        static_cast<std::uint8_t>(luma_of(i)));
            frame.info().index = i;
            frame.info().pts = i / 10.0;
            writer.write(std::move(frame).finish());
        }
        writer.close();
        return path;
    }

    void open_review(std::vector<ReviewTrack> tracks, const std::string& input, QSize size = {1000, 640}) {
        ReviewOptions options;
        options.input = input;
        options.output = "hidden.mp4";
        options.tracks = std::move(tracks);
        options.write = [this](const auto& decided, const auto& progress, const auto& stop) {
            return write(decided, progress, stop);
        };
        review_ = std::make_unique<Review>(std::move(options));
        engine_ = std::make_unique<QQmlApplicationEngine>();
        engine_->setInitialProperties({{"review", QVariant::fromValue(review_.get())}});
        engine_->load(load_module(*engine_).resolved(QUrl("ReviewWindow.qml")));
        ASSERT_FALSE(engine_->rootObjects().isEmpty());
        window_ = qobject_cast<QQuickWindow*>(engine_->rootObjects().first());
        if (!size.isEmpty()) window_->resize(size);
        activate();
    }
    void open_three() {
        open_review(
            {track_of(3, 0.2, 1.0, {10, 20, 40, 40}, {90, 20, 40, 40}), track_of(5, 1.2, 1.2, {100, 100, 50, 60}, {}),
             track_of(9, 0, 1.9, {200, 9, 30, 30}, {200, 9, 30, 30})},
            make_clip());
    }

    // Waits for the frame at this time.
    bool shows_frame(double pts) {
        return test::wait_for([&] { return !review_->image().isNull() && std::abs(review_->position() - pts) < 0.01; });
    }
    void press(const QString& name) {
        const QQuickItem* button = item(name);
        ASSERT_NE(button, nullptr) << name.toStdString();
        QTest::mouseClick(window_, Qt::LeftButton, {}, center_of(*button));
    }
    std::vector<Decision> decisions() {
        std::vector<Decision> list;
        for (int row = 0; row < review_->count(); ++row) {
            const QString text = test::value(*review_, row, "decision").toString();
            list.push_back(text == "keep" ? Decision::keep : text == "hide" ? Decision::hide : Decision::none);
        }
        return list;
    }

    // As the program writes: blocks until `may_write_` or a stop request.
    std::vector<ReviewTrack> write(std::vector<ReviewTrack> tracks, const OnReviewProgress& progress,
                                   const std::stop_token& stop) {
        progress(0.5);
        while (!may_write_) {
            if (sleep_for(std::chrono::milliseconds(1), stop)) continue;
            throw Error(ErrorKind::interrupted, "stopped; nothing was written");
        }
        if (fails_) throw Error(ErrorKind::input, "the disk is full", "hidden.mp4");
        written_ = tracks;
        for (ReviewTrack& track : tracks) track.id += 100;  // of the new report
        return tracks;
    }

    std::unique_ptr<Review> review_;
    std::atomic<bool> may_write_ = true;
    bool fails_ = false;
    std::vector<ReviewTrack> written_;  // by the last call of write
};

TEST_F(ReviewWindow, FitsTheScreenAndNamesItsReasonsInTheLanguageOfTheWindow) {
    TsTranslator german({":/qt/qml/Throng/Ui/core_de.ts"});
    QCoreApplication::installTranslator(&german);
    ReviewTrack track = track_of(3, 0.2, 1.0, {10, 20, 40, 40}, {90, 20, 40, 40});
    track.doubts = "few detections, low score, long gap";
    open_review({track, {}}, make_clip(), {});
    EXPECT_LE(window_->width(), window_->screen()->availableSize().width());
    EXPECT_LE(window_->height(), window_->screen()->availableSize().height());
    EXPECT_TRUE(test::wait_for([&] { return shows("wenige Detektionen, niedrige Bewertung, lange Lücke"); }));
    const int doubts = review_->roleNames().key("doubts");
    EXPECT_EQ(review_->data(review_->index(1), doubts).toString(), "") << "it was decided";
}

TEST_F(ReviewWindow, DrawsTheOriginalInTheMiddleOfATrack) {
    open_three();
    EXPECT_TRUE(shows("Original, faces not hidden"));
    ASSERT_TRUE(shows_frame(0.6));
    EXPECT_NEAR(qGray(review_->image().pixel(160, 120)), gray_of(6), 4);
    EXPECT_EQ(review_->outline(), QRectF(50, 20, 40, 40)) << "between the samples";

    QTest::keyClick(window_, Qt::Key_Down);
    EXPECT_EQ(review_->current(), 1);
    ASSERT_TRUE(shows_frame(1.2));
    EXPECT_NEAR(qGray(review_->image().pixel(160, 120)), gray_of(12), 4);
    EXPECT_EQ(review_->outline(), QRectF(100, 100, 50, 60));
    QTest::keyClick(window_, Qt::Key_Down);
    QTest::keyClick(window_, Qt::Key_Down);
    EXPECT_EQ(review_->current(), 2);
    press("reviewTrack0");
    EXPECT_EQ(review_->current(), 0);
    ASSERT_TRUE(shows_frame(0.6)) << "seeks backwards";

    // The outline is on screen, over the frame.
    auto* image = item("reviewImage");
    ASSERT_NE(image, nullptr);
    TH_NEEDS_READ_BACK(*window_);
    const double ratio = std::min(image->width() / 320, image->height() / 240);
    const QPointF corner(image->width() / 2 - 160 * ratio, image->height() / 2 - 120 * ratio);
    const QPointF on_edge = image->mapToScene(corner + QPointF(50, 40) * ratio);
    const std::string mismatch = test::wait_for_image(*window_, [&](const QImage& shown) {
        const double scale = shown.width() / static_cast<double>(window_->width());
        return test::difference(50, 40, shown.pixelColor((on_edge * scale).toPoint()), QColor("#ffce5c"), 40);
    });
    EXPECT_EQ(mismatch, "");
}

// Has four frames; then every read ends by a stop request or a time-out, until it is released.
class StallingSource : public VideoSource {
public:
    explicit StallingSource(std::atomic<bool>& released, std::atomic<int>& waits)
        : released_(released), waits_(waits) {}
    ReadStatus read(Frame& frame, std::stop_token stop) override {
        if (next_ < 4) {
            frame = test::gray_frame(32, 32, 90).with_timing(next_, next_ / 100.0, {});
            ++next_;
            return ReadStatus::frame;
        }
        if (released_) return ReadStatus::end;
        ++waits_;
        static_cast<void>(sleep_for(std::chrono::milliseconds(4), stop));
        return ReadStatus::timeout;
    }
    bool seek(double seconds) override {
        next_ = static_cast<int>(seconds * 100 + 0.5);
        return true;
    }
    [[nodiscard]] SourceInfo info() const override { return {}; }

private:
    std::atomic<bool>& released_;
    std::atomic<int>& waits_;
    int next_ = 0;
};

class ReviewPlayerThatWaits : public testing::Test {
protected:
    // Plays until a read waits for data.
    void SetUp() override {
        player_ = std::make_unique<ReviewPlayer>(
            [this](const std::stop_token&) { return std::make_unique<StallingSource>(released_, waits_); }, &owner_,
            [this](const ReviewFrame& frame, const Message& problem) {
                EXPECT_TRUE(problem.empty()) << problem;
                shown_ = frame.pts;
            });
        player_->show({0, 1, 0, true});
        ASSERT_TRUE(test::wait_for([&] { return shown_ == 0.03 && waits_ > 2; }));
    }

    std::atomic<bool> released_ = false;
    std::atomic<int> waits_ = 0;
    QObject owner_;
    double shown_ = -1;
    std::unique_ptr<ReviewPlayer> player_;
};

TEST_F(ReviewPlayerThatWaits, EndsAtOnce) {
    auto closing = std::async(std::launch::async, [this] { player_.reset(); });
    const bool closed = closing.wait_for(std::chrono::milliseconds(test::kTimeoutMs)) == std::future_status::ready;
    EXPECT_TRUE(closed);
    released_ = true;
}

TEST_F(ReviewPlayerThatWaits, ShowsAnotherFrame) {
    player_->show({0, 1, 0.01, false});
    EXPECT_TRUE(test::wait_for([&] { return shown_ == 0.01; }));
    released_ = true;
}

TEST_F(ReviewWindow, CountsFrames) {
    std::vector<ReviewTrack> tracks{track_of(1, 0.2, 1.3, {10, 20, 40, 40}, {90, 20, 40, 40}),
                                    track_of(2, 1.2, 1.2, {100, 100, 50, 60}, {})};
    tracks[0].frames = 12;
    open_review(tracks, make_clip());
    EXPECT_TRUE(test::wait_for([&] { return shows("12 frames · few detections"); }));
    EXPECT_TRUE(shows("1 frame · few detections"));
    EXPECT_FALSE(shows("1 frames"));
    EXPECT_FALSE(shows("12 faces"));
}

// The notice says that faces are visible, the rows which track is which.
TEST_F(ReviewWindow, CutsNoText) {
    TsTranslator german({":/qt/qml/Throng/Ui/throng_de.ts", ":/qt/qml/Throng/Ui/core_de.ts"});
    for (const bool translated : {false, true}) {
        if (translated) QCoreApplication::installTranslator(&german);
        std::vector<ReviewTrack> tracks{track_of(12345, 100.2, 161.3, {10, 20, 40, 40}, {90, 20, 40, 40}),
                                        track_of(12346, 161.2, 161.2, {100, 100, 50, 60}, {})};
        open_review(tracks, make_clip());
        for (const QSize size : {QSize(640, 400), QSize(800, 480), QSize(800, 1280), QSize(1280, 760)}) {
            window_->resize(size);
            ASSERT_TRUE(test::wait_for([&] { return window_->contentItem()->size().toSize() == size; }));
            draw();
            for (const QQuickItem* text : window_->findChildren<QQuickItem*>()) {
                if (!text->inherits("QQuickText") || !text->isVisible()) continue;
                EXPECT_FALSE(text->property("truncated").toBool())
                    << text->property("text").toString().toStdString() << " at " << size.width();
            }
            const QQuickItem* row = item("reviewTrack0");
            ASSERT_NE(row, nullptr);
            for (const QQuickItem* text : row->childItems()) {
                if (!text->inherits("QQuickText")) continue;
                EXPECT_FALSE(text->property("truncated").toBool())
                    << text->property("text").toString().toStdString() << " at " << size.width();
            }
        }
        engine_.reset();
    }
    QCoreApplication::removeTranslator(&german);
}

TEST_F(ReviewWindow, DecidesByKeysAndButtonsAndWrites) {
    open_three();
    EXPECT_EQ(review_->num_open(), 3);
    QTest::keyClick(window_, Qt::Key_S, Qt::ControlModifier);
    EXPECT_FALSE(review_->writing()) << "nothing to write";
    QTest::keyClick(window_, Qt::Key_H);
    EXPECT_EQ(review_->current(), 1) << "the next open track";
    press("reviewKeep");
    EXPECT_EQ(review_->current(), 2);
    press("reviewHide");
    EXPECT_EQ(decisions(), (std::vector{Decision::hide, Decision::keep, Decision::hide}));
    QTest::keyClick(window_, Qt::Key_Backspace);
    EXPECT_EQ(decisions()[2], Decision::none);
    QTest::keyClick(window_, Qt::Key_V);
    EXPECT_EQ(decisions()[2], Decision::keep);
    EXPECT_EQ(review_->num_open(), 0);
    EXPECT_TRUE(review_->unsaved());

    press("reviewWrite");
    ASSERT_TRUE(test::wait_for([&] { return !review_->writing(); }));
    ASSERT_EQ(written_.size(), 3U);
    EXPECT_EQ(written_[0].decision, Decision::hide);
    EXPECT_EQ(written_[1].decision, Decision::keep);
    EXPECT_EQ(written_[2].id, 9);
    EXPECT_FALSE(review_->unsaved());
    EXPECT_TRUE(shows("Written: hidden.mp4"));
    EXPECT_EQ(review_->title(), "Track 109") << "the ids are those of the new report";
    EXPECT_EQ(decisions()[1], Decision::keep);

    // The next decisions are about the new report.
    QTest::keyClick(window_, Qt::Key_H);
    QTest::keyClick(window_, Qt::Key_S, Qt::ControlModifier);
    ASSERT_TRUE(test::wait_for([&] { return !review_->writing(); }));
    EXPECT_EQ(written_[2].id, 109);
    EXPECT_EQ(written_[2].decision, Decision::hide);
}

TEST_F(ReviewWindow, KeepsDecisionsWhenWritingFailsOrIsCancelled) {
    open_three();
    QTest::keyClick(window_, Qt::Key_V);
    fails_ = true;
    press("reviewWrite");
    ASSERT_TRUE(test::wait_for([&] { return !review_->writing(); }));
    EXPECT_TRUE(shows("the disk is full"));
    EXPECT_TRUE(review_->failed());
    EXPECT_TRUE(review_->unsaved());

    fails_ = false;
    may_write_ = false;
    press("reviewWrite");
    ASSERT_TRUE(test::wait_for([&] { return review_->progress() > 0; }));
    QTest::keyClick(window_, Qt::Key_H);
    EXPECT_EQ(decisions()[1], Decision::none) << "no decision is dropped between two reports";
    EXPECT_FALSE(window_->close()) << "while a file is written";
    press("reviewWrite");  // cancels
    ASSERT_TRUE(test::wait_for([&] { return !review_->writing(); }));
    EXPECT_TRUE(shows("nothing was written"));
    EXPECT_TRUE(written_.empty());
    EXPECT_EQ(decisions()[0], Decision::keep);
}

TEST_F(ReviewWindow, AsksBeforeDecisionsAreDiscarded) {
    open_three();
    QTest::keyClick(window_, Qt::Key_H);
    EXPECT_FALSE(window_->close());
    EXPECT_TRUE(shows("Close again to discard"));
    QTest::keyClick(window_, Qt::Key_V);
    EXPECT_FALSE(window_->close()) << "asks again after another decision";
    EXPECT_TRUE(window_->close());
}

TEST_F(ReviewWindow, PlaysTheTrackInALoop) {
    open_review({track_of(1, 0.5, 0.9, {1, 1, 20, 20}, {41, 1, 20, 20})}, make_clip());
    ASSERT_TRUE(shows_frame(0.7));
    QTest::keyClick(window_, Qt::Key_Space);
    EXPECT_TRUE(review_->playing());
    double newest = 0;
    bool looped = false;
    EXPECT_TRUE(test::wait_for([&] {
        looped = looped || (newest > 1.2 && review_->position() < 0.5);
        newest = std::max(newest, review_->position());
        return looped;
    }));
    EXPECT_LE(newest, 1.91);
    EXPECT_TRUE(review_->outline().isEmpty()) << "outside the time of the track";
    press("reviewPlay");
    EXPECT_FALSE(review_->playing());
    EXPECT_TRUE(shows_frame(0.7));
}

TEST_F(ReviewWindow, ReportsAFileThatCannotBeRead) {
    open_review({track_of(1, 0, 0, {1, 1, 20, 20}, {})}, (folder_.path() / "missing.mp4").string());
    ASSERT_TRUE(test::wait_for([&] { return review_->failed(); }));
    EXPECT_TRUE(shows("missing.mp4"));
    QTest::keyClick(window_, Qt::Key_H);
    EXPECT_TRUE(review_->unsaved()) << "decisions are possible";
}

TEST_F(ReviewWindow, RandomDecisionsAreThoseThatAreWritten) {
    const std::uint64_t seed = test::seed(7);
    std::mt19937_64 random(seed);
    std::vector<ReviewTrack> tracks;
    for (int i = 0; i < 12; ++i) tracks.push_back(track_of(i + 1, i / 10.0, i / 10.0, {9, 9, 30, 30}, {}));
    open_review(tracks, make_clip());
    const test::ModelTester tester(review_.get());
    for (int round = 0; round < 3; ++round) {
        std::vector<Decision> expected = decisions();
        for (int i = 0; i < 30; ++i) {
            const int row = static_cast<int>(random() % tracks.size());
            review_->select(row);
            constexpr Qt::Key kKeys[] = {Qt::Key_Backspace, Qt::Key_H, Qt::Key_V};
            constexpr Decision kDecisions[] = {Decision::none, Decision::hide, Decision::keep};
            const std::size_t what = random() % 3;
            QTest::keyClick(window_, kKeys[what]);
            expected[static_cast<std::size_t>(row)] = kDecisions[what];
        }
        ASSERT_EQ(decisions(), expected);
        if (!review_->unsaved()) continue;
        QTest::keyClick(window_, Qt::Key_S, Qt::ControlModifier);
        ASSERT_TRUE(test::wait_for([&] { return !review_->writing(); }));
        ASSERT_EQ(written_.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(written_[i].decision, expected[i]) << i;
    }
}

}  // namespace
}  // namespace throng::ui
