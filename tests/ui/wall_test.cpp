// Tests the wall of several sources: broken, slow and different ones, enlarging, and hidden faces.
#include <atomic>
#include <cstring>

#include "core/base/error.h"
#include "core/base/sleep.h"
#include "tests/ui/window_fixture.h"

namespace throng::ui {
namespace {

TEST(Wall, ChoosesTheColumnsThatGiveTheLargestTiles) {
    EXPECT_EQ(Wall::columns(1, 1600, 900), 1);
    EXPECT_EQ(Wall::columns(2, 1600, 900), 2);
    EXPECT_EQ(Wall::columns(4, 1600, 900), 2);
    EXPECT_EQ(Wall::columns(9, 1600, 900), 3);
    EXPECT_EQ(Wall::columns(16, 1600, 900), 4);
    EXPECT_EQ(Wall::columns(4, 600, 1600), 1) << "portrait";
    for (int tiles = 1; tiles <= Wall::kMaxTiles; ++tiles) {
        const int columns = Wall::columns(tiles, 1280, 700);
        EXPECT_GE(columns, 1);
        EXPECT_LE(columns, tiles);
    }
}

// Passes on another source.
class SourceFilter : public VideoSource {
public:
    explicit SourceFilter(const test::FakeClip& clip) : inner_(test::make_fake_source(clip)) {}
    ReadStatus read(Frame& frame, std::stop_token stop) override { return inner_->read(frame, std::move(stop)); }
    [[nodiscard]] SourceInfo info() const override { return inner_->info(); }

protected:
    std::unique_ptr<VideoSource> inner_;
};

// Fails after some frames.
class BreakingSource : public SourceFilter {
public:
    using SourceFilter::SourceFilter;
    ReadStatus read(Frame& frame, std::stop_token stop) override {
        if (++frames_ > 5) throw Error(ErrorKind::input, "the stream broke", "breaking");
        return SourceFilter::read(frame, std::move(stop));
    }

private:
    int frames_ = 0;
};

// Delivers nothing until it is stopped.
class StuckSource : public SourceFilter {
public:
    using SourceFilter::SourceFilter;
    ReadStatus read(Frame&, std::stop_token stop) override {
        static_cast<void>(sleep_for(std::chrono::milliseconds(100), stop));
        return ReadStatus::timeout;
    }
};

// Stripes, which hiding makes gray. The first pixel is that of a fake frame: it places the boxes.
class StripedSource : public SourceFilter {
public:
    using SourceFilter::SourceFilter;
    ReadStatus read(Frame& frame, std::stop_token) override {
        frame = test::gray_frame(320, 240, 40)
                    .with_timing(next_, static_cast<double>(next_) / 50, std::chrono::steady_clock::now());
        const PlaneView plane = frame.plane(0);
        for (int y = 0; y < 240; ++y) {
            auto* row = const_cast<std::uint8_t*>(plane.data) + y * plane.pitch;
            for (int x = 1; x < 320; ++x) row[x] = x / 4 % 2 == 0 ? 30 : 225;
        }
        ++next_;
        return ReadStatus::frame;
    }

private:
    std::int64_t next_ = 0;
};

class WallWindow : public Window {
protected:
    WallWindow() {
        make_source_ = [this](const std::string& spec) -> std::unique_ptr<VideoSource> {
            test::FakeClip clip;
            clip.fps = 25;
            if (spec == "large") clip.width = 1280, clip.height = 300;
            if (spec == "tall") clip.width = 90, clip.height = 400;
            if (spec == "short") clip.frames = 3;
            if (spec == "missing.mp4" || spec == "silent" || spec.starts_with("camera:")) return nullptr;
            if (spec == "flaky" && flaky_++ < 1) throw Error(ErrorKind::input, "no route to the camera", spec);
            if (spec == "breaking") return std::make_unique<BreakingSource>(clip);
            if (spec == "stuck") return std::make_unique<StuckSource>(clip);
            if (spec == "striped") return std::make_unique<StripedSource>(clip);
            return test::make_fake_source(clip);
        };
    }
    void open_wall(const QStringList& sources, QSize size = {1320, 800}) {
        wall_sources_ = sources;
        open({}, size);
        activate();
    }
    bool has_image(int number) {
        return test::wait_for([&] { return wall_->tile(number).has_image(); });
    }

