// Tests the window at a trade show with real events: attract mode, the locked kiosk, hidden faces, failing sources.
#include <fmt/format.h>
#include <algorithm>

#include <QPointingDevice>
#include <atomic>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>

#include "tests/ui/fake_tree.h"
#include "tests/ui/window_fixture.h"
#include "ui/stand/face_counter.h"

namespace throng::ui {
namespace {

class StandWindow : public Window {
protected:
    static constexpr double kForever = 3600;  // seconds; longer than any test on any machine

    // Opens the kiosk with scenes of this duration, which begin again after a rest.
    void open_kiosk(double scene_seconds = kForever, double rest = kForever, const std::string& more = {}) {
        kiosk_ = true;
        options_.kiosk = true;
        options_.exit_key = parse_exit_key("Ctrl+Alt+Q");
        if (scene_seconds > 0) {
            options_.scenes = parse_scenes(
                fmt::format("rest = {}\n"
                            "[[scene]]\nname = \"first\"\nseconds = {}\ntext.en = \"The first\"\n"
                            "show.labels = true\nshow.kept = false\nshow.rule = \"soft-linear\"\n{}"
                            "[[scene]]\nname = \"last\"\nseconds = {}\ntext.en = \"The last\"\nshow.matrix = true\n",
                            rest, scene_seconds, more, scene_seconds),
                "test.toml");
        }
        stand_options_ = options_;
        open({});
        stand_->attach(*window_);
        activate();
    }
    [[nodiscard]] QString scene() const { return stand_->attract()->name(); }
    [[nodiscard]] bool wait_for_scene(const QString& name) {
        return test::wait_for([&] { return scene() == name; });
    }
    // As after a rest, whose time ScenesBeginAgainAfterARest tests.
    void begin_again() {
        stand_->attract()->start();
        ASSERT_TRUE(wait_for_scene("first"));
    }
    QPoint center() { return {window_->width() / 2, window_->height() / 2}; }
    // Returns true if the window shows the frame as it is: the gray of the source beside the boxes.
    bool shows_faces() { return !video_->frame().hides_faces; }

