// Tests the window's frames, sources, settings and recordings.
#include <QDir>
#include <QStandardPaths>
#include <filesystem>
#include <fstream>

#include "tests/ui/fake_tree.h"
#include "tests/ui/model_tester.h"
#include "tests/ui/window_fixture.h"

namespace throng::ui {
namespace {

const QColor kAccent(0x2e, 0xe6, 0xbf);

TEST_F(Window, ShowsEachFrameWithItsOwnBoxes) {
    open({});
    int shown = 0;
    int wrong = 0;
    QObject::connect(video_, &VideoItem::frameShown, [&] {
        const DisplayImage& image = video_->frame();
        ++shown;
        const int gray = qGray(image.image.pixel(0, 0));
        if (image.result->kept.detections.front().box.x != static_cast<float>(gray)) ++wrong;
    });
    play();
    ASSERT_TRUE(test::wait_for([&] { return shown >= 20; }));
    EXPECT_EQ(wrong, 0);
}

TEST_F(Window, DrawsBoxesAtTheirPositions) {
    open({}, {1500, 800});
    session_->display()->set_raw(false);
    TH_NEEDS_READ_BACK(*window_);
    play();
    pause_at(500001);
    const auto& result = *video_->frame().result;
    const int value = test::gray_of(result.frame.info().index);
    const QColor gray(value, value, value);
    const Box box = result.kept.detections.front().box;
    const auto mismatch = [&](const QImage& image, const QColor& edge) {
        const auto at = [&](const Box& in, double x, double y, const QColor& expected) {
            return test::difference(x, y, shown_at(image, in, x, y), expected);
        };
        std::string mismatches;
        for (const auto& [x, y] : {std::pair{0.0, 0.5}, {1.0, 0.5}, {0.5, 0.0}, {0.5, 1.0}}) {
            mismatches += at(box, x, y, edge);
        }
        mismatches += at(box, 0.5, 0.5, gray) + at({0, 0, 4, 4}, 0.5, 0.5, gray);
        // The clip is 4:3 and the item is wider: black bars at the sides.
        return mismatches + at({-4, 100, 2, 2}, 0.5, 0.5, Qt::black);
    };
    EXPECT_EQ(test::wait_for_image(*window_, [&](const QImage& image) { return mismatch(image, kAccent); }), "");
    trigger("kept");
    EXPECT_EQ(test::wait_for_image(*window_, [&](const QImage& image) { return mismatch(image, gray); }), "");
}

TEST_F(Window, FillsThePanel) {
    test::FakeClip clip;
    clip.boxes = 60;
    open(clip);
    play();
    ASSERT_TRUE(test::wait_for([&] { return session_->stages()->count() >= 4 && session_->status()->faces() == 20; }));
    EXPECT_EQ(session_->status()->raw_count(), 60);
    EXPECT_EQ(session_->backend()->name(), "fake");
    EXPECT_EQ(session_->backend()->reason(), "selected by the test");
    EXPECT_TRUE(
        test::wait_for([&] { return session_->status()->frame_rate() > 0 && session_->status()->latency() > 0; }));
    EXPECT_FALSE(session_->history()->points().empty());
}

TEST_F(Window, ShowsAFailureUntilDismissed) {
    open({});
    session_->open("missing.mp4");
    ASSERT_TRUE(test::wait_for([&] { return session_->alert()->visible(); }));
    EXPECT_TRUE(session_->alert()->is_error());
    EXPECT_EQ(session_->alert()->what(), "Cannot open the video");
    EXPECT_EQ(session_->alert()->where(), "missing.mp4");
    EXPECT_EQ(session_->alert()->advice(), "Check the path");
    EXPECT_EQ(session_->transport()->state(), "failed");
    EXPECT_EQ(session_->recent()->count(), 0);
    trigger("escape");
    EXPECT_FALSE(session_->alert()->visible());
    play();  // the next source opens normally
    EXPECT_EQ(session_->recent()->newest(), "clip.mp4");
}

TEST_F(Window, ShowsNoSecretsOfASource) {
    make_source_ = [](const std::string& spec) -> std::unique_ptr<VideoSource> {
        if (spec.find("closed") == std::string::npos) return nullptr;
        throw Error(ErrorKind::input, "cannot open " + spec, spec, "try " + spec + " later");
    };
    open({});
    const auto expect_no_secret = [&] {
        EXPECT_FALSE(shows("s3cr"));
        EXPECT_FALSE(window_->title().contains("s3cr")) << window_->title().toStdString();
        for (const QString& text :
             {session_->source()->title(), session_->source()->opening(), session_->alert()->what(),
              session_->alert()->where(), session_->alert()->advice()}) {
            EXPECT_FALSE(text.contains("s3cr")) << text.toStdString();
        }
    };
    for (const QString& spec : {QStringLiteral("mosaic:rtsp://me:s3cr@host/closed"),
                                QStringLiteral("gst:rtspsrc location=rtsp://host/closed user-pw=s3cr ! decodebin"),
                                QStringLiteral("rtsp://me:s3cr@host:99999/closed")}) {
        session_->open(spec);
        expect_no_secret();  // while it is being opened
        ASSERT_TRUE(test::wait_for([&] { return session_->alert()->visible(); }));
        expect_no_secret();
        const QString opens = QString(spec).replace("closed", "open");
        session_->open(opens);
        ASSERT_TRUE(test::wait_for([&] { return session_->recent()->count() > 0 && video_->has_frame(); }));
        ASSERT_EQ(session_->source()->spec(), opens);
        trigger("sources");
        ASSERT_TRUE(test::wait_for([&] { return shows("Recent"); }));
        expect_no_secret();
        auto* address = window_->findChild<QQuickItem*>("address");
        ASSERT_NE(address, nullptr);
        address->setProperty("text", spec);
        trigger("sources");
        ASSERT_TRUE(test::wait_for([&] { return !address->isVisible(); }));
        EXPECT_EQ(address->property("text"), "") << "not shown when the menu is opened again";
        session_->recent()->clear();
    }
}

TEST_F(Window, AScreenshotHasTheColorsOfTheScreen) {
    // A folder whose name looks like a placeholder.
    const std::filesystem::path pictures = folder_.path() / "50%2";
    std::filesystem::create_directories(pictures);
    std::ofstream(folder_.path() / "user-dirs.dirs") << "XDG_PICTURES_DIR=\"" << pictures.string() << "\"\n";
    const QByteArray before = qgetenv("XDG_CONFIG_HOME");
    qputenv("XDG_CONFIG_HOME", folder_.path().c_str());
    QStandardPaths::setTestModeEnabled(false);
    carry_ = true;  // results have tracks, which are not drawn
    open({});
    play();
    pause_at(500000);
    session_->display()->set_raw(false);
    const auto screenshot = [&] {
        trigger("screenshot");
        EXPECT_TRUE(test::wait_for([&] { return session_->alert()->visible(); }));
        EXPECT_FALSE(session_->alert()->is_error()) << session_->alert()->where().toStdString();
        const QString path = session_->alert()->where();
        session_->alert()->dismiss();
        return path;
    };
    const QString path = screenshot();
    EXPECT_EQ(std::filesystem::path(path.toStdString()).parent_path(), pictures);
    EXPECT_EQ(std::filesystem::path(screenshot().toStdString()).parent_path(), pictures) << "the second of a second";
    trigger("screenshot");
    trigger("screenshot");  // before the first one is written
    EXPECT_TRUE(test::wait_for([&] {
        const QFileInfoList files = QDir(QString::fromStdString(pictures.string())).entryInfoList({"*.png"});
        return files.size() == 4 && std::all_of(files.begin(), files.end(), [](auto& file) { return file.size() > 0; });
    }));
    const QImage image(path);
    const Box box = test::box_of(test::gray_of(500000));
    const QColor edge = image.pixelColor(static_cast<int>(box.x), static_cast<int>(box.y + box.h / 2));
    EXPECT_EQ(test::difference(0, 0.5, edge, video_->property("keptColor").value<QColor>()), "");
    EXPECT_EQ(OverlayOptions{}.kept_color, video_->property("keptColor").value<QColor>());
    EXPECT_EQ(OverlayOptions{}.raw_color, video_->property("rawColor").value<QColor>());
    QStandardPaths::setTestModeEnabled(true);
    before.isNull() ? qunsetenv("XDG_CONFIG_HOME") : qputenv("XDG_CONFIG_HOME", before);
}

TEST_F(Window, WritesItsOutputsOfTheFirstSourceThatOpens) {
    make_sinks_ = [this](const SourceInfo&, int, bool is_first) {
        std::vector<std::shared_ptr<ResultSink>> sinks;
        if (is_first) sinks.push_back(std::make_shared<CountingSink>(recorded_, closed_, recorded_frame_));
        return sinks;
    };
    open({});
    session_->open("missing.mp4");
    ASSERT_TRUE(test::wait_for([&] { return session_->alert()->visible(); }));
    session_->open("silent");  // cancelled by the next one
    play("clip.mp4");
    EXPECT_TRUE(test::wait_for([&] { return recorded_ > 3; }));
    session_->open("other.mp4");  // another source is no part of them
    ASSERT_TRUE(test::wait_for([&] { return session_->source()->spec() == "other.mp4" && session_->result(); }));
    EXPECT_EQ(closed_, 1);
    const int written = recorded_;
    const auto index = session_->result()->frame.info().index;
    ASSERT_TRUE(test::wait_for([&] { return session_->result()->frame.info().index > index + 10; }));
    EXPECT_EQ(recorded_, written);
}

TEST_F(Window, MakesItsOutputsAgainIfThatFails) {
    int attempts = 0;
    make_sinks_ = [&](const SourceInfo&, int, bool) {
        if (++attempts == 1) throw Error(ErrorKind::input, "the disk is full", "out.jsonl");
        return std::vector<std::shared_ptr<ResultSink>>{
            std::make_shared<CountingSink>(recorded_, closed_, recorded_frame_)};
    };
    open({});
    session_->open("clip.mp4");
    ASSERT_TRUE(test::wait_for([&] { return session_->alert()->visible(); }));
    play("clip.mp4");
    EXPECT_TRUE(test::wait_for([&] { return recorded_ > 3; }));
    EXPECT_EQ(attempts, 2);
}

TEST_F(Window, RestsWhileItIsMinimized) {
    open({});
    play();
    window_->showMinimized();
    EXPECT_TRUE(test::wait_for([&] { return session_->transport()->state() == "paused"; }));
    window_->showNormal();
    ASSERT_TRUE(test::wait_for([&] { return session_->transport()->state() == "running"; }));
    window_->showMinimized();
    ASSERT_TRUE(test::wait_for([&] { return session_->transport()->state() == "paused"; }));
    session_->open("other.mp4");
    ASSERT_TRUE(test::wait_for([&] { return session_->source()->spec() == "other.mp4"; }));
    EXPECT_TRUE(test::wait_for([&] { return session_->transport()->state() == "paused"; }))
        << "a source opened meanwhile";
    window_->showNormal();
    ASSERT_TRUE(test::wait_for([&] { return session_->transport()->state() == "running"; }));
    trigger("play");
    ASSERT_TRUE(test::wait_for([&] { return session_->transport()->state() == "paused"; }));
    window_->showMinimized();
    window_->showNormal();
    EXPECT_EQ(session_->transport()->state(), "paused") << "the user has paused it";
}

TEST_F(Window, RecordsCountsAndWritesWhileItIsMinimized) {
    const auto goes_on = [&] {
        window_->showMinimized();
        const auto index = session_->result()->frame.info().index;
        const bool went_on =
            test::wait_for([&] { return session_->result()->frame.info().index > index + 30; });  // 0.3 s
        EXPECT_EQ(session_->transport()->state(), "running");
        window_->showNormal();
        return went_on;
    };
    open({});
    play();
    trigger("record");
    EXPECT_TRUE(goes_on()) << "a recording";
    trigger("record");
    trigger("counts");
    EXPECT_TRUE(goes_on()) << "counts";
    make_sinks_ = [this](const SourceInfo&, int, bool) {
        return std::vector<std::shared_ptr<ResultSink>>{
            std::make_shared<CountingSink>(recorded_, closed_, recorded_frame_)};
    };
    open({});
    play();
    EXPECT_TRUE(goes_on()) << "outputs of the program";
}

TEST_F(Window, KeepsTheSourceIfAnotherOneCannotBeOpened) {
    make_sinks_ = [this](const SourceInfo&, int, bool) {
        return std::vector<std::shared_ptr<ResultSink>>{
            std::make_shared<CountingSink>(recorded_, closed_, recorded_frame_)};
    };
    open({});
    play();
    const auto before = session_->result()->frame.info().index;
    session_->open("missing.mp4");
    EXPECT_EQ(session_->source()->opening(), "missing.mp4");
    ASSERT_TRUE(test::wait_for([&] { return session_->alert()->visible(); }));
    EXPECT_EQ(session_->alert()->what(), "Cannot open the video");
    EXPECT_EQ(session_->source()->opening(), "");
    EXPECT_EQ(session_->transport()->state(), "running");
    EXPECT_EQ(session_->source()->spec(), "clip.mp4");
    EXPECT_EQ(session_->failure(), std::nullopt);
    EXPECT_TRUE(video_->has_frame());
    EXPECT_TRUE(test::wait_for([&] { return session_->result()->frame.info().index > before + 20; })) << "it runs on";
    EXPECT_EQ(lost(1), 0) << "its outputs go on";
    auto* retry = qobject_cast<QQuickItem*>(control("Retry"));
    ASSERT_NE(retry, nullptr);
    EXPECT_FALSE(retry->isVisible()) << "it would repeat the wrong path";
    play("other.mp4");
    EXPECT_TRUE(test::wait_for([&] { return session_->source()->spec() == "other.mp4"; }));
    EXPECT_FALSE(session_->alert()->visible());
}

TEST_F(Window, AnImageWithoutSettingsHidesFaces) {
    open({});
    play();
    bool hides = false;
    QObject::connect(session_->feed(), &FrameFeed::viewChanged, window_,
                     [&](const ImageView& view) { hides = view.blur; });
    video_->set_display(nullptr);
    EXPECT_TRUE(hides);
    video_->set_display(session_->display());
    EXPECT_FALSE(hides);
}

TEST_F(Window, PlaysStepsSeeksAndLoops) {
    test::FakeClip clip;
    clip.frames = 1000;
    open(clip);
    play();
    pause_at(500);
    trigger("step");
    ASSERT_TRUE(test::wait_for([&] { return session_->result()->frame.info().index == 501; }));
    session_->transport()->seek(8.0);  // of 10 s, at 100 frames per second
    ASSERT_TRUE(test::wait_for([&] { return session_->result()->frame.info().index == 800; }));
    EXPECT_DOUBLE_EQ(session_->transport()->position(), 8.0);
    trigger("faster");
    EXPECT_EQ(session_->transport()->speed(), 2);
    trigger("play");
    ASSERT_TRUE(test::wait_for([&] { return session_->transport()->state() == "ended"; }));
    trigger("play");  // restarts from the beginning
    ASSERT_TRUE(test::wait_for([&] { return session_->transport()->state() == "running"; }));
    trigger("loop");
    EXPECT_TRUE(session_->transport()->loop());
}

TEST_F(Window, KeepsThePreviousDetectorIfANewOneFails) {
    open({});
    play();
    session_->detection()->set_detector(1);  // the fake backend has no lbp
    ASSERT_TRUE(test::wait_for([&] { return !session_->status()->notice().isEmpty(); }));
    ASSERT_TRUE(test::wait_for([&] { return session_->detection()->detector() == 0; }));
    EXPECT_EQ(session_->transport()->state(), "running");
}

TEST_F(Window, ShowsTheEffectOfASwitch) {
    open({});
    play();
    ASSERT_TRUE(test::wait_for([&] { return session_->switches()->count() == 1 && session_->stages()->count() >= 4; }));
    ASSERT_TRUE(test::wait_for([&] { return control("A trick") != nullptr; }));
    EXPECT_TRUE(control("A trick")->property("checked").toBool());
    session_->setSwitch("trick", "off");
    EXPECT_FALSE(control("A trick")->property("checked").toBool()) << "without waiting for a frame";
    EXPECT_EQ(session_->stages()->baseline_title(), "A trick: on");
    const auto ratio = [&] {
        const StageModel& stages = *session_->stages();
        for (int row = 0; row < stages.rowCount(); ++row) {
            if (test::value(stages, row, "name") == "cascade") return test::value(stages, row, "ratio").toDouble();
        }
        return 0.0;
    };
    EXPECT_TRUE(test::wait_for([&] { return ratio() == 2; }));
    session_->resetSwitches();
    EXPECT_TRUE(test::wait_for([&] { return ratio() == 0.5; }));
    EXPECT_TRUE(control("A trick")->property("checked").toBool());
}

TEST_F(Window, TimingsFollowASwitchWhilePaused) {
    open({});
    play();
    ASSERT_TRUE(test::wait_for([&] { return session_->switches()->count() == 1; }));
    pause_at(500000);
    const auto cascade_ms = [&] {
        const StageModel& stages = *session_->stages();
        for (int row = 0; row < stages.rowCount(); ++row) {
            if (test::value(stages, row, "name") == "cascade") return test::value(stages, row, "p50").toDouble();
        }
        return 0.0;
    };
    ASSERT_TRUE(test::wait_for([&] { return cascade_ms() == 1.5; }));
    session_->setSwitch("trick", "off");
    EXPECT_TRUE(test::wait_for([&] { return cascade_ms() == 3.0; }));
}

TEST_F(Window, OffersOnlyNetworksThatItCanUse) {
    std::filesystem::copy_file(test::source_dir() / "tests/fuzz/corpus/onnx/yunet.onnx", folder_.path() / "good.onnx");
    std::ofstream(folder_.path() / "other.onnx") << "not a network";
    qputenv("THRONG_MODELS", folder_.path().c_str());
    open({});
    session_->detection()->set_detector(3);
    const auto models = [&] { return session_->detection()->models(); };
    EXPECT_TRUE(test::wait_for([&] { return models().contains("good"); }));
    EXPECT_FALSE(models().contains("other"));
    qunsetenv("THRONG_MODELS");
}

TEST_F(Window, ShowsTheTimeOfAPausedFrameInsteadOfARate) {
    open({});
    play();
    EXPECT_TRUE(test::wait_for([&] { return shows("fps"); }));
    pause_at(500000);
    EXPECT_TRUE(test::wait_for([&] { return shows("this frame") && !shows("fps"); }));
    EXPECT_GT(session_->status()->frame_ms(), 0);
}

TEST_F(Window, AGpuClockIsNoBaselineForTimesOfTheCpu) {
    const test::FakeTree board(folder_.path() / "board");
    test::FakeClip clip;
    clip.backend = "cpu";
    open(clip);
    play();
    ASSERT_TRUE(test::wait_for([&] { return control("Max") != nullptr && session_->stages()->count() >= 4; }));
    ASSERT_TRUE(click("Max"));
    ASSERT_TRUE(test::wait_for([&] { return session_->clocks()->chosen() == "maximum"; }));
    ASSERT_TRUE(wait_for_results(10));
    EXPECT_TRUE(session_->stages()->baseline_title().isEmpty());
}

// A message names the clock when it is in force, or why it is not: never one that was only requested.
TEST_F(Window, AKeyNamesTheClockThatIsInForce) {
    const test::FakeTree board(folder_.path() / "board");
    open({});
    play();
    ASSERT_TRUE(test::wait_for([&] { return session_->clocks()->chosen() == "automatic"; }));
    QStringList said;
    QObject::connect(session_->feedback(), &Feedback::changed, window_, [&] {
        if (!session_->feedback()->text().isEmpty()) said += session_->feedback()->text();
    });
    trigger("clockDown");
    ASSERT_TRUE(test::wait_for([&] { return !said.isEmpty(); }));
    EXPECT_EQ(said.last().toStdString(),
              "GPU clock: " + session_->clocks()->nameOf(session_->clocks()->chosen()).toStdString());
    said.clear();
    const QString before = session_->clocks()->chosen();
    for (const char* file : {"min_freq", "max_freq"}) board.make_reject(board.node(file));
    trigger("clockUp");
    trigger("clockUp");
    ASSERT_TRUE(test::wait_for([&] { return session_->clocks()->pending().isEmpty() && !said.isEmpty(); }));
    EXPECT_EQ(said.size(), 1) << said.join(" | ").toStdString();
    EXPECT_TRUE(said.last().startsWith("The board rejected the clock")) << said.last().toStdString();
}

TEST_F(Window, SelectsAndSweepsTheClock) {
    const test::FakeTree board(folder_.path() / "board");
    open({});
    play();
    ASSERT_TRUE(test::wait_for([&] { return control("Max") != nullptr; }));
    ASSERT_TRUE(click("Max"));
    ASSERT_TRUE(test::wait_for([&] { return session_->clocks()->chosen() == "maximum"; }));
    EXPECT_TRUE(control("Max")->property("chosen").toBool());
    EXPECT_EQ(board.text(board.node("min_freq")), "1300500000");
    EXPECT_TRUE(test::wait_for([&] { return session_->stages()->baseline_title().contains("Automatic"); }));

    session_->sweep()->set_pace({std::chrono::milliseconds(20), std::chrono::milliseconds(100)});
    EXPECT_FALSE(session_->transport()->loop());
    trigger("sweep");
    EXPECT_TRUE(session_->transport()->loop()) << "the video must not end during the sweep";
    EXPECT_TRUE(in_sight("sweepProgress"));
    ASSERT_TRUE(test::wait_for([&] { return !session_->sweep()->running(); }));
    EXPECT_FALSE(session_->transport()->loop());
    EXPECT_GE(session_->sweep()->rows().size(), 4);
    EXPECT_TRUE(test::wait_for([&] { return session_->clocks()->chosen() == "maximum"; }));
    draw();  // the plot, too
    EXPECT_TRUE(session_->stages()->baseline_title().isEmpty()) << "a sweep sets no baseline";
    engine_.reset();
    session_.reset();
    EXPECT_EQ(board.text(board.node("min_freq")), "114750000");
}

TEST_F(Window, RecordsUntilStopped) {
    open({});
    play();
    trigger("record");
    EXPECT_TRUE(session_->captures()->recorder()->recording());
    ASSERT_TRUE(test::wait_for([&] { return recorded_ > 3; }));
    trigger("record");
    EXPECT_FALSE(session_->captures()->recorder()->recording());
    ASSERT_TRUE(test::wait_for([&] { return closed_ == 1; }));
    ASSERT_TRUE(test::wait_for([&] { return session_->alert()->visible(); }));
    EXPECT_FALSE(session_->alert()->is_error());

    trigger("record");
    ASSERT_TRUE(test::wait_for([&] { return session_->captures()->recorder()->recording(); }));
    session_->open("other.mp4");  // ends the recording with its source
    ASSERT_TRUE(test::wait_for([&] { return closed_ == 2; }));
}

// The program ends in the midst of its work if the connection to the display breaks.
TEST_F(Window, CompletesWhatOtherThreadsClose) {
    closing_ = std::chrono::milliseconds(200);
    make_sinks_ = [this](const SourceInfo&, int, bool) {
        return std::vector<std::shared_ptr<ResultSink>>{
            std::make_shared<CountingSink>(recorded_, closed_, recorded_frame_, closing_ / 2)};
    };
    open({});
    play();
    trigger("record");
    trigger("record");  // its file is being closed
    session_->complete();
    EXPECT_EQ(closed_, 2) << "with that of the output";

    session_->open("camera:7");
    ASSERT_TRUE(
        test::wait_for([&] { return session_->source()->spec() == "camera:7" && session_->transport()->playing(); }));
    session_->open("camera:8");  // the other camera is closed before
    ASSERT_EQ(session_->pipeline(), nullptr);
    session_->complete();
    EXPECT_EQ(closed_, 3);
}

TEST_F(Window, RecordsFramesAtTheTimesOfTheScreen) {
    open({});
    session_->transport()->set_speed(4);
    play();
    trigger("record");
    FrameInfo first, last;
    ASSERT_TRUE(test::wait_for([&] { return recorded_ > 0 && recorded_frame_.try_pop(first); }));
    ASSERT_TRUE(test::wait_for([&] { return recorded_frame_.try_pop(last) && last.index >= first.index + 200; }));
    const std::chrono::duration<double> on_screen = last.captured - first.captured;
    EXPECT_NEAR(last.pts - first.pts, on_screen.count(), 0.05) << "not the times of the source";
}

TEST_F(Window, TheRecordersCounterMovesNoButton) {
    open({});
    play();
    auto* bar = qobject_cast<QQuickItem*>(control("1×"));
    ASSERT_NE(bar, nullptr);
    const QPointF before = bar->mapToScene({0, 0});
    trigger("record");
    ASSERT_TRUE(test::wait_for([&] { return shows("0:0"); }));
    EXPECT_EQ(bar->mapToScene({0, 0}), before);
}

TEST_F(Window, ReportsAnEmptyRecording) {
    open({});
    play();
    pause_at(500000);
    trigger("record");
    trigger("record");
    ASSERT_TRUE(test::wait_for([&] { return session_->alert()->visible(); }));
    EXPECT_TRUE(session_->alert()->is_error());
    EXPECT_FALSE(session_->captures()->recorder()->recording());
}

// The screen of the test platform has 800x800 pixels.
TEST_F(Window, OpensWithinTheScreen) {
    open({});
    const QSize screen = window_->screen()->availableSize();
    const auto fits = [&] { return window_->width() < screen.width() && window_->height() < screen.height(); };
    window_->resize(screen + QSize(160, 60));  // the size in QML on a small screen
    set_first_size(*window_, {}, store_);
    EXPECT_TRUE(fits()) << window_->width() << 'x' << window_->height();
    EXPECT_GT(window_->height(), 0.9 * screen.height());
    store_.setValue("window/size", screen * 2);  // of a larger screen, before
    set_first_size(*window_, {}, store_);
    EXPECT_TRUE(fits());
    store_.setValue("window/size", QSize(620, 410));
    set_first_size(*window_, {}, store_);
    EXPECT_EQ(window_->size(), QSize(620, 410));
    WindowOptions wanted;
    wanted.width = screen.width() + 100;
    wanted.height = screen.height() + 100;
    set_first_size(*window_, wanted, store_);
    EXPECT_EQ(window_->size(), screen + QSize(100, 100)) << "--window-size";
}

TEST_F(Window, ASourceThatDoesNotOpenBlocksNothing) {
    open({});
    session_->open("silent");
    session_->open("other");
    ASSERT_TRUE(test::wait_for([&] { return session_->transport()->state() != "opening"; }));
    EXPECT_EQ(session_->failure(), std::nullopt);
    session_->open("silent");
    engine_.reset();
    session_.reset();
}

TEST_F(Window, ADeadStreamIsNotLive) {
    open({});
    play("camera:7");
    RunStatus& status = *session_->status();
    const auto lit = [&] { return item("badgeLive") != nullptr; };
    ASSERT_TRUE(test::wait_for([&] { return lit() && status.faces() == 1 && status.frame_rate() > 0; }));
    silent_ = true;
    ASSERT_TRUE(test::wait_for([&] { return status.silent(); }));
    EXPECT_FALSE(lit());
    EXPECT_EQ(status.frame_rate(), 0);
    EXPECT_EQ(status.faces(), 0);
    EXPECT_EQ(status.latency(), 0);
    EXPECT_TRUE(test::wait_for([&] { return shows("RECONNECTING"); }));
    EXPECT_FALSE(shows("LIVE"));
    silent_ = false;
    EXPECT_TRUE(test::wait_for([&] { return lit() && status.faces() == 1 && status.frame_rate() > 0; }));
    // A pause is no dead stream.
    trigger("play");
    ASSERT_TRUE(test::wait_for([&] { return session_->transport()->state() == "paused"; }));
    EXPECT_TRUE(test::wait_for([&] { return status.counters().silent; }));
    EXPECT_FALSE(status.silent());
    EXPECT_EQ(status.faces(), 1);
}

TEST_F(Window, ManyBoxesAreDrawn) {
    test::FakeClip clip;
    clip.width = 1920;
    clip.height = 1080;
    clip.boxes = 3000;
    open(clip, {1600, 900});
    session_->display()->set_labels(true);
    session_->display()->set_raw(true);
    int shown = 0;
    QObject::connect(video_, &VideoItem::frameShown, [&] { ++shown; });
    play();
    ASSERT_TRUE(test::wait_for([&] { return shown >= 5; }));
    EXPECT_EQ(video_->frame().result->raw.detections.size(), 3000U);
    EXPECT_EQ(video_->frame().result->kept.detections.size(), 1000U);
}

}  // namespace
}  // namespace throng::ui
