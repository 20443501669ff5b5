// Tests the whole window with a fake source and backend. Any QML warning fails the test.
#include "ui/window.h"

#include <gtest/gtest.h>
#include <chrono>
#include <thread>

#include <QCursor>
#include <QDirIterator>
#include <QJSValue>
#include <QJSValueIterator>
#include <QQmlApplicationEngine>
#include <QQuickItem>
#include <QQuickWindow>
#include <QRegularExpression>
#include <QSet>
#include <QTest>
#include <atomic>
#include <filesystem>
#include <fstream>

#include "tests/support/test_data.h"
#include "tests/ui/fake_tree.h"
#include "tests/ui/fakes.h"
#include "tests/ui/wait.h"
#include "ui/icons/icon_paths.h"
#include "ui/models/shortcut_model.h"
#include "ui/video/video_item.h"

namespace throng::ui {
namespace {

const QColor kAccent(0x2e, 0xe6, 0xbf);

QStringList warnings;
QtMessageHandler previous_handler = nullptr;

void note_message(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    // Ignore warnings of Mesa and the platform plugin, which are not about the window.
    if (type != QtDebugMsg && type != QtInfoMsg && (text.contains("qrc:") || text.contains("QML"))) warnings += text;
    previous_handler(type, context, text);
}

class Window : public testing::Test {
protected:
    Window() { previous_handler = qInstallMessageHandler(note_message); }

    ~Window() override {
        engine_.reset();
        session_.reset();
        qInstallMessageHandler(previous_handler);
        EXPECT_TRUE(warnings.isEmpty()) << warnings.join('\n').toStdString();
        warnings.clear();
    }

    void open(const test::FakeClip& clip, QSize size = {1280, 800}) {
        SessionSetup setup;
        setup.open_source = [clip](const std::string& spec,
                                   const std::stop_token& stop) -> std::unique_ptr<VideoSource> {
            if (spec == "silent") {
                const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
                while (!stop.stop_requested() && std::chrono::steady_clock::now() < limit) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(5));
                }
                throw Error(ErrorKind::interrupted, "stopped while opening", spec);
            }
            if (spec == "missing.mp4") {
                throw Error(ErrorKind::input, "cannot open the video", spec, "check the path");
            }
            return test::make_fake_source(clip);
        };
        setup.make_backend = [clip](const DetectorParams&) {
            return BackendChoice{test::make_fake_backend(clip), "selected by the test"};
        };
        setup.list_cameras = [] { return std::vector<CameraInfo>{{"camera:7", "Fake camera"}}; };
        setup.make_recording = [this](const std::string&, const SourceInfo&, bool, bool) {
            return std::make_shared<CountingSink>(recorded_, closed_);
        };
        setup.clocks.clocks.root = folder_.path() / "board";
        setup.clocks.period = std::chrono::milliseconds(50);
        session_ = std::make_unique<Session>(std::move(setup), store_);
        engine_ = std::make_unique<QQmlApplicationEngine>();
        engine_->setInitialProperties({{"session", QVariant::fromValue(session_.get())}, {"kiosk", kiosk_}});
        engine_->load(load_module(*engine_));
        ASSERT_FALSE(engine_->rootObjects().isEmpty());
        window_ = qobject_cast<QQuickWindow*>(engine_->rootObjects().first());
        window_->resize(size);
        // Otherwise the cursor is at 0 0, over a button whose tooltip would cover the image.
        QCursor::setPos(size.width() / 2, size.height() / 2);
        window_->show();
        video_ = window_->findChild<VideoItem*>();
        ASSERT_NE(video_, nullptr);
    }

    // Shortcuts need an active window.
    void activate() {
        window_->requestActivate();
        ASSERT_TRUE(QTest::qWaitForWindowActive(window_));
    }

    void play(const QString& spec = "clip.mp4") {
        session_->open(spec);
        ASSERT_TRUE(test::wait_for([&] { return video_->has_frame(); }));
    }

    // Pauses, then seeks to a distant frame, so that no other frame is in flight.
    void pause_at(int index) {
        trigger("play");
        ASSERT_TRUE(test::wait_for([&] { return session_->transport()->state() == "paused"; }));
        session_->transport()->seek(index / test::FakeClip{}.fps);
        ASSERT_TRUE(test::wait_for([&] {
            return session_->result()->frame.info().index == index && video_->frame().result == session_->result();
        }));
    }

    void trigger(const QString& action) {
        auto* actions = window_->property("actions").value<QObject*>();
        ASSERT_TRUE(QMetaObject::invokeMethod(actions, "trigger", Q_ARG(QString, action))) << action.toStdString();
    }