    StandOptions options_;
};

TEST_F(StandWindow, ScenesFollowEachOtherFromTheKnownState) {
    open_kiosk(1);
    play();
    ASSERT_TRUE(wait_for_scene("first"));
    DisplaySettings& display = *session_->display();
    EXPECT_TRUE(display.labels());
    EXPECT_FALSE(display.kept());
    EXPECT_TRUE(session_->detection()->soft_rule());
    EXPECT_TRUE(in_sight("standCaption"));
    EXPECT_TRUE(shows("The first"));
    EXPECT_TRUE(shows("0 images stored"));
    auto* line = item("sceneProgress");
    ASSERT_NE(line, nullptr);
    const double width = line->width();
    EXPECT_TRUE(test::wait_for([&] { return line->width() > width + 100; })) << "the end of the scene is visible";

    EXPECT_EQ(session_->feedback()->text(), "") << "no message covers the scene";
    EXPECT_NE(item("figures"), nullptr);
    EXPECT_EQ(item("stripHide"), nullptr) << "a touch would end the scene instead";

    ASSERT_TRUE(wait_for_scene("last"));
    EXPECT_FALSE(display.labels());
    EXPECT_TRUE(display.kept());
    EXPECT_FALSE(session_->detection()->soft_rule());
    EXPECT_TRUE(session_->view<MatrixView>()->open());
    ASSERT_TRUE(wait_for_scene("first")) << "from the beginning";
    EXPECT_FALSE(session_->view<MatrixView>()->open());
}

TEST_F(StandWindow, ScenesBeginAgainAfterARest) {
    open_kiosk(kForever, 1);
    play();
    ASSERT_TRUE(wait_for_scene("first"));
    QStringList scenes;
    QObject::connect(stand_->attract(), &Attract::sceneChanged, window_, [&] { scenes += scene(); });
    QTest::keyClick(window_, Qt::Key_B);
    EXPECT_TRUE(test::wait_for([&] { return scenes.size() == 2; }));
    EXPECT_EQ(scenes, (QStringList{"", "first"}));
}

TEST_F(StandWindow, AnyInputHandsOver) {
    open_kiosk();
    play();
    auto* touch_screen = QTest::createTouchDevice();
    const std::function<void()> inputs[] = {
        [&] { QTest::keyClick(window_, Qt::Key_B); },
        [&] { QTest::mouseClick(window_, Qt::LeftButton, {}, center()); },
        [&] {
            QTest::touchEvent(window_, touch_screen).press(0, center(), window_);
            QTest::touchEvent(window_, touch_screen).release(0, center(), window_);
        },
    };
    for (const auto& input : inputs) {
        ASSERT_TRUE(wait_for_scene("first"));
        ASSERT_TRUE(session_->display()->labels());
        input();
        EXPECT_EQ(scene(), "");
        EXPECT_FALSE(session_->display()->labels()) << "the known state";
        EXPECT_FALSE(session_->display()->blur()) << "the input only hands over";
        EXPECT_TRUE(test::wait_for([&] { return item("standCaption") == nullptr; }));
        EXPECT_TRUE(test::wait_for([&] { return in_sight("visitorHow"); })) << "the three large buttons";
        begin_again();
    }
    delete touch_screen;
}

TEST_F(StandWindow, TheNextVisitorFindsTheConfiguredSettings) {
    open_kiosk();
    play();
    ASSERT_TRUE(wait_for_scene("first"));
    QTest::keyClick(window_, Qt::Key_B);
    ASSERT_EQ(scene(), "");
    const PipelineSettings before = session_->detection()->values();
    QTest::keyClick(window_, Qt::Key_B);
    QTest::keyClick(window_, Qt::Key_R);
    QTest::keyClick(window_, Qt::Key_T);
    QTest::keyClick(window_, Qt::Key_N);
    QTest::keyClick(window_, Qt::Key_Plus);
    QTest::keyClick(window_, Qt::Key_P);
    QTest::keyClick(window_, Qt::Key_M);
    QTest::keyClick(window_, Qt::Key_I);
    QTest::keyClick(window_, Qt::Key_BracketRight);
    QTest::keyClick(window_, Qt::Key_Space);
    session_->setSwitch("trick", "off");
    QTest::keyClick(window_, Qt::Key_F1);
    EXPECT_TRUE(session_->display()->blur()) << "the visitor's keys arrive";
    EXPECT_FALSE(session_->detection()->values().nms == before.nms);
    EXPECT_GT(video_->zoom(), 1);
    begin_again();
    QTest::mouseClick(window_, Qt::LeftButton, {}, center());
    EXPECT_FALSE(session_->display()->blur());
    EXPECT_FALSE(session_->display()->raw());
    EXPECT_FALSE(session_->view<MatrixView>()->open());
    EXPECT_FALSE(session_->view<Replay>()->open()) << "the faces of the previous visitor";
    EXPECT_TRUE(session_->detection()->values().nms == before.nms);
    EXPECT_TRUE(session_->detection()->values().detector == before.detector);
    EXPECT_EQ(video_->zoom(), 1);
    EXPECT_EQ(session_->transport()->speed(), 1);
    EXPECT_TRUE(test::wait_for([&] { return session_->transport()->playing(); }));
    EXPECT_FALSE(window_->property("panelOpen").toBool()) << "the details of the previous visitor";
    auto* sheet = window_->findChild<QObject*>("shortcutSheet");
    EXPECT_TRUE(test::wait_for([&] { return !sheet->property("visible").toBool(); }));
}

// Scenes show parts of the panel, which a visitor may have folded or scrolled away.
TEST_F(StandWindow, TheNextVisitorFindsThePanelAsItWas) {
    store_.setValue("sections/board", false);
    open_kiosk();
    play();
    ASSERT_TRUE(wait_for_scene("first"));
    QTest::keyClick(window_, Qt::Key_B);
    ASSERT_EQ(scene(), "");
    trigger("panel");
    auto* scroll = window_->findChild<QQuickItem*>("panelScroll");
    ASSERT_NE(scroll, nullptr);
    scroll->setProperty("contentY", 300);
    const auto section = [&](const QString& key) { return window_->findChild<QQuickItem*>("section_" + key); };
    for (const char* key : {"timing", "board", "detector"}) ASSERT_NE(section(key), nullptr) << key;
    const auto is_open = [&](const QString& key) { return section(key)->property("open").toBool(); };
    const auto toggle = [&](const QString& key) { QMetaObject::invokeMethod(section(key), "toggle"); };
    ASSERT_TRUE(is_open("timing"));
    ASSERT_FALSE(is_open("board"));
    for (const char* key : {"timing", "board", "detector"}) toggle(key);
    EXPECT_FALSE(is_open("timing"));
    EXPECT_TRUE(is_open("board"));
    QObject* choices = nullptr;
    for (QQuickItem* each : window_->findChildren<QQuickItem*>()) {
        if (choices == nullptr && each->inherits("QQuickComboBox") && each->isVisible()) {
            choices = each->property("popup").value<QObject*>();
        }
    }
    ASSERT_NE(choices, nullptr);
    session_->view<StageMapView>()->set_level(0);
    session_->stages()->set_baseline("before");
    QTest::keyClick(window_, Qt::Key_V);
    EXPECT_TRUE(session_->view<CompareView>()->open());
    EXPECT_NE(item("comparePanel"), nullptr);
    QTest::keyClick(window_, Qt::Key_V);
    EXPECT_TRUE(test::wait_for([&] { return item("comparePanel") == nullptr; })) << "not hidden: not there";
    ASSERT_TRUE(QMetaObject::invokeMethod(choices, "open"));
    ASSERT_TRUE(test::wait_for([&] { return choices->property("visible").toBool(); }));
    begin_again();
    EXPECT_TRUE(is_open("timing"));
    EXPECT_FALSE(is_open("board"));
    EXPECT_TRUE(is_open("detector"));
    EXPECT_EQ(scroll->property("contentY").toDouble(), 0);
    EXPECT_TRUE(test::wait_for([&] { return !choices->property("visible").toBool(); })) << "an open list of choices";
    EXPECT_EQ(session_->view<StageMapView>()->level(), -1);
    EXPECT_EQ(session_->stages()->baseline_title(), "");
    EXPECT_FALSE(session_->sections()->isOpen("board")) << "as saved";
}

TEST_F(StandWindow, APanelThatWasClosedAtTheStartIsClosedAgain) {
    store_.setValue("sections/sidePanel", false);
    open_kiosk();
    play();
    ASSERT_TRUE(wait_for_scene("first"));
    QTest::keyClick(window_, Qt::Key_B);
    ASSERT_EQ(scene(), "");
    EXPECT_FALSE(window_->property("panelOpen").toBool());
    trigger("panel");
    EXPECT_TRUE(window_->property("panelOpen").toBool());
    begin_again();
    QTest::keyClick(window_, Qt::Key_B);
    EXPECT_FALSE(window_->property("panelOpen").toBool());
}

TEST_F(StandWindow, TheWallOfTheNextVisitorIsWhole) {
    options_.several_sources = true;
    wall_sources_ = {"a", "b"};
    open_kiosk();
    ASSERT_TRUE(wait_for_scene("first"));
    ASSERT_TRUE(test::wait_for([&] { return wall_->tile(1).state() == "running"; }));
    QTest::mouseClick(window_, Qt::LeftButton, {}, center());
    ASSERT_EQ(scene(), "");
    wall_->enlarge(1);
    ASSERT_EQ(wall_->enlarged(), 1);
    begin_again();
    EXPECT_EQ(wall_->enlarged(), -1);
}

// The longest text, in every size and direction of the screen: nothing is cut, and the image keeps most of the window.
TEST_F(StandWindow, TheTextFitsTheScreen) {
    open_kiosk();
    play();
    ASSERT_TRUE(wait_for_scene("first"));
    auto* text = item("sceneText");
    ASSERT_NE(text, nullptr);
    for (const QSize size : {QSize(800, 480), QSize(1280, 800), QSize(800, 1280), QSize(1920, 1080), QSize(480, 320)}) {
        SCOPED_TRACE(testing::Message() << size.width() << 'x' << size.height());
        window_->resize(size);
        ASSERT_TRUE(test::wait_for([&] { return window_->contentItem()->width() == size.width(); }));
        for (const SceneScript& script = read_scenes("default"); const Scene& scene : script.scenes) {
            for (const auto& [language, line] : scene.text) {
                text->setProperty("text", line);
                EXPECT_TRUE(test::wait_for([&] {
                    return text->property("contentHeight").toDouble() <= text->height() &&
                           text->property("contentWidth").toDouble() <= text->width() &&
                           !text->property("truncated").toBool();
                })) << line.toStdString();
            }
        }
        for (const char* name : {"standCaption", "sceneText", "standCounter", "figures"}) {
            EXPECT_TRUE(test::wait_for([&] { return in_sight(name); })) << name;
        }
        if (size.width() >= 800) {
            EXPECT_GT(video_->height(), 0.5 * size.height());
        }
    }
}

TEST_F(StandWindow, ASceneWithoutItsClockIsSkipped) {
    open_kiosk(0.3, kForever,
               "[[scene]]\nname = \"clock\"\nseconds = 0.3\ntext.en = \"C\"\nshow.clock = \"minimum\"\n");
    play();
    ASSERT_TRUE(wait_for_scene("first"));
    ASSERT_TRUE(test::wait_for([&] { return scene() != "first"; }));
    EXPECT_EQ(scene(), "last");
}

TEST_F(StandWindow, ASceneComparesTwoDetectors) {
    open_kiosk(0.5, kForever,
               "[[scene]]\nname = \"compare\"\nseconds = 3600\ntext.en = \"C\"\nshow.compare = true\n"
               "show.compare-detector = \"hog\"\n");
    play();
    ASSERT_TRUE(wait_for_scene("compare"));
    EXPECT_EQ(session_->view<CompareView>()->second()->values().detector.kind, DetectorId::hog);
    EXPECT_TRUE(test::wait_for([&] { return session_->view<CompareView>()->ready(); }));
    EXPECT_EQ(session_->detection()->values().detector.kind, DetectorId::haar) << "the left side";
    EXPECT_TRUE(in_sight("sceneText"));
    QTest::mouseClick(window_, Qt::LeftButton, {}, center());
    EXPECT_FALSE(session_->view<CompareView>()->open()) << "a visitor begins with the known state";
}

// The scene begins before its source is open.
TEST_F(StandWindow, TheFirstSceneMayCompare) {
    options_.scenes = parse_scenes(
        "[[scene]]\nseconds = 3600\ntext.en = \"C\"\nshow.compare = true\nshow.compare-detector = \"hog\"\n",
        "test.toml");
    open_kiosk(0);
    EXPECT_FALSE(session_->view<CompareView>()->open());
    play();
    EXPECT_TRUE(test::wait_for([&] { return session_->view<CompareView>()->ready(); }));
}

TEST_F(StandWindow, AClockSceneSetsTheClockAndRestoresIt) {
    const test::FakeTree board(folder_.path() / "board");
    open_kiosk(2, kForever, "[[scene]]\nname = \"clock\"\nseconds = 2\ntext.en = \"C\"\nshow.clock = \"minimum\"\n");
    play();
    ASSERT_TRUE(test::wait_for([&] { return session_->clocks()->controllable(); }));
    ASSERT_TRUE(wait_for_scene("clock"));
    EXPECT_TRUE(test::wait_for([&] { return board.text(board.node("max_freq")) == "114750000"; }));
    ASSERT_TRUE(wait_for_scene("last"));
    EXPECT_TRUE(test::wait_for([&] { return board.text(board.node("max_freq")) == "1300500000"; }));
}

TEST_F(StandWindow, OnlyTheConfiguredKeyLeaves) {
    open_kiosk(0);
    window_->showFullScreen();
    ASSERT_TRUE(test::wait_for([&] { return window_->property("fullScreen").toBool(); }));
    EXPECT_FALSE(window_->close()) << "Alt+F4 arrives as a close event";
    for (const Qt::Key key : {Qt::Key_Q, Qt::Key_O, Qt::Key_D, Qt::Key_R}) {
        QTest::keyClick(window_, key, Qt::ControlModifier);
    }
    for (const Qt::Key key : {Qt::Key_S, Qt::Key_O, Qt::Key_F, Qt::Key_F11, Qt::Key_Escape}) {
        QTest::keyClick(window_, key);
    }
    draw();
    EXPECT_TRUE(window_->isVisible());
    EXPECT_TRUE(window_->property("fullScreen").toBool());
    EXPECT_EQ(session_->source()->spec(), "");
    EXPECT_FALSE(session_->captures()->used());
    window_->showNormal();
    EXPECT_TRUE(test::wait_for([&] { return window_->property("fullScreen").toBool(); })) << "full screen again";
    QTest::keyClick(window_, Qt::Key_Q, Qt::ControlModifier | Qt::AltModifier);
    EXPECT_TRUE(test::wait_for([&] { return !window_->isVisible(); }));
}

TEST_F(StandWindow, WithoutAKeyOnlyASignalLeaves) {
    options_.kiosk = kiosk_ = true;
    stand_options_ = options_;
    open({});
    stand_->attach(*window_);
    activate();
    QTest::keyClick(window_, Qt::Key_Q, Qt::ControlModifier | Qt::AltModifier);
    EXPECT_FALSE(window_->close());
    EXPECT_TRUE(window_->isVisible());
}

TEST_F(StandWindow, ErrorsOfTheScriptComeBeforeTheWindow) {
    const std::string path = (folder_.path() / "bad.toml").string();
    std::ofstream(path) << "rest = 60\n[[scene]]\nsecond = 2\n";
    WindowOptions options;
    options.scenes = path;
    try {
        (void)run_window(0, nullptr, std::move(options));
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(exit_status(error.kind()), 2);
        EXPECT_EQ(error.where(), path + ":3: scene.second");
    }
}

TEST_F(StandWindow, KeysThatAreNoneAreRejected) {
    EXPECT_EQ(parse_exit_key("Ctrl+Alt+Q").toString(), "Ctrl+Alt+Q");
    EXPECT_TRUE(parse_exit_key("").isEmpty());
    for (const char* name : {"Ctrl+", "Hello", "Q, W", "Ctrl+Alt"}) {
        EXPECT_THROW((void)parse_exit_key(name), Error) << name;
    }
}

TEST_F(StandWindow, FacesOfACameraAreShownWhileTheSwitchIsHeld) {
    open_kiosk(0);
    EXPECT_TRUE(session_->display()->blur()) << "before the source is known";
    play();
    EXPECT_TRUE(test::wait_for([&] { return !session_->display()->blur(); })) << "a file";
    EXPECT_EQ(item("revealButton"), nullptr);
    bool clear = false;  // a clear frame of the camera was accepted for drawing
    QObject::connect(video_, &VideoItem::frameShown, window_, [&] {
        clear = clear || (session_->source()->spec() == "camera:7" && session_->display()->blur() && shows_faces());
    });
    play("camera:7");
    ASSERT_TRUE(test::wait_for([&] { return session_->source()->live() && video_->frame().hides_faces; }));
    QTest::keyClick(window_, Qt::Key_B);
    ASSERT_TRUE(wait_for_results(10));
    EXPECT_TRUE(session_->display()->blur()) << "the key B reveals nobody";
    EXPECT_FALSE(clear);

    ASSERT_TRUE(in_sight("revealButton"));
    const QPoint button = center_of(*item("revealButton"));
    const auto hidden = [&] { return session_->display()->blur(); };
    // The mouse: released, or moved off the button.
    QTest::mousePress(window_, Qt::LeftButton, {}, button);
    EXPECT_FALSE(hidden());
    EXPECT_TRUE(test::wait_for([&] { return shows_faces(); }));
    QTest::mouseRelease(window_, Qt::LeftButton, {}, button);
    EXPECT_TRUE(hidden());
    QTest::mousePress(window_, Qt::LeftButton, {}, button);
    EXPECT_FALSE(hidden());
    QTest::mouseMove(window_, center() - QPoint(200, 200));
    EXPECT_TRUE(hidden());
    QTest::mouseRelease(window_, Qt::LeftButton, {}, center() - QPoint(200, 200));
    // A finger.
    auto* touch_screen = QTest::createTouchDevice();
    QTest::touchEvent(window_, touch_screen).press(0, button, window_);
    EXPECT_FALSE(hidden());
    QTest::touchEvent(window_, touch_screen).release(0, button, window_);
    EXPECT_TRUE(hidden());
    // The key: released, or the focus moves elsewhere.
    QTest::keyPress(window_, Qt::Key_H);
    EXPECT_FALSE(hidden());
    QTest::keyRelease(window_, Qt::Key_H);
    EXPECT_TRUE(hidden());
    QTest::keyPress(window_, Qt::Key_H);
    EXPECT_FALSE(hidden());
    QFocusEvent focus_out(QEvent::FocusOut);
    QCoreApplication::sendEvent(window_, &focus_out);
    EXPECT_TRUE(hidden());
    QTest::keyRelease(window_, Qt::Key_H);
    EXPECT_TRUE(hidden());
    delete touch_screen;
}

// The next image after the release hides the face, even though the clear image is still the newest one.
TEST_F(StandWindow, DrawsNoFaceAfterTheRelease) {
    open_kiosk(0);
    play("camera:7");
    ASSERT_TRUE(test::wait_for([&] { return video_->frame().hides_faces; }));
    TH_NEEDS_READ_BACK(*window_);
    trigger("kept");
    trigger("raw");
    const auto gray_at = [&](const QImage& image) {
        const int gray = test::gray_of(session_->result()->frame.info().index);
        return shown_at(image, test::box_of(gray), 0.5, 0.5);
    };
    for (int i = 0; i < 5; ++i) {
        QTest::keyPress(window_, Qt::Key_H);
        ASSERT_TRUE(test::wait_for([&] { return shows_faces(); }));
        ASSERT_TRUE(test::wait_for([&] { return gray_at(window_->grabWindow()).red() >= 40; })) << "the frame is shown";
        QTest::keyRelease(window_, Qt::Key_H);
        const bool clear = shows_faces();  // no image with hidden faces has arrived
        const QImage image = window_->grabWindow();
        if (clear && shows_faces()) {
            EXPECT_LT(gray_at(image).red(), 20) << "nothing is drawn";
        }
        ASSERT_TRUE(test::wait_for([&] { return video_->frame().hides_faces; }));
    }
}

TEST_F(StandWindow, AFailingSourceGivesWayToTheDemoAndComesBack) {
    options_.pace = {std::chrono::milliseconds(300), std::chrono::milliseconds(300), std::chrono::milliseconds(600)};
    broken_ = true;
    open_kiosk();
    session_->open("camera:7");
    const auto on_demo = [&] {
        return session_->source()->spec().startsWith("crowd:") && session_->transport()->playing();
    };
    ASSERT_TRUE(test::wait_for(on_demo)) << "a camera that is missing";
    EXPECT_FALSE(session_->alert()->visible()) << "no message covers the scenes";
    broken_ = false;
    const auto on_camera = [&] {
        return session_->source()->spec() == "camera:7" && session_->result() && session_->source()->live();
    };
    ASSERT_TRUE(test::wait_for(on_camera)) << "it was plugged in";
    EXPECT_TRUE(session_->display()->blur());
    silent_ = true;
    broken_ = true;
    ASSERT_TRUE(test::wait_for(on_demo)) << "a camera that stands still";
    const int attempts = camera_opens_;
    ASSERT_TRUE(test::wait_for([&] { return camera_opens_ >= attempts + 2; }));
    EXPECT_TRUE(on_demo()) << "while the camera cannot be opened";
    silent_ = false;
    broken_ = false;
    EXPECT_TRUE(test::wait_for(on_camera));
    EXPECT_EQ(scene(), "first") << "the scenes go on";
}

// Otherwise the window would open it in an endless loop.
TEST_F(StandWindow, ADemoThatFailsIsOpenedOncePerAttempt) {
    struct Attempts {
        std::atomic<int> camera = 0;
        std::atomic<int> demo = 0;
    };
    const auto attempts = std::make_shared<Attempts>();
    make_source_ = [attempts](const std::string& spec) -> std::unique_ptr<VideoSource> {
        ++(spec.starts_with("crowd:") ? attempts->demo : attempts->camera);
        throw Error(ErrorKind::input, "cannot be opened", spec);
    };
    options_.pace = {std::chrono::milliseconds(300), std::chrono::milliseconds(100), std::chrono::milliseconds(100)};
    open_kiosk(0);
    session_->open("camera:7");
    ASSERT_TRUE(test::wait_for([&] { return attempts->camera >= 5; }));
    EXPECT_GE(attempts->demo, 1);
    EXPECT_LE(attempts->demo, attempts->camera);
}

TEST_F(StandWindow, TheDemoInPlaceOfACameraIsNoPartOfTheOutputs) {
    carry_ = true;  // results have tracks
    make_sinks_ = [this](const SourceInfo& source, int, bool) {
        EXPECT_TRUE(source.live);
        return std::vector<std::shared_ptr<ResultSink>>{
            std::make_shared<CountingSink>(recorded_, closed_, recorded_frame_)};
    };
    broken_ = true;
    options_.pace = {std::chrono::hours(1), std::chrono::milliseconds(300), std::chrono::milliseconds(600)};
    open_kiosk(0);
    session_->open("camera:7");
    ASSERT_TRUE(test::wait_for([&] { return session_->source()->spec().startsWith("crowd:") && session_->result(); }));
    ASSERT_TRUE(test::wait_for([&] {
        const std::vector<Track>& tracks = session_->result()->tracks;
        return std::any_of(tracks.begin(), tracks.end(), [](const Track& track) { return track.confirmed; });
    }));
    EXPECT_EQ(recorded_, 0);
    EXPECT_GE(lost(1), 1) << "the demo has no outputs, and the camera has not ended";
    EXPECT_EQ(stand_->faces(), 0) << "drawn people are not visitors";
    broken_ = false;
    EXPECT_TRUE(test::wait_for([&] { return recorded_ > 3; }));
    EXPECT_EQ(session_->source()->spec(), "camera:7");
}

TEST(FaceCounter, CountsEachTrackOnce) {
    FaceCounter counter;
    const auto add = [&](const std::vector<std::pair<int, bool>>& tracks) {
        auto result = std::make_shared<FrameResult>();
        for (const auto& [id, confirmed] : tracks) {
            Track track;
            track.id = id;
            track.confirmed = confirmed;
            result->tracks.push_back(track);
        }
        counter.add(result);
    };
    add({{1, true}, {2, false}});
    EXPECT_EQ(counter.faces(), 1);
    add({{1, true}, {2, true}, {3, true}});
    EXPECT_EQ(counter.faces(), 3);
    add({{1, true}, {2, true}, {3, true}});
    EXPECT_EQ(counter.faces(), 3);
    add({{3, true}});
    counter.add(nullptr);  // another source: its ids begin with 1
    add({{1, true}});
    EXPECT_EQ(counter.faces(), 4);
}

TEST(FaceCounter, CountsTheFacesOfPeople) {
    FaceCounter counter;
    auto result = std::make_shared<FrameResult>();
    Track track;
    track.confirmed = true;
    for (const int id : {1, 2, 3}) {
        track.id = id;
        result->tracks.push_back(track);
    }
    result->faces = std::make_shared<FrameResult>();
    result->faces->tracks = {track};
    counter.add(result);
    EXPECT_EQ(counter.faces(), 1);
}

// Collects the ids of confirmed tracks of every result.
class TrackIds final : public ResultSink {
public:
    void write(const FrameResult& result) override {
        const std::lock_guard lock(mutex_);
        for (const Track& track : result.tracks) {
            if (track.confirmed) ids_.insert(track.id);
        }
    }
    void close() override {}
    [[nodiscard]] std::size_t count() const {
        const std::lock_guard lock(mutex_);
        return ids_.size();
    }

private:
    mutable std::mutex mutex_;
    std::set<std::int64_t> ids_;
};

// The face of the clip jumps back every eight frames, which begins another track.
TEST_F(StandWindow, CountsTheFacesOfTheSource) {
    const auto ids = std::make_shared<TrackIds>();
    make_sinks_ = [&](const SourceInfo&, int, bool) { return std::vector<std::shared_ptr<ResultSink>>{ids}; };
    carry_ = true;  // results have tracks
    open_kiosk(60);
    EXPECT_EQ(stand_->faces(), 0);
    EXPECT_TRUE(test::wait_for([&] { return shows("0 faces so far, 0 images stored"); }));
    play();
    ASSERT_TRUE(test::wait_for([&] { return stand_->faces() >= 3; }));
    EXPECT_LE(stand_->faces(), static_cast<double>(ids->count())) << "a track was counted twice";
    EXPECT_TRUE(test::wait_for([&] { return !item("standCounter")->property("text").toString().startsWith("0 "); }));
    EXPECT_FALSE(stand_->stores_images());
    session_->captures()->record();
    EXPECT_TRUE(stand_->stores_images());
    EXPECT_TRUE(test::wait_for([&] { return shows("images are stored"); }));
    session_->captures()->record();
}

}  // namespace
}  // namespace throng::ui
