// Tests what somebody meets who sees the window for the first time: names, one sentence per view, badges that are true,
// the three large buttons of the kiosk, and nothing that covers a control.
#include <QPointingDevice>

#include "tests/ui/fake_tree.h"
#include "tests/ui/window_fixture.h"
#include "ui/scenes/scene_script.h"

namespace throng::ui {
namespace {

class FirstSight : public Window {
protected:
    void click_on(const char* name) {
        ASSERT_TRUE(test::wait_for([&] { return in_sight(name); })) << name;
        draw();
        QTest::mouseClick(window_, Qt::LeftButton, {}, center_of(*item(name)));
    }
    void tap_on(const char* name) {
        ASSERT_TRUE(test::wait_for([&] { return in_sight(name); })) << name;
        draw();
        const QPoint at = center_of(*item(name));
        QTest::touchEvent(window_, finger_.get()).press(0, at, window_);
        QTest::touchEvent(window_, finger_.get()).release(0, at, window_);
    }
    QString text_of(const char* name) {
        QQuickItem* found = item(name);
        return found != nullptr ? found->property("text").toString() : QString();
    }
    bool panel_open() { return window_->property("panelOpen").toBool(); }

    const std::unique_ptr<QPointingDevice> finger_{QTest::createTouchDevice()};
};

TEST_F(FirstSight, RawBoxesAreShownByTheSceneThatExplainsThem) {
    open({});
    EXPECT_FALSE(session_->display()->raw());
    const SceneScript script = read_scenes("default", {});
    for (const Scene& scene : script.scenes) {
        const bool explains = scene.name == "candidates" || scene.name == "clusters";
        EXPECT_EQ(scene.show.value("raw", false).toBool(), explains) << scene.name.toStdString();
    }
}

TEST_F(FirstSight, BelowThirteenHundredPixelsThePanelStartsAsAStrip) {
    open({}, {1280, 800});
    play();
    activate();
    EXPECT_FALSE(panel_open());
    EXPECT_TRUE(in_sight("figures"));
    EXPECT_TRUE(shows("Haar cascade"));
    click_on("stripHide");
    EXPECT_TRUE(session_->display()->blur());
    EXPECT_TRUE(test::wait_for([&] { return in_sight("badgeHidden"); }));
    QTest::keyClick(window_, Qt::Key_P);
    EXPECT_TRUE(panel_open()) << "the user decides";
    window_->resize(1290, 800);
    draw();
    EXPECT_TRUE(panel_open());
    open({}, {1280, 800});
    EXPECT_TRUE(panel_open()) << "and is remembered";
    store_.clear();
    open({}, {1320, 800});
    EXPECT_TRUE(panel_open());
    EXPECT_EQ(item("figures"), nullptr);
}

TEST_F(FirstSight, ViewsHaveNamesAndSaySomethingPlain) {
    race_suppression_ = [](const auto&, const auto&, const auto&) {};
    open({}, {1100, 700});
    play();
    ASSERT_TRUE(test::wait_for([&] { return in_sight("matrixButton"); }));
    for (const auto& view : session_->views()->list()) {
        const QString id = view->id();
        EXPECT_EQ(view->about().back(), '.') << id.toStdString();
        if (*view->info().icon != '\0') {
            EXPECT_EQ(item(id + "Button")->property("text").toString(), view->name());
        }
        EXPECT_EQ(item("viewCaption"), nullptr);
        trigger(id);
        ASSERT_TRUE(test::wait_for([&] { return in_sight("viewCaption"); })) << id.toStdString();
        EXPECT_EQ(text_of("viewName"), view->name());
        EXPECT_EQ(text_of("viewAbout"), view->about());
        draw();
        const QQuickItem* caption = item("viewCaption");
        EXPECT_LE(caption->mapToScene(QPointF(0, caption->height())).y(), video_->mapToScene(QPointF(0, 0)).y())
            << "it covers nothing";
        view->set_open(false);
    }
    window_->resize(1090, 700);
    EXPECT_TRUE(test::wait_for([&] { return item("matrixButton")->property("text").toString().isEmpty(); }));
}

TEST_F(FirstSight, BadgesAreTrue) {
    open({});
    play();
    const auto badges = [&] {
        QStringList found;
        for (const char* name : {"badgeReplay", "badgeLive", "badgeSilent", "badgeRecording", "badgeHidden"}) {
            if (item(name) != nullptr) found += text_of(name).section(' ', 0, 0);
        }
        return found.join(' ');
    };
    const auto become = [&](const QString& expected) { return test::wait_for([&] { return badges() == expected; }); };
    EXPECT_TRUE(become("")) << "a file";
    play("camera:7");
    EXPECT_TRUE(become("LIVE"));
    session_->display()->set_blur(true);
    EXPECT_TRUE(become("LIVE HIDDEN"));
    EXPECT_TRUE(video_->frame().hides_faces);
    trigger("record");
    EXPECT_TRUE(become("LIVE REC HIDDEN"));
    trigger("record");
    silent_ = true;
    EXPECT_TRUE(become("RECONNECTING HIDDEN"));
    silent_ = false;
    session_->display()->set_blur(false);
    EXPECT_TRUE(become("LIVE"));
    auto& replay = *session_->view<Replay>();
    replay.set_open(true);
    ASSERT_TRUE(test::wait_for([&] { return replay.count() > 2; }));
    replay.step(-1);
    EXPECT_TRUE(become("REPLAY"));
    replay.goLive();
    EXPECT_TRUE(become("LIVE"));
    trigger("play");
    EXPECT_TRUE(become("")) << "paused";
}

TEST_F(FirstSight, AMessageCoversNeitherFiguresNorBadges) {
    open({}, {800, 480});
    play();
    session_->display()->set_blur(true);
    session_->open("missing.mp4");
    ASSERT_TRUE(test::wait_for([&] { return session_->alert()->visible(); }));
    const auto rect_of = [](const QQuickItem* shown) { return shown->mapRectToScene(shown->boundingRect()); };
    for (const QSize size : {QSize(800, 480), QSize(600, 900), QSize(1280, 800)}) {
        window_->resize(size);
        for (const bool captioned : {false, true}) {
            session_->view<MatrixView>()->set_open(captioned);
            ASSERT_TRUE(test::wait_for([&] { return in_sight("errorBanner") && in_sight("badgeHidden"); }));
            ASSERT_TRUE(test::wait_for([&] { return (item("viewCaption") != nullptr) == captioned; }));
            draw();
            for (const char* name : {"figures", "badgeHidden", "viewCaption"}) {
                if (item(name) == nullptr) continue;
                EXPECT_FALSE(rect_of(item("errorBanner")).intersects(rect_of(item(name)))) << name << size.width();
            }
        }
    }
}

TEST_F(FirstSight, TheAnswerToAKeyIsNotReplaced) {
    Feedback feedback;
    feedback.say("Loop on", 20);
    feedback.mention("network: 5 ms per frame", 20);
    EXPECT_EQ(feedback.text(), "Loop on");
    feedback.say("Loop off", 20);
    EXPECT_EQ(feedback.text(), "Loop off");
    EXPECT_TRUE(test::wait_for([&] { return feedback.text() == "network: 5 ms per frame"; })) << "later";
    EXPECT_TRUE(test::wait_for([&] { return feedback.text().isEmpty(); }));
    feedback.say("Loop on", 20);
    feedback.mention("network: 5 ms per frame", 20);
    feedback.clear();
    EXPECT_EQ(feedback.text(), "");
}

// A detector that cannot keep the rate: the panel says what is done about it, and no message scolds.
TEST_F(FirstSight, AutomaticQualityIsToldInThePanel) {
    keep_rate_ = 1000;
    test::FakeClip clip;
    clip.detect_ms = 2;
    open(clip);
    QStringList said;
    QObject::connect(session_->feedback(), &Feedback::changed, window_, [&] { said += session_->feedback()->text(); });
    play();
    ASSERT_TRUE(test::wait_for([&] { return !session_->status()->given_up().isEmpty(); }));
    ASSERT_TRUE(test::wait_for([&] { return item("automaticQuality") != nullptr; }));
    EXPECT_TRUE(text_of("automaticQuality").startsWith("Automatic: faces from "));
    EXPECT_TRUE(text_of("automaticQuality").endsWith(" px, to keep 1000 frames/s") ||
                text_of("automaticQuality").contains("scale factor"));
    EXPECT_TRUE(said.filter("slow").isEmpty()) << said.join('\n').toStdString();
}

TEST_F(FirstSight, ShortStagesAreFoldedUntilAskedFor) {
    test::FakeClip clip;
    clip.stages = {"upload", "gray"};
    open(clip);
    const auto summary = [](const char* name, double ms) { return StageSummary{name, {ms, ms, ms, ms, ms, 10}}; };
    session_->stages()->update({summary("upload", 0.01), summary("gray", 0.02), summary("cascade", 3),
                                summary("nms_map", 0.02), summary("nms_reduce", 0.01), summary("total", 4)});
    ASSERT_TRUE(test::wait_for([&] { return in_sight("shortStages"); }));
    EXPECT_EQ(text_of("shortStages"), "2 stages below 0.1 ms");
    for (const char* name : {"stage_cascade", "stage_nms_map", "stage_nms_reduce", "stage_total"}) {
        EXPECT_NE(item(name), nullptr) << name;
    }
    EXPECT_EQ(item("stage_upload"), nullptr);
    click_on("shortStages");
    EXPECT_TRUE(test::wait_for([&] { return item("stage_upload") != nullptr && item("stage_gray") != nullptr; }));
}

TEST_F(FirstSight, ThereAreNoClocksWhereThereIsNoClock) {
    open({}, {1320, 1600});
    play();
    ASSERT_TRUE(test::wait_for([&] { return session_->clocks()->known(); }));
    draw();
    EXPECT_EQ(item("section_board"), nullptr);
    EXPECT_EQ(item("clockSelector"), nullptr);
    const test::FakeTree board(folder_.path() / "board");
    open({}, {1320, 1600});
    play();
    EXPECT_TRUE(test::wait_for([&] { return item("section_board") != nullptr && item("clockSelector") != nullptr; }));
}

TEST_F(FirstSight, AVisitorHasThreeButtonsAndAWayBack) {
    kiosk_ = true;
    open({}, {1280, 800});
    play();
    for (const char* name : {"visitorHide", "visitorHow", "visitorCompare", "visitorDetails", "viewCaption"}) {
        EXPECT_TRUE(test::wait_for([&] { return in_sight(name); })) << name;
    }
    EXPECT_FALSE(panel_open());
    EXPECT_EQ(item("sourceTitle"), nullptr) << "no bar of small icons";
    EXPECT_EQ(item("playButton"), nullptr);
    const QString welcome = text_of("viewAbout");
    tap_on("visitorHide");
    EXPECT_TRUE(session_->display()->blur());
    EXPECT_NE(text_of("viewAbout"), welcome);
    tap_on("visitorHide");
    EXPECT_FALSE(session_->display()->blur());

    // The explanation: candidates, what is kept, the matrix, and back.
    DisplaySettings& display = *session_->display();
    auto& matrix = *session_->view<MatrixView>();
    QStringList sentences{welcome};
    const struct { bool raw, kept, matrix; } steps[] = {{true, false, false}, {true, true, false}, {false, true, true}};
    for (const auto& step : steps) {
        tap_on("visitorHow");
        EXPECT_EQ(display.raw(), step.raw);
        EXPECT_EQ(display.kept(), step.kept);
        EXPECT_EQ(matrix.open(), step.matrix);
        EXPECT_FALSE(sentences.contains(text_of("viewAbout")));
        sentences += text_of("viewAbout");
    }
    draw();
    EXPECT_TRUE(in_sight("matrixPanel"));
    tap_on("visitorCompare");
    EXPECT_FALSE(matrix.open());
    EXPECT_TRUE(session_->view<CompareView>()->open());
    EXPECT_EQ(text_of("viewName"), session_->view<CompareView>()->name());
    tap_on("visitorHow");
    EXPECT_FALSE(session_->view<CompareView>()->open());
    for (int i = 0; i < 3; ++i) tap_on("visitorHow");
    EXPECT_FALSE(matrix.open() || display.raw());
    EXPECT_TRUE(display.kept());
    EXPECT_EQ(text_of("viewAbout"), welcome);

    // Magnified, there is a way back.
    EXPECT_EQ(item("visitorWhole"), nullptr);
    video_->zoomAt({300, 300}, 4);
    tap_on("visitorWhole");
    EXPECT_EQ(video_->zoom(), 1);

    tap_on("visitorDetails");
    EXPECT_TRUE(panel_open());
    EXPECT_TRUE(test::wait_for([&] { return in_sight("panelScroll") && in_sight("sourceTitle"); }));
    EXPECT_EQ(item("visitorHow"), nullptr);
    tap_on("closeDetails");
    EXPECT_TRUE(test::wait_for([&] { return in_sight("visitorHow"); }));
    EXPECT_FALSE(panel_open());
}

TEST_F(FirstSight, TheButtonsOfAVisitorFitEveryScreen) {
    kiosk_ = true;
    open({}, {480, 320});
    play();
    video_->zoomAt({100, 100}, 4);
    for (const QSize size : {QSize(480, 320), QSize(800, 480), QSize(480, 800), QSize(1280, 800), QSize(1920, 1080)}) {
        window_->resize(size);
        ASSERT_TRUE(test::wait_for([&] { return window_->size() == size; }));
        draw();
        double end = 0;
        for (const char* name : {"visitorHide", "visitorHow", "visitorCompare", "visitorWhole", "visitorDetails"}) {
            ASSERT_TRUE(in_sight(name)) << name << " at " << size.width();
            const QQuickItem* button = item(name);
            EXPECT_GE(button->mapToScene(QPointF(0, 0)).x(), end) << name << " at " << size.width();
            EXPECT_GE(std::min(button->width(), button->height()), 48) << name << " at " << size.width();
            end = button->mapToScene(QPointF(button->width(), 0)).x();
        }
        EXPECT_GE(video_->height(), size.height() / 2) << size.width();
    }
}

TEST_F(FirstSight, HelpOnATouchScreenShowsGestures) {
    open({});
    play();
    activate();
    QTest::keyClick(window_, Qt::Key_F1);
    EXPECT_TRUE(test::wait_for([&] { return shows("Play or pause"); }));
    EXPECT_FALSE(shows("Pinch"));
    QTest::keyClick(window_, Qt::Key_Escape);
    ASSERT_TRUE(test::wait_for([&] { return !shows("Play or pause"); }));
    tap_on("helpButton");
    EXPECT_TRUE(test::wait_for([&] { return shows("Pinch"); }));
    EXPECT_FALSE(shows("Play or pause"));
}

// Opens each tooltip at its control, as after the pointer has hovered.
TEST_F(FirstSight, TooltipsCoverNoControl) {
    const test::FakeTree board(folder_.path() / "board");
    race_suppression_ = [](const auto&, const auto&, const auto&) {};
    open({}, {1320, 1000});
    play();
    int seen = 0;
    const auto check = [&](const char* what) {
        draw();
        const QRectF inside(0, 0, window_->width(), window_->height());
        const auto rect_of = [](const QQuickItem* shown) { return shown->mapRectToScene(shown->boundingRect()); };
        const auto is_whole = [&](const QQuickItem& shown) {
            if (!inside.contains(rect_of(&shown))) return false;
            for (const QQuickItem* above = shown.parentItem(); above != nullptr; above = above->parentItem()) {
                if (above->clip() && !rect_of(above).contains(rect_of(&shown))) return false;
            }
            return true;
        };
        QList<QQuickItem*> controls;
        const std::function<void(QQuickItem*)> collect = [&](QQuickItem* below) {
            if (!below->isVisible()) return;
            const bool is_control = below->inherits("QQuickAbstractButton") || below->inherits("QQuickSlider") ||
                                    below->inherits("QQuickComboBox");
            if (is_control && is_whole(*below)) controls += below;
            for (QQuickItem* child : below->childItems()) collect(child);
        };
        collect(window_->contentItem());
        for (QQuickItem* control : controls) {
            for (QObject* tip : control->findChildren<QObject*>(Qt::FindDirectChildrenOnly)) {
                if (!tip->inherits("QQuickToolTip") || tip->property("text").toString().isEmpty()) continue;
                tip->setProperty("delay", 0);
                tip->setProperty("shown", true);
                ASSERT_TRUE(test::wait_for([&] { return tip->property("opened").toBool(); }))
                    << what << ": " << tip->property("text").toString().toStdString();
                const QRectF covered = rect_of(tip->property("contentItem").value<QQuickItem*>()->parentItem());
                ++seen;
                EXPECT_TRUE(inside.contains(covered)) << what << ": " << tip->property("text").toString().toStdString();
                for (const QQuickItem* other : controls) {
                    EXPECT_FALSE(rect_of(other).adjusted(1, 1, -1, -1).intersects(covered))
                        << what << ": " << tip->property("text").toString().toStdString() << " covers "
                        << other->property("text").toString().toStdString() << ' '
                        << other->property("tip").toString().toStdString();
                }
                tip->setProperty("shown", false);
            }
        }
    };
    check("panel");
    trigger("panel");
    for (const char* view : {"", "matrix", "race", "compare", "replay", "stageMap"}) {
        if (*view != '\0') trigger(view);
        check(view);
        if (*view != '\0') session_->views()->find(view)->set_open(false);
    }
    EXPECT_GT(seen, 60);
}

// The pointer may rest where the button appears together with the controls above its bar.
TEST_F(FirstSight, ATooltipAvoidsTheControlsThatAppearAboveItsBar) {
    open({});
    play();
    auto* tip = item("fullScreenButton")->findChild<QObject*>(QString(), Qt::FindDirectChildrenOnly);
    ASSERT_NE(tip, nullptr);
    ASSERT_TRUE(tip->inherits("QQuickToolTip"));
    tip->setProperty("delay", 0);
    tip->setProperty("shown", true);
    ASSERT_TRUE(test::wait_for([&] { return tip->property("opened").toBool(); }));
    const auto covers = [&](const char* name) {
        const auto rect_of = [](const QQuickItem* shown) { return shown->mapRectToScene(shown->boundingRect()); };
        return rect_of(tip->property("contentItem").value<QQuickItem*>()->parentItem()).intersects(rect_of(item(name)));
    };
    session_->view<Replay>()->set_open(true);
    ASSERT_TRUE(test::wait_for([&] { return in_sight("replayStrip"); }));
    EXPECT_TRUE(test::wait_for([&] { return !covers("replayStrip") && !covers("fullScreenButton"); }));
}

}  // namespace
}  // namespace throng::ui