    void type(const char* text) {
        for (; *text != 0; ++text) QTest::keyClick(window_, *text);
    }

    // Returns the color that the window shows at (x, y) of the box, relative to its size.
    QColor shown_at(const QImage& image, const Box& box, double x, double y) {
        const QRectF rect = video_->mapping().map(box);
        const QPointF point = video_->mapToScene(rect.topLeft() + QPointF(x * rect.width(), y * rect.height()));
        const double ratio = image.width() / static_cast<double>(window_->width());
        return image.pixelColor(static_cast<int>(point.x() * ratio), static_cast<int>(point.y() * ratio));
    }

    // Returns the button with this text, or null.
    QObject* control(const QString& text) { return control(text, window_->contentItem()); }
    static QObject* control(const QString& text, QQuickItem* below) {
        if (below->inherits("QQuickAbstractButton") && below->property("text").toString() == text) return below;
        for (QQuickItem* item : below->childItems()) {
            if (QObject* found = control(text, item)) return found;
        }
        return nullptr;
    }
    // Returns true if a visible item contains this text.
    bool shows(const QString& text) { return shows(text, window_->contentItem()); }
    static bool shows(const QString& text, QQuickItem* below) {
        if (!below->isVisible()) return false;
        if (below->property("text").toString().contains(text)) return true;
        const QList<QQuickItem*> items = below->childItems();
        return std::any_of(items.begin(), items.end(), [&](QQuickItem* item) { return shows(text, item); });
    }
    bool click(const QString& text) {
        QObject* found = control(text);
        return found != nullptr && QMetaObject::invokeMethod(found, "clicked");
    }

    class CountingSink : public ResultSink {
    public:
        CountingSink(std::atomic<int>& written, std::atomic<int>& closed) : written_(written), closed_(closed) {}
        void write(const FrameResult&) override { ++written_; }
        void close() override { ++closed_; }

    private:
        std::atomic<int>& written_;
        std::atomic<int>& closed_;
    };

    bool kiosk_ = false;  // set before open
    std::atomic<int> recorded_ = 0, closed_ = 0;
    test::ScratchDir folder_;
    QSettings store_{QString::fromStdString((folder_.path() / "settings.ini").string()), QSettings::IniFormat};
    std::unique_ptr<Session> session_;
    std::unique_ptr<QQmlApplicationEngine> engine_;
    QQuickWindow* window_ = nullptr;
    VideoItem* video_ = nullptr;
};

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

TEST_F(Window, KeepsTheSourceIfAnotherOneCannotBeOpened) {
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
    auto* retry = qobject_cast<QQuickItem*>(control("Retry"));
    ASSERT_NE(retry, nullptr);
    EXPECT_FALSE(retry->isVisible()) << "it would repeat the wrong path";
    play("other.mp4");
    EXPECT_TRUE(test::wait_for([&] { return session_->source()->spec() == "other.mp4"; }));
    EXPECT_FALSE(session_->alert()->visible());
}

TEST_F(Window, TypingReplacesThePreviousAddress) {
    open({});
    trigger("sources");
    auto* address = window_->findChild<QQuickItem*>("address");
    ASSERT_NE(address, nullptr);
    ASSERT_TRUE(test::wait_for([&] { return address->isVisible(); }));
    QMetaObject::invokeMethod(address, "forceActiveFocus");
    type("first");
    ASSERT_EQ(address->property("text"), "first");
    trigger("sources");
    ASSERT_TRUE(test::wait_for([&] { return !address->isVisible(); }));
    trigger("sources");
    ASSERT_TRUE(test::wait_for([&] { return address->isVisible(); }));
    QTest::qWait(100);
    QMetaObject::invokeMethod(address, "forceActiveFocus");
    type("second");
    EXPECT_EQ(address->property("text"), "second");
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
        for (int i = 0; i < stages.rowCount(); ++i) {
            const QModelIndex row = stages.index(i);
            if (stages.data(row, StageModel::name_role) == "cascade")
                return stages.data(row, StageModel::ratio_role).toDouble();
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
        for (int i = 0; i < stages.rowCount(); ++i) {
            const QModelIndex row = stages.index(i);
            if (stages.data(row, StageModel::name_role) == "cascade")
                return stages.data(row, StageModel::p50_role).toDouble();
        }
        return 0.0;
    };
    ASSERT_TRUE(test::wait_for([&] { return cascade_ms() == 1.5; }));
    session_->setSwitch("trick", "off");
    EXPECT_TRUE(test::wait_for([&] { return cascade_ms() == 3.0; }));
}

