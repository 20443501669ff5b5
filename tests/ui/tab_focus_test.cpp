// Tests that the keyboard reaches every control in sight, in each view, with real events.
#include <QAccessible>
#include <QSet>

#include "tests/ui/window_fixture.h"

namespace throng::ui {
namespace {

class TabFocus : public Window {
protected:
    // Opens the window with one view and nothing that changes while the test walks through it.
    void open_view(const char* action, QSize size = {1320, 800}) {
        test::FakeClip clip;
        clip.boxes = 30;
        clip.cnn_ms = 0.01;
        clip.stages = {"upload", "gray"};
        open(clip, size);
        activate();
        play();
        if (QLatin1String(action) != QLatin1String("counts")) {
            trigger("panel");
        } else {  // at least two stages are short: their button is there however long those of the pipeline take
            const auto cnn = session_->detection()->detectors().indexOf(QStringLiteral("CNN face detector"));
            session_->detection()->set_detector(static_cast<int>(cnn));
        }
        QTest::mouseMove(window_, {60, 400});  // not over the views at the right, which react
        if (*action != 0) trigger(action);
        if (session_->view<Replay>()->open()) {
            EXPECT_TRUE(test::wait_for([&] { return session_->view<Replay>()->count() > 5; }));
        }
        if (session_->view<MatrixView>()->open()) {
            EXPECT_TRUE(test::wait_for([&] { return session_->view<MatrixView>()->count() > 0; }));
        }
        if (session_->transport()->playing()) trigger("play");
        EXPECT_TRUE(test::wait_for([&] { return session_->transport()->state() == "paused"; }));
        // Buttons are enabled when there is something to show.
        if (session_->view<RaceView>()->open()) {
            EXPECT_TRUE(test::wait_for([&] {
                return session_->view<RaceView>()->raw_count() >= 0 && !session_->view<RaceView>()->running();
            }));
        }
        if (session_->view<StageMapView>()->open()) {
            EXPECT_TRUE(test::wait_for([&] { return session_->view<StageMapView>()->ready(); }));
        }
        draw();
    }