    std::atomic<int> flaky_ = 0;
};

TEST_F(WallWindow, ThePanelLiesOverTheWallAndHasNoFiguresOfOneSource) {
    for (const QSize size : {QSize(800, 480), QSize(1320, 800)}) {
        open_wall({"a", "b"}, size);
        ASSERT_TRUE(has_image(0));
        trigger("panel");
        ASSERT_TRUE(test::wait_for([&] { return item("sidePanel") != nullptr; })) << size.width();
        draw();
        const QQuickItem *panel = item("sidePanel"), *wall = item("wall")->parentItem();
        const QList<QQuickItem*> drawn = panel->parentItem()->childItems();
        EXPECT_GE(panel->z(), wall->z());
        EXPECT_GT(drawn.indexOf(panel), drawn.indexOf(wall));
        QTest::mouseClick(window_, Qt::LeftButton, {}, center_of(*panel));
        EXPECT_EQ(wall_->enlarged(), -1) << "a tile below it at " << size.width();
        for (const char* name : {"headline", "timingPlot", "section_counts"}) EXPECT_EQ(item(name), nullptr) << name;
        EXPECT_NE(item("section_image"), nullptr);
    }
}

TEST_F(WallWindow, BrokenSlowAndDifferentSourcesDoNotHoldUpTheOthers) {
    open_wall({"a", "missing.mp4", "silent", "large", "tall", "stuck", "flaky", "breaking", "short"});
    for (const int number : {0, 3, 4, 8}) EXPECT_TRUE(has_image(number)) << number;
    EXPECT_TRUE(test::wait_for([&] { return wall_->tile(1).state() == "failed"; }));
    EXPECT_EQ(wall_->tile(1).problem(), "cannot open the video");
    EXPECT_TRUE(test::wait_for([&] { return shows("cannot open the video") && shows("retrying in"); }));
    EXPECT_EQ(wall_->tile(2).state(), "opening");
    EXPECT_EQ(wall_->tile(5).state(), "running");
    EXPECT_FALSE(wall_->tile(5).has_image());
    EXPECT_TRUE(has_image(6)) << "comes back by itself";
    EXPECT_EQ(flaky_, 2);
    EXPECT_TRUE(test::wait_for([&] { return wall_->tile(7).problem() == "the stream broke"; }));
    EXPECT_GE(lost(8), 1) << "outputs take it for one that has ended";
    EXPECT_GE(lost(2), 1);
    EXPECT_TRUE(has_image(7)) << "opened again";
    EXPECT_TRUE(test::wait_for([&] { return wall_->tile(8).state() == "ended"; }));
    EXPECT_TRUE(wall_->tile(8).has_image());
    EXPECT_EQ(lost(9), 0);
    EXPECT_TRUE(test::wait_for([&] { return wall_->faces() >= 4 && wall_->frame_rate() > 0; }));
    EXPECT_TRUE(test::wait_for([&] { return wall_->tile(0).latency() > 0; }));
    EXPECT_TRUE(in_sight("wall"));
}

TEST_F(WallWindow, TotalsLeaveOutWhatHasEnded) {
    open_wall({"a", "short", "camera:1"});
    for (const int number : {0, 1, 2}) ASSERT_TRUE(has_image(number)) << number;
    ASSERT_TRUE(test::wait_for([&] { return wall_->tile(1).state() == "ended" && wall_->faces() == 2; }));
    EXPECT_EQ(wall_->tile(1).faces(), 1) << "of its last image";
    EXPECT_EQ(wall_->running(), 2);
    EXPECT_TRUE(test::wait_for([&] { return shows("2 of 3 sources"); }));
    silent_ = true;
    EXPECT_TRUE(test::wait_for([&] { return wall_->tile(2).state() == "silent"; })) << "a camera that stands still";
    EXPECT_EQ(wall_->faces(), 1);
    EXPECT_EQ(wall_->running(), 1);
    EXPECT_TRUE(test::wait_for([&] { return shows("no signal"); }));
    silent_ = false;
    EXPECT_TRUE(test::wait_for([&] { return wall_->tile(2).state() == "running" && wall_->faces() == 2; }));
}

TEST_F(WallWindow, EnlargesASourceAndReturns) {
    open_wall({"a", "b", "c", "d"});
    for (int number = 0; number < 4; ++number) ASSERT_TRUE(has_image(number)) << number;
    const QQuickItem* wall = item("wall");
    ASSERT_NE(wall, nullptr);
    QTest::mouseClick(window_, Qt::LeftButton, {},
                      wall->mapToScene(QPointF(wall->width() * 0.75, wall->height() * 0.3)).toPoint());
    ASSERT_EQ(wall_->enlarged(), 1);
    EXPECT_EQ(session_->source()->spec(), "b");
    ASSERT_TRUE(test::wait_for([&] { return video_->has_frame() && video_->isVisible(); }));
    EXPECT_EQ(item("wall"), nullptr);
    EXPECT_TRUE(test::wait_for([&] { return wall_->tile(0).state() == "paused"; }));
    const std::int64_t frame = session_->result()->frame.info().index;
    QTest::keyClick(window_, Qt::Key_Escape);
    EXPECT_EQ(wall_->enlarged(), -1);
    EXPECT_EQ(session_->transport()->state(), "idle");
    EXPECT_TRUE(test::wait_for([&] {
        return wall_->tile(0).state() == "running" && wall_->tile(1).state() == "running" &&
               wall_->tile(1).feed()->shown().result &&
               wall_->tile(1).feed()->shown().result->frame.info().index > frame;
    })) << "it goes on where it was";

    QTest::keyClick(window_, Qt::Key_Left);  // from the second tile
    QTest::keyClick(window_, Qt::Key_Down);
    QTest::keyClick(window_, Qt::Key_Up);
    QTest::keyClick(window_, Qt::Key_Up);
    QTest::keyClick(window_, Qt::Key_Down);
    QTest::keyClick(window_, Qt::Key_Return);
    EXPECT_EQ(wall_->enlarged(), 2);
    // Another source in its place: the wall opens its own again.
    session_->open("other");
    ASSERT_TRUE(test::wait_for([&] { return session_->source()->spec() == "other"; }));
    QTest::keyClick(window_, Qt::Key_Escape);
    EXPECT_EQ(wall_->enlarged(), -1);
    EXPECT_TRUE(test::wait_for([&] { return wall_->tile(2).state() == "running" && wall_->tile(2).frame_rate() > 0; }));
}

TEST_F(WallWindow, RestsWhileItIsMinimized) {
    open_wall({"a", "b"});
    ASSERT_TRUE(has_image(0) && has_image(1));
    const auto both = [&](const char* state) {
        return test::wait_for([&] { return wall_->tile(0).state() == state && wall_->tile(1).state() == state; });
    };
    window_->showMinimized();
    EXPECT_TRUE(both("paused"));
    window_->showNormal();
    EXPECT_TRUE(both("running"));
}

TEST_F(WallWindow, ShowsNoSecretsOfItsSources) {
    make_source_ = [](const std::string& spec) -> std::unique_ptr<VideoSource> {
        if (spec.find("closed") == std::string::npos) return test::make_fake_source({});
        throw Error(ErrorKind::input, "cannot open " + spec, spec);
    };
    open_wall(
        {"gst:rtspsrc user-pw=s3cr ! closed", "mosaic:rtsp://me:s3cr@host/a", "gst:rtspsrc user-pw=s3cr2 ! closed"});
    EXPECT_TRUE(has_image(1));
    ASSERT_TRUE(test::wait_for([&] { return !wall_->tile(0).problem().isEmpty() && shows("cannot open"); }));
    EXPECT_FALSE(shows("s3cr"));
}

TEST_F(WallWindow, SettingsApplyToAllTiles) {
    open_wall({"a", "b"});
    ASSERT_TRUE(has_image(0) && has_image(1));
    QTest::keyClick(window_, Qt::Key_T);
    const auto theta = [&](int number) { return wall_->tile(number).controller().pipeline()->settings().nms.theta; };
    const float requested = session_->detection()->values().nms.theta;
    EXPECT_TRUE(test::wait_for([&] { return theta(0) == requested && theta(1) == requested; }));
}

// Outputs of all sources get the results of each tile under its number, seen or not, with its faces hidden.
TEST_F(WallWindow, GivesTheResultsOfEveryTileToTheOutputs) {
    struct Counts {
        std::atomic<int> hidden = 0, wrong_number = 0, firsts = 0;
    };
    class Sink : public ResultSink {
    public:
        Sink(std::shared_ptr<Counts> counts, int number) : counts_(std::move(counts)), number_(number) {}
        void write(const FrameResult& result) override {
            if (result.plan) ++counts_->hidden;
            if (result.source_number != number_) ++counts_->wrong_number;
        }
        void close() override {}

    private:
        const std::shared_ptr<Counts> counts_;
        const int number_;
    };
    const auto first = std::make_shared<Counts>(), second = std::make_shared<Counts>();
    make_sinks_ = [first, second](const SourceInfo&, int source_number, bool is_first) {
        const auto& counts = source_number == 1 ? first : second;
        if (is_first) ++counts->firsts;
        return std::vector<std::shared_ptr<ResultSink>>{std::make_shared<Sink>(counts, source_number)};
    };
    sinks_hide_faces_ = true;
    open_wall({"a", "b"});
    ASSERT_TRUE(has_image(0) && has_image(1));
    const auto both_go_on = [&] {
        const int before_first = first->hidden, before_second = second->hidden;
        return test::wait_for([&] { return first->hidden > before_first + 5 && second->hidden > before_second + 5; });
    };
    EXPECT_TRUE(both_go_on());
    window_->showMinimized();
    EXPECT_TRUE(both_go_on()) << "minimized";
    window_->showNormal();
    QTest::keyClick(window_, Qt::Key_Right);
    QTest::keyClick(window_, Qt::Key_Return);
    ASSERT_EQ(wall_->enlarged(), 1);
    EXPECT_TRUE(both_go_on()) << "one is enlarged";
    EXPECT_EQ(second->firsts, 0);
    session_->open("other");
    ASSERT_TRUE(test::wait_for([&] { return session_->source()->spec() == "other"; }));
    EXPECT_TRUE(both_go_on()) << "another source in the place of a tile";
    QTest::keyClick(window_, Qt::Key_Escape);
    EXPECT_EQ(wall_->enlarged(), -1);
    EXPECT_TRUE(both_go_on()) << "the wall is back";
    EXPECT_EQ(first->firsts, 0);
    EXPECT_EQ(first->wrong_number + second->wrong_number, 0);
}

// Returns the range of gray values in the middle of the first kept box.
int range_of_grays(WallTile& tile) {
    const DisplayImage& image = tile.feed()->shown();
    const float scale = static_cast<float>(image.image.width()) / 320;
    const Box box = test::box_of(40);
    int low = 255, high = 0;
    for (float x = box.x + box.w * 0.35F; x < box.x + box.w * 0.65F; x += 0.5F) {
        const int gray =
            qGray(image.image.pixel(static_cast<int>(x * scale), static_cast<int>((box.y + box.h / 2) * scale)));
        low = std::min(low, gray);
        high = std::max(high, gray);
    }
    return high - low;
}

TEST_F(WallWindow, HidesTheFacesOfAllTiles) {
    open_wall({"striped", "striped"});
    ASSERT_TRUE(has_image(0) && has_image(1));
    session_->display()->set_landmarks(false);
    EXPECT_GT(range_of_grays(wall_->tile(0)), 120);
    QTest::keyClick(window_, Qt::Key_B);
    for (const int number : {0, 1}) {
        EXPECT_TRUE(test::wait_for([&] { return range_of_grays(wall_->tile(number)) < 60; })) << number;
    }
}

// The colors on screen are those of the frames, in every tile.
TEST_F(WallWindow, DrawsEveryTile) {
    QStringList sources;
    for (int i = 0; i < Wall::kMaxTiles; ++i) sources += "short";
    open_wall(sources, {1280, 720});
    for (int i = 0; i < Wall::kMaxTiles; ++i) ASSERT_TRUE(has_image(i)) << i;
    TH_NEEDS_READ_BACK(*window_);
    EXPECT_EQ(test::wait_for_image(*window_,
                                   [&](const QImage& image) {
                                       std::string mismatch;
                                       const QQuickItem* wall = item("wall");
                                       const double ratio = image.width() / static_cast<double>(window_->width());
                                       for (int i = 0; i < Wall::kMaxTiles; ++i) {
                                           if (wall_->tile(i).state() != "ended") return std::string("still running");
                                           const double y = 40 + (i / 4 + 0.5) * (wall->height() - 40) / 4;
                                           const QPointF at =
                                               wall->mapToScene(QPointF((i % 4 + 0.25) * wall->width() / 4,
                                                                        y - 0.2 * (wall->height() - 40) / 4));
                                           const int gray = test::gray_of(2);
                                           mismatch += test::difference(i, 0, image.pixelColor((at * ratio).toPoint()),
                                                                        QColor(gray, gray, gray), 4);
                                       }
                                       return mismatch;
                                   }),
              "");
}

TEST_F(WallWindow, ShowsOnlyControlsThatWork) {
    open_wall({"a", "b"});
    ASSERT_TRUE(has_image(0) && has_image(1));
    EXPECT_TRUE(in_sight("wallHint"));
    EXPECT_EQ(item("playButton"), nullptr);
    EXPECT_EQ(item("matrixButton"), nullptr);
    QTest::keyClick(window_, Qt::Key_M);
    QTest::keyClick(window_, Qt::Key_X);
    EXPECT_FALSE(session_->view<MatrixView>()->open());
    EXPECT_FALSE(session_->view<RaceView>()->open());
    QTest::keyClick(window_, Qt::Key_Return);
    ASSERT_TRUE(test::wait_for([&] { return in_sight("playButton") && in_sight("matrixButton"); }));
    EXPECT_EQ(item("wallHint"), nullptr);
    QTest::keyClick(window_, Qt::Key_M);
    EXPECT_TRUE(test::wait_for([&] { return in_sight("matrixPanel"); }));
    QTest::keyClick(window_, Qt::Key_Escape);
    QTest::keyClick(window_, Qt::Key_Escape);
    EXPECT_TRUE(test::wait_for([&] { return in_sight("wallHint"); }));
}

TEST_F(WallWindow, IsDrawnAtEverySize) {
    open_wall({"entrance.mp4", "missing.mp4", "silent", "large", "tall", "stuck", "hall", "breaking", "short"});
    ASSERT_TRUE(has_image(0) && has_image(3) && has_image(8));
    TH_NEEDS_READ_BACK(*window_);
    for (const QSize size : {QSize(800, 480), QSize(1280, 800), QSize(1920, 1080), QSize(600, 900)}) {
        window_->resize(size);
        EXPECT_EQ(wait_until_drawn("wall", "wall"), "") << size.width();
    }
}

}  // namespace
}  // namespace throng::ui