TEST_F(Window, BarsHideOverAVideoWhileThePointerRests) {
    open({});
    play();
    window_->showFullScreen();
    ASSERT_TRUE(test::wait_for([&] { return window_->property("fullScreen").toBool(); }));
    const auto chrome = [&] { return window_->property("chrome").toBool(); };
    const QPoint center(window_->width() / 2, window_->height() / 2);
    QTest::mouseMove(window_, center);
    QTest::mouseMove(window_, center + QPoint(5, 5));
    ASSERT_TRUE(test::wait_for(chrome));
    QTest::qWait(1500);
    EXPECT_TRUE(chrome());
    EXPECT_TRUE(QTest::qWaitFor([&] { return !chrome(); }, 3000)) << "the video below the pointer is no movement";
    QTest::mouseMove(window_, center + QPoint(20, 0));
    EXPECT_TRUE(test::wait_for(chrome));
}

TEST_F(Window, KeysCloseTheShortcutSheet) {
    open({});
    activate();
    auto* sheet = window_->findChild<QObject*>("shortcutSheet");
    ASSERT_NE(sheet, nullptr);
    const auto is_open = [&] { return sheet->property("opened").toBool(); };
    for (const Qt::Key key : {Qt::Key_Escape, Qt::Key_F1}) {
        QTest::keyClick(window_, Qt::Key_F1);
        ASSERT_TRUE(test::wait_for(is_open));
        QTest::keyClick(window_, key);
        EXPECT_TRUE(test::wait_for([&] { return !sheet->property("visible").toBool(); }));
    }
    QTest::keyClick(window_, Qt::Key_F1);
    ASSERT_TRUE(test::wait_for(is_open));
    QTest::keyClick(window_, Qt::Key_Q, Qt::ControlModifier);
    EXPECT_TRUE(test::wait_for([&] { return !window_->isVisible(); }));
}

TEST_F(Window, EscapeClosesAnOpenList) {
    open({}, {1280, 1600});
    activate();
    auto* choice = window_->findChild<QQuickItem*>("detectorChoice");
    ASSERT_NE(choice, nullptr);
    auto* list = choice->property("popup").value<QObject*>();
    ASSERT_TRUE(QMetaObject::invokeMethod(list, "open"));
    ASSERT_TRUE(test::wait_for([&] { return list->property("opened").toBool(); }));
    QTest::keyClick(window_, Qt::Key_Escape);
    EXPECT_TRUE(test::wait_for([&] { return !list->property("visible").toBool(); }));
}

TEST_F(Window, TabScrollsToTheFocusedControl) {
    open({}, {1280, 600});
    activate();
    auto* scroll = window_->findChild<QQuickItem*>("panelScroll");
    ASSERT_NE(scroll, nullptr);
    int in_panel = 0;
    for (int i = 0; i < 60; ++i) {
        QTest::keyClick(window_, Qt::Key_Tab);
        QTest::qWait(10);
        QQuickItem* item = window_->activeFocusItem();
        if (item == nullptr || !scroll->isAncestorOf(item)) continue;
        ++in_panel;
        const QRectF shown = item->mapRectToItem(scroll, item->boundingRect());
        EXPECT_GE(shown.top(), 0) << item->property("text").toString().toStdString();
        EXPECT_LE(shown.bottom(), scroll->height()) << item->property("text").toString().toStdString();
    }
    EXPECT_GT(in_panel, 10);
}