    static std::string describe(const QQuickItem& item) {
        QString text =
            item.objectName() + ' ' + item.property("text").toString() + ' ' + item.property("tip").toString();
        return (QString::fromLatin1(item.metaObject()->className()) + ' ' + text.simplified()).toStdString();
    }
    static void collect(QQuickItem* below, QSet<QQuickItem*>& found) {
        if (!below->isVisible() || !below->isEnabled()) return;
        const bool is_control = below->inherits("QQuickAbstractButton") || below->inherits("QQuickSlider") ||
                                below->inherits("QQuickComboBox") || below->inherits("QQuickTextInput");
        if (is_control) {
            EXPECT_TRUE(below->activeFocusOnTab()) << "cannot be reached: " << describe(*below);
            EXPECT_GE(std::min(below->width(), below->height()), 48) << "too small for a finger: " << describe(*below);
        }
        if (below->activeFocusOnTab()) found += below;
        for (QQuickItem* child : below->childItems()) collect(child, found);
    }
    // Returns true if the whole control is inside the window and all ancestors that clip it.
    bool is_in_sight(const QQuickItem& item) {
        const QRectF rect = item.mapRectToScene(item.boundingRect());
        if (!QRectF(0, 0, window_->width(), window_->height()).contains(rect)) return false;
        for (const QQuickItem* above = item.parentItem(); above != nullptr; above = above->parentItem()) {
            if (above->clip() && !above->mapRectToScene(above->boundingRect()).adjusted(-1, -1, 1, 1).contains(rect)) {
                return false;
            }
        }
        return true;
    }
    // Presses Tab until the first control has the focus again.
    void walk(int expected_at_least) {
        QSet<QQuickItem*> expected;
        collect(window_->contentItem(), expected);
        EXPECT_GE(expected.size(), expected_at_least);
        window_->contentItem()->forceActiveFocus();
        QSet<QQuickItem*> reached;
        while (reached.size() <= expected.size()) {
            QTest::keyClick(window_, Qt::Key_Tab);
            QQuickItem* now = window_->activeFocusItem();
            ASSERT_NE(now, nullptr);
            if (reached.contains(now)) break;
            reached += now;
            EXPECT_TRUE(expected.contains(now)) << "out of sight: " << describe(*now);
            EXPECT_TRUE(is_in_sight(*now)) << describe(*now);
            EXPECT_TRUE(now->property("visualFocus").toBool()) << "the focus is invisible: " << describe(*now);
            const QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(now);
            ASSERT_NE(accessible, nullptr) << describe(*now);
            EXPECT_FALSE(accessible->text(QAccessible::Name).isEmpty()) << "without a name: " << describe(*now);
        }
        for (const QQuickItem* each : expected - reached) ADD_FAILURE() << "not reached: " << describe(*each);
    }
    // Presses Tab until a control inside the item has the focus.
    [[nodiscard]] bool tab_into(const QString& name) {
        const QQuickItem* view = item(name);
        for (int i = 0; view != nullptr && i < 100; ++i) {
            QTest::keyClick(window_, Qt::Key_Tab);
            const QQuickItem* now = window_->activeFocusItem();
            if (now == view || view->isAncestorOf(now)) return true;
        }
        return false;
    }
};

TEST_F(TabFocus, ReachesTheMatrix) {
    open_view("matrix");
    walk(20);
    ASSERT_TRUE(tab_into("matrixGreedy"));
    QTest::keyClick(window_, Qt::Key_Down);
    QTest::keyClick(window_, Qt::Key_Down);
    EXPECT_TRUE(session_->view<MatrixView>()->selection().startsWith("row 3"))
        << session_->view<MatrixView>()->selection().toStdString();
    QTest::keyClick(window_, Qt::Key_End);
    QTest::keyClick(window_, Qt::Key_Down);
    EXPECT_TRUE(session_->view<MatrixView>()->selection().startsWith("row 30"))
        << session_->view<MatrixView>()->selection().toStdString();
    // The matrix has its own keys to zoom; with another control, they are those of the image.
    QTest::keyClick(window_, Qt::Key_Plus);
    EXPECT_TRUE(test::wait_for([&] { return session_->view<MatrixView>()->part().width() < 1; }));
    EXPECT_EQ(video_->zoom(), 1);
    QTest::keyClick(window_, Qt::Key_Tab);
    QTest::keyClick(window_, Qt::Key_Plus);
    EXPECT_EQ(video_->zoom(), 1.25);
    QTest::keyClick(window_, Qt::Key_Minus);
    EXPECT_EQ(video_->zoom(), 1);
    ASSERT_TRUE(tab_into("matrixGreedy"));
    QTest::keyClick(window_, Qt::Key_M);  // Qt must not warn
    EXPECT_TRUE(test::wait_for([&] { return item("matrixPanel") == nullptr; }));
    draw();
}

TEST_F(TabFocus, ReachesTheRace) {
    race_suppression_ = [](const auto&, const auto&, const auto&) {};
    open_view("race");
    walk(18);
}

TEST_F(TabFocus, ReachesBothSidesOfTheComparison) {
    open_view("compare");
    trigger("panel");
    draw();
    walk(25);
}

TEST_F(TabFocus, ReachesTheMapOfStages) {
    open_view("stageMap");
    walk(18);
}

TEST_F(TabFocus, ReachesTheLast30Seconds) {
    open_view("replay");
    walk(19);
    ASSERT_TRUE(tab_into("replayPlot"));
    QTest::keyClick(window_, Qt::Key_Left);
    EXPECT_TRUE(session_->view<Replay>()->active());
    walk(21);
    QTest::keyClick(window_, Qt::Key_Escape);
    EXPECT_FALSE(session_->view<Replay>()->active());
    EXPECT_TRUE(session_->view<Replay>()->open()) << "the first Esc returns to the live image";
}

TEST_F(TabFocus, ReachesTheSidePanelWithCounts) {
    open_view("counts");
    // The panel scrolls to the section that opens, soon after it opened.
    const auto* scroll = window_->findChild<QQuickItem*>("panelScroll");
    ASSERT_NE(scroll, nullptr);
    ASSERT_TRUE(test::wait_for([&] { return scroll->property("contentY").toDouble() > 0; }));
    ASSERT_TRUE(test::wait_for([&] { return item("shortStages") != nullptr; }));
    walk(40);
}

TEST_F(TabFocus, ReachesTheWall) {
    wall_sources_ = {"a.mp4", "b.mp4", "c.mp4"};
    open({});
    activate();
    ASSERT_TRUE(test::wait_for([&] { return wall_->running() == 3; }));
    walk(4);
    ASSERT_TRUE(tab_into("wall"));
    QTest::keyClick(window_, Qt::Key_Return);
    EXPECT_TRUE(test::wait_for([&] { return wall_->enlarged() == 0; }));
}

TEST_F(TabFocus, EscapeReturnsTheFocus) {
    race_suppression_ = [](const auto&, const auto&, const auto&) {};
    open_view("");
    const struct {
        const char *button, *panel;
    } views[] = {{"matrixButton", "matrixPanel"},
                 {"raceButton", "racePanel"},
                 {"compareButton", "compareDivider"},
                 {"replayButton", "replayStrip"}};
    for (const auto& [button, panel] : views) {
        QQuickItem* opener = item(button);
        ASSERT_NE(opener, nullptr) << button;
        opener->forceActiveFocus(Qt::TabFocusReason);
        QTest::keyClick(window_, Qt::Key_Space);
        ASSERT_TRUE(test::wait_for([&, name = panel] { return item(name) != nullptr; })) << panel;
        if (session_->view<RaceView>()->open()) {  // then its first button is enabled, which closing the view disables
            ASSERT_TRUE(test::wait_for([&] {
                return session_->view<RaceView>()->raw_count() >= 0 && !session_->view<RaceView>()->running();
            }));
        }
        ASSERT_TRUE(tab_into(panel)) << panel;
        QTest::keyClick(window_, Qt::Key_Escape);
        EXPECT_TRUE(test::wait_for([&, name = panel] { return item(name) == nullptr; })) << panel;
        EXPECT_TRUE(test::wait_for([&] { return window_->activeFocusItem() == opener; })) << button;
    }
    // Opened by its key, a view has no control to return to. Keys of the window work again.
    window_->activeFocusItem()->setFocus(false);
    QTest::keyClick(window_, Qt::Key_M);
    ASSERT_TRUE(tab_into("matrixPanel"));
    QTest::keyClick(window_, Qt::Key_Escape);
    draw();
    QTest::keyClick(window_, Qt::Key_Space);
    EXPECT_TRUE(test::wait_for([&] { return session_->transport()->playing(); }));
}

TEST_F(TabFocus, BeginsAtOpen) {
    open({});
    activate();
    play();
    draw();
    QTest::keyClick(window_, Qt::Key_Tab);
    ASSERT_NE(window_->activeFocusItem(), nullptr);
    EXPECT_EQ(window_->activeFocusItem()->property("text").toString(), "Open") << describe(*window_->activeFocusItem());
}

TEST_F(TabFocus, TheKeyOOpensTheAddress) {
    open({});
    activate();
    QTest::keyClick(window_, Qt::Key_O);
    ASSERT_TRUE(test::wait_for([&] { return in_sight("address") && item("address")->hasActiveFocus(); }));
    for (const char letter : {'a', '.', 'm', 'p', '4'}) QTest::keyClick(window_, letter);
    QTest::keyClick(window_, Qt::Key_Return);
    EXPECT_TRUE(test::wait_for([&] { return session_->source()->spec() == "a.mp4"; }));
}

// WCAG 2: a control's parts have a contrast of 3:1 to what is around them.
TEST_F(TabFocus, SlidersAndSwitchesAreVisible) {
    open({}, {1320, 1600});
    play();
    draw();
    const QColor panel = item("sidePanel")->property("color").value<QColor>();
    int seen = 0;
    const std::function<void(QQuickItem*)> check = [&](QQuickItem* below) {
        if (!below->isVisible()) return;
        for (QQuickItem* child : below->childItems()) check(child);
        const bool is_switch = below->inherits("QQuickSwitch");
        if (!is_switch && !below->inherits("QQuickSlider")) return;
        const auto* part = below->property(is_switch ? "indicator" : "background").value<QQuickItem*>();
        ASSERT_NE(part, nullptr);
        const auto* border = part->property("border").value<QObject*>();
        const QColor color =
            is_switch ? border->property("color").value<QColor>() : part->property("color").value<QColor>();
        EXPECT_GE(contrast(color, panel), 3) << describe(*below) << ' ' << color.name().toStdString();
        ++seen;
    };
    check(window_->contentItem());
    EXPECT_GT(seen, 8);
}

}  // namespace
}  // namespace throng::ui