TEST_F(Window, KioskOpensNothingAndStaysInFullScreen) {
    kiosk_ = true;
    open({});
    window_->showFullScreen();
    activate();
    ASSERT_TRUE(test::wait_for([&] { return window_->property("fullScreen").toBool(); }));
    QTest::keyClick(window_, Qt::Key_B);
    EXPECT_TRUE(session_->display()->blur()) << "keys arrive";
    QTest::keyClick(window_, Qt::Key_F);
    QTest::keyClick(window_, Qt::Key_Escape);
    QTest::keyClick(window_, Qt::Key_O);
    QTest::qWait(100);
    EXPECT_TRUE(window_->property("fullScreen").toBool());
    auto* open_button = qobject_cast<QQuickItem*>(control("Open"));
    ASSERT_NE(open_button, nullptr);
    EXPECT_FALSE(open_button->isVisible());
    auto* menu = window_->findChild<QObject*>("sourceMenu");
    ASSERT_NE(menu, nullptr);
    EXPECT_FALSE(menu->property("visible").toBool());
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

TEST_F(Window, ShowsTheFaceCountWithoutThePanel) {
    test::FakeClip clip;
    clip.boxes = 123;
    open(clip, {800, 480});
    play();
    EXPECT_FALSE(window_->property("panelOpen").toBool());
    EXPECT_TRUE(test::wait_for([&] { return shows("41"); })) << "of 123 raw detections";
    EXPECT_TRUE(shows(session_->detection()->title()));
    trigger("panel");
    auto* figures = window_->findChild<QQuickItem*>("figures");
    ASSERT_NE(figures, nullptr);
    EXPECT_FALSE(figures->isVisible()) << "the panel shows them";
}

TEST_F(Window, NamesTheDetectorAndEveryChangeByKey) {
    open({});
    play();
    activate();
    EXPECT_TRUE(shows("found by " + session_->detection()->title()));
    const QString next = session_->detection()->detectors().at(1);  // the fake backend then reverts to the first
    QTest::keyClick(window_, Qt::Key_D);
    EXPECT_TRUE(session_->alert()->what().contains(next));
    QTest::keyClick(window_, Qt::Key_N);
    EXPECT_TRUE(session_->alert()->what().contains("Suppression"));
    QTest::keyClick(window_, Qt::Key_T);
    EXPECT_TRUE(session_->alert()->what().contains("threshold"));
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
    ASSERT_TRUE(test::wait_for([&] { return !session_->sweep()->running(); }));
    EXPECT_FALSE(session_->transport()->loop());
    EXPECT_GE(session_->sweep()->rows().size(), 4);
    EXPECT_TRUE(test::wait_for([&] { return session_->clocks()->chosen() == "maximum"; }));
    QTest::qWait(200);  // time to draw the plot
    EXPECT_TRUE(session_->stages()->baseline_title().isEmpty()) << "a sweep sets no baseline";
    engine_.reset();
    session_.reset();
    EXPECT_EQ(board.text(board.node("min_freq")), "114750000");
}

// Saves images of the window in states that are hard to reach by hand, for visual inspection:
// THRONG_UI_PICTURES=DIR ui_window --gtest_filter=Window.SavesImagesForInspection
TEST_F(Window, SavesImagesForInspection) {
    const QString target = qEnvironmentVariable("THRONG_UI_PICTURES");
    if (target.isEmpty()) GTEST_SKIP() << "skipped: THRONG_UI_PICTURES is not set";
    const test::FakeTree board(folder_.path() / "board");
    test::FakeClip clip;
    clip.width = 1280;
    clip.height = 720;
    clip.boxes = 60;
    open(clip, {800, 480});
    play();
    const auto save = [&](const QString& name) {
        QTest::qWait(500);
        EXPECT_TRUE(window_->grabWindow().save(target + '/' + name + ".png"));
    };
    const auto scroll_to = [&](const QString& text) {
        auto* item = qobject_cast<QQuickItem*>(control(text));
        ASSERT_NE(item, nullptr) << text.toStdString();
        QQuickItem* flick = item;
        while (flick != nullptr && !flick->inherits("QQuickFlickable")) flick = flick->parentItem();
        ASSERT_NE(flick, nullptr);
        const double y = item->mapToItem(flick->property("contentItem").value<QQuickItem*>(), QPointF(0, 0)).y();
        flick->setProperty("contentY", std::max(0.0, y - 100));
    };
    trigger("panel");
    save("panel-800x480");
    trigger("help");
    save("sheet-800x480");
    trigger("escape");
    trigger("sources");
    save("sources-800x480");
    trigger("escape");
    window_->resize(1280, 720);
    session_->setSwitch("trick", "off");
    ASSERT_TRUE(click("Max"));
    save("baseline-1280x720");
    scroll_to("A trick");
    save("switches-1280x720");
    board.make_reject(board.node("max_freq"));
    ASSERT_TRUE(click("Min"));
    scroll_to("Min");
    save("rejected-1280x720");
    board.set(board.node("max_freq"), "854250000");
    save("changed-by-another-1280x720");
    window_->resize(1920, 1080);
    board.set(board.node("max_freq"), "1300500000");
    session_->sweep()->set_pace({std::chrono::milliseconds(20), std::chrono::milliseconds(300)});
    trigger("sweep");
    ASSERT_TRUE(test::wait_for([&] { return !session_->sweep()->running(); }));
    scroll_to("Sweep");
    save("sweep-1920x1080");
    session_->detection()->set_detector(3);
    scroll_to("Reset");
    save("cnn-controls-1920x1080");
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

TEST_F(Window, ASourceThatDoesNotOpenBlocksNothing) {
    open({});
    const auto begin = std::chrono::steady_clock::now();
    session_->open("silent");
    session_->open("other");
    ASSERT_TRUE(test::wait_for([&] { return session_->transport()->state() != "opening"; }));
    EXPECT_EQ(session_->failure(), std::nullopt);
    session_->open("silent");
    engine_.reset();
    session_.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST_F(Window, ShortcutsAndActionsMatch) {
    open({});
    auto* actions = window_->property("actions").value<QObject*>();
    ASSERT_NE(actions, nullptr);
    QSet<QString> handled, listed;
    QJSValueIterator entry(actions->property("table").value<QJSValue>());
    while (entry.hasNext()) {
        entry.next();
        handled += entry.name();
    }
    for (const ShortcutEntry& shortcut : shortcut_table()) listed += shortcut.id;
    EXPECT_EQ(handled, listed);
}

// The settings change; what needs a source does nothing and reports no error.
TEST_F(Window, EveryActionRunsWithoutASource) {
    open({});
    DisplaySettings& display = *session_->display();
    const bool raw = display.raw(), kept = display.kept(), labels = display.labels(), landmarks = display.landmarks();
    const int detector = session_->detection()->detector(), rule = session_->detection()->rule();
    for (const ShortcutEntry& shortcut : shortcut_table()) {
        const QString id = shortcut.id;
        // They close the window, open a native dialog, or open a source.
        if (id == "quit" || id == "open" || id == "demo") continue;
        trigger(id);
        QTest::qWait(20);
        EXPECT_EQ(session_->transport()->state(), "idle") << shortcut.id;
        EXPECT_FALSE(session_->captures()->recording()) << shortcut.id;
        EXPECT_EQ(session_->alert()->is_error(), id == "sweep") << shortcut.id;
        session_->alert()->dismiss();
    }
    EXPECT_EQ(display.raw(), !raw);
    EXPECT_EQ(display.kept(), !kept);
    EXPECT_EQ(display.labels(), !labels);
    EXPECT_EQ(display.landmarks(), !landmarks);
    EXPECT_TRUE(display.blur());
    EXPECT_NE(session_->detection()->detector(), detector);
    EXPECT_NE(session_->detection()->rule(), rule);
    EXPECT_TRUE(session_->transport()->loop());
    EXPECT_EQ(session_->transport()->speed(), 1) << "slower, then faster";
    session_->detection()->reset();  // the fake backend has no lbp
    trigger("demo");
    EXPECT_TRUE(test::wait_for([&] { return session_->transport()->state() == "running"; }));
    EXPECT_EQ(session_->source()->title(), "Demo crowd");
}

TEST_F(Window, LoadsSheetMenuAndAllSizesWithoutWarnings) {
    open({}, {480, 320});
    play();
    for (const QSize size : {QSize(480, 320), QSize(800, 500), QSize(1280, 800), QSize(1920, 1080)}) {
        window_->resize(size);
        for (const char* action : {"help", "escape", "sources", "escape", "panel", "panel"}) {
            trigger(action);
            QTest::qWait(60);
        }
    }
    EXPECT_EQ(session_->cameras()->count(), 1);
}

TEST_F(Window, AllUsedIconsExist) {
    open({});
    int used = 0;
    QDirIterator files(":/qt/qml/Throng/Ui", {"*.qml"}, QDir::Files);
    while (files.hasNext()) {
        QFile file(files.next());
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        const QRegularExpression line("\\b(?:iconName|name): ([^\\n]*)");
        const QRegularExpression word("[?:] \"([a-z]+)\"|^\"([a-z]+)\"");
        for (auto l = line.globalMatch(text); l.hasNext();) {
            const QString value = l.next().captured(1);
            for (auto w = word.globalMatch(value); w.hasNext();) {
                const auto match = w.next();
                const QString name = match.captured(1) + match.captured(2);
                EXPECT_NE(find_icon(name), nullptr) << file.fileName().toStdString() << ": " << name.toStdString();
                ++used;
            }
        }
    }
    EXPECT_GT(used, 20);
}

TEST_F(Window, ManyBoxesAreDrawn) {
    test::FakeClip clip;
    clip.width = 1920;
    clip.height = 1080;
    clip.boxes = 3000;
    open(clip, {1600, 900});
    session_->display()->set_labels(true);
    int shown = 0;
    QObject::connect(video_, &VideoItem::frameShown, [&] { ++shown; });
    play();
    ASSERT_TRUE(test::wait_for([&] { return shown >= 5; }));
    EXPECT_EQ(video_->frame().result->raw.detections.size(), 3000U);
    EXPECT_EQ(video_->frame().result->kept.detections.size(), 1000U);
}

}  // namespace
}  // namespace throng::ui
