// Tests the window's keys, menus, panels and sizes with real events.
#include <QAccessible>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QJSValue>
#include <QJSValueIterator>
#include <QRegularExpression>
#include <QScreen>
#include <QSet>
#include <atomic>
#include <functional>
#include <utility>

#include "tests/ui/fake_tree.h"
#include "tests/ui/window_fixture.h"
#include "ui/icons/icon_paths.h"
#include "ui/session/shortcut_model.h"

namespace throng::ui {
namespace {

TEST_F(Window, TypingReplacesThePreviousAddress) {
    open({});
    trigger("sources");
    auto* address = window_->findChild<QQuickItem*>("address");
    ASSERT_NE(address, nullptr);
    const auto is_open = [&] { return window_->findChild<QObject*>("sourceMenu")->property("opened").toBool(); };
    ASSERT_TRUE(test::wait_for(is_open));
    QMetaObject::invokeMethod(address, "forceActiveFocus");
    type("first");
    ASSERT_EQ(address->property("text"), "first");
    trigger("sources");
    ASSERT_TRUE(test::wait_for([&] { return !address->isVisible(); }));
    trigger("sources");
    ASSERT_TRUE(test::wait_for(is_open));
    draw();
    QMetaObject::invokeMethod(address, "forceActiveFocus");
    type("second");
    EXPECT_EQ(address->property("text"), "second");
    trigger("sources");
    ASSERT_TRUE(test::wait_for([&] { return !address->isVisible(); }));
    trigger("sources");
    ASSERT_TRUE(test::wait_for(is_open));
    draw();
    QTest::mouseClick(window_, Qt::LeftButton, {}, center_of(*address));
    EXPECT_TRUE(test::wait_for([&] { return address->property("selectedText") == "second"; }));
    type("third");
    EXPECT_EQ(address->property("text").toString().toStdString(), "third");
}

// A camera that counts the seeks.
class SoughtSource : public VideoSource {
public:
    SoughtSource(const test::FakeClip& clip, std::atomic<int>& seeks)
        : inner_(test::make_fake_source(clip)), seeks_(seeks) {}
    ReadStatus read(Frame& frame, std::stop_token stop) override { return inner_->read(frame, std::move(stop)); }
    bool seek(double seconds) override {
        ++seeks_;
        return inner_->seek(seconds);
    }
    [[nodiscard]] SourceInfo info() const override { return inner_->info(); }

private:
    std::unique_ptr<VideoSource> inner_;
    std::atomic<int>& seeks_;
};

TEST_F(Window, KeysSeekOnlyWhereTheSourceCanSeek) {
    std::atomic<int> seeks = 0;
    make_source_ = [&](const std::string& spec) -> std::unique_ptr<VideoSource> {
        test::FakeClip clip;
        clip.live = spec == "camera:7";
        return std::make_unique<SoughtSource>(clip, seeks);
    };
    open({});
    activate();
    play("camera:7");
    ASSERT_TRUE(test::wait_for([&] { return session_->source()->live(); }));
    for (const Qt::Key key : {Qt::Key_Home, Qt::Key_Left, Qt::Key_Right, Qt::Key_Comma}) {
        QTest::keyClick(window_, key);
        const auto index = session_->result()->frame.info().index;
        EXPECT_TRUE(test::wait_for([&] { return session_->result()->frame.info().index > index + 5; })) << key;
    }
    EXPECT_EQ(session_->transport()->state(), "running");
    EXPECT_EQ(seeks, 0);
    session_->open("clip.mp4");
    ASSERT_TRUE(test::wait_for([&] { return session_->source()->seekable() && session_->result(); }));
    pause_at(500000);
    const int before = seeks;
    QTest::keyClick(window_, Qt::Key_Home);
    EXPECT_TRUE(test::wait_for([&] { return session_->result()->frame.info().index == 0; }));
    EXPECT_EQ(seeks, before + 1);
}

TEST_F(Window, PlayAndTheMatrixWaitForASource) {
    open({});
    trigger("play");
    EXPECT_EQ(session_->feedback()->text(), "");
    trigger("matrix");
    const auto status = [&] { return item("matrixStatus")->property("text").toString(); };
    EXPECT_EQ(status(), "No frames yet");
    session_->open("missing.mp4");
    ASSERT_TRUE(test::wait_for([&] { return session_->alert()->visible(); }));
    EXPECT_EQ(status(), "No frames yet");
    trigger("play");  // tries again
    EXPECT_EQ(session_->feedback()->text(), "");
    play();
    EXPECT_TRUE(test::wait_for([&] { return status().startsWith("cost of this view"); })) << status().toStdString();
    trigger("play");
    EXPECT_EQ(session_->feedback()->text(), "Paused");

    test::FakeClip still;
    still.frames = 1;
    open(still);
    play();
    ASSERT_TRUE(test::wait_for([&] { return session_->source()->still(); }));
    trigger("play");
    EXPECT_EQ(session_->feedback()->text(), "") << "nothing to play";
}

TEST_F(Window, BarsHideOverAVideoWhileThePointerRests) {
    open({});
    play();
    window_->showFullScreen();
    ASSERT_TRUE(test::wait_for([&] { return window_->property("fullScreen").toBool(); }));
    const auto chrome = [&] { return window_->property("chrome").toBool(); };
    const QPoint center(window_->width() / 2, window_->height() / 2);
    QTest::mouseMove(window_, center);
    QElapsedTimer rest;
    rest.start();
    QTest::mouseMove(window_, center + QPoint(5, 5));
    EXPECT_TRUE(chrome());
    EXPECT_TRUE(test::wait_for([&] { return !chrome(); })) << "the video below the pointer is no movement";
    EXPECT_GE(rest.elapsed(), 2000) << "time to reach a button";
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
    open({}, {1320, 1600});
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
    open({}, {1320, 600});
    activate();
    auto* scroll = window_->findChild<QQuickItem*>("panelScroll");
    ASSERT_NE(scroll, nullptr);
    draw();
    int in_panel = 0;
    for (int i = 0; i < 60; ++i) {
        QTest::keyClick(window_, Qt::Key_Tab);
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
    draw();
    EXPECT_TRUE(window_->property("fullScreen").toBool());
    auto* open_button = qobject_cast<QQuickItem*>(control("Open"));
    ASSERT_NE(open_button, nullptr);
    EXPECT_FALSE(open_button->isVisible());
    auto* menu = window_->findChild<QObject*>("sourceMenu");
    ASSERT_NE(menu, nullptr);
    EXPECT_FALSE(menu->property("visible").toBool());
    trigger("help");
    EXPECT_TRUE(test::wait_for([&] { return shows("Play or pause"); }));
    EXPECT_FALSE(shows("Open a video or image")) << "the list has no locked keys";
}

// On the test's display there is no window manager that would set the size.
TEST_F(Window, FullScreenFillsTheScreenAndReturns) {
    const QSize size(640, 400);
    open({}, size);
    play();
    trigger("fullscreen");
    EXPECT_TRUE(test::wait_for([&] { return window_->size() == window_->screen()->size(); }));
    trigger("fullscreen");
    // The platform plugin offscreen sets the size itself, and does not restore it.
    if (QGuiApplication::platformName() == "offscreen") return;
    EXPECT_TRUE(test::wait_for([&] { return window_->size() == size; }));
}

TEST_F(Window, DrawsThePanelTheSheetsAndTheirStates) {
    const test::FakeTree board(folder_.path() / "board");
    test::FakeClip clip;
    clip.width = 1280;
    clip.height = 720;
    clip.boxes = 60;
    open(clip, {800, 480});
    play();
    TH_NEEDS_READ_BACK(*window_);
    const auto expect_drawn = [&](const QString& item, const QString& image) {
        EXPECT_EQ(wait_until_drawn(item, image), "") << image.toStdString();
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
    expect_drawn("sidePanel", "panel");
    trigger("help");
    expect_drawn("sheetScroll", "sheet");
    trigger("escape");
    trigger("sources");
    expect_drawn("address", "sources");
    trigger("escape");
    window_->resize(1280, 720);
    session_->setSwitch("trick", "off");
    ASSERT_TRUE(click("Max"));
    expect_drawn("sidePanel", "baseline");
    scroll_to("A trick");
    expect_drawn("sidePanel", "switches");
    board.make_reject(board.node("max_freq"));
    ASSERT_TRUE(click("Min"));
    scroll_to("Min");
    expect_drawn("sidePanel", "rejected");
    board.set(board.node("max_freq"), "854250000");
    expect_drawn("sidePanel", "changed-by-another");
    window_->resize(1920, 1080);
    board.set(board.node("max_freq"), "1300500000");
    session_->sweep()->set_pace({std::chrono::milliseconds(20), std::chrono::milliseconds(300)});
    trigger("sweep");
    ASSERT_TRUE(test::wait_for([&] { return !session_->sweep()->running(); }));
    scroll_to("Sweep");
    expect_drawn("sidePanel", "sweep");
    session_->detection()->set_detector(3);
    scroll_to("Reset");
    expect_drawn("sidePanel", "cnn-controls");
}

// Every control that the Tab key can reach, in the whole window.
TEST_F(Window, EveryControlHasANameAndATip) {
    open({}, {1320, 1600});
    play();
    session_->view<Replay>()->set_open(true);
    int controls = 0;
    const std::function<void(QQuickItem*)> check = [&](QQuickItem* item) {
        if (!item->isVisible()) return;
        for (QQuickItem* child : item->childItems()) check(child);
        const bool slider = item->inherits("QQuickSlider");
        if (!slider && !item->inherits("QQuickAbstractButton") && !item->inherits("QQuickComboBox")) return;
        ++controls;
        const QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(item);
        ASSERT_NE(accessible, nullptr) << item->metaObject()->className();
        const QString name = accessible->text(QAccessible::Name);
        EXPECT_FALSE(name.isEmpty()) << item->metaObject()->className() << " at " << center_of(*item).x() << " "
                                     << center_of(*item).y();
        if (item->objectName() == "seekBar") return;  // it shows the time below the pointer
        const QQuickItem* owner = slider ? item->parentItem() : item;
        EXPECT_FALSE(owner->property("tip").toString().isEmpty()) << name.toStdString();
    };
    check(window_->contentItem());
    EXPECT_GT(controls, 30);
}

TEST_F(Window, TheTitleBarFitsAtEveryWidth) {
    open({});
    play();
    const auto* title = item("sourceTitle");
    ASSERT_NE(title, nullptr);
    const QQuickItem* bar = title->parentItem()->parentItem();
    for (const int width : {480, 560, 640, 719, 720, 800, 1280}) {
        window_->resize(width, 480);
        const auto is_laid_out = [&] {
            double end = 0;
            for (const QQuickItem* child : bar->childItems()) {
                if (!child->isVisible() || child->width() == 0) continue;
                if (child->x() < end) return false;
                end = child->x() + child->width();
            }
            return bar->width() <= width && bar->width() > width - 40 && end <= bar->width();
        };
        EXPECT_TRUE(test::wait_for(is_laid_out)) << width;
        EXPECT_GE(title->width(), 150) << width;
        EXPECT_NE(item("moreButton") != nullptr, item("matrixButton") != nullptr) << width;
    }
}

TEST_F(Window, TheMenuOfANarrowWindowListsEveryView) {
    open({}, {480, 480});
    play();
    activate();
    ASSERT_TRUE(test::wait_for([&] { return in_sight("moreButton"); }));
    QTest::mouseClick(window_, Qt::LeftButton, {}, center_of(*item("moreButton")));
    for (const char* row : {"matrixRow", "countsRow", "compareRow", "raceRow", "replayRow"}) {
        EXPECT_TRUE(test::wait_for([&] { return in_sight(row); })) << row;
    }
    QTest::keyClick(window_, Qt::Key_Escape);
    EXPECT_TRUE(test::wait_for([&] { return item("matrixRow") == nullptr; }));
}

TEST_F(Window, ThePanelOfASmallWindowTakesThePlaceOfTheMatrix) {
    open({}, {800, 480});
    play();
    activate();
    QTest::keyClick(window_, Qt::Key_M);
    ASSERT_TRUE(test::wait_for([&] { return in_sight("matrixPanel"); }));
    QTest::keyClick(window_, Qt::Key_P);
    EXPECT_TRUE(test::wait_for([&] { return in_sight("panelScroll") && item("matrixPanel") == nullptr; }));
    QTest::keyClick(window_, Qt::Key_Escape);
    EXPECT_TRUE(test::wait_for([&] { return in_sight("matrixPanel") && item("panelScroll") == nullptr; }));
    QTest::keyClick(window_, Qt::Key_Escape);
    EXPECT_FALSE(session_->view<MatrixView>()->open());
    QTest::keyClick(window_, Qt::Key_P);
    QTest::keyClick(window_, Qt::Key_M);
    EXPECT_TRUE(test::wait_for([&] { return in_sight("matrixPanel"); })) << "a view that is opened comes into sight";
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
    for (const auto& view : session_->views()->list()) handled += view->id();
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
        draw();
        EXPECT_EQ(session_->transport()->state(), "idle") << shortcut.id;
        EXPECT_FALSE(session_->captures()->recorder()->recording()) << shortcut.id;
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
            draw();
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
    for (const auto& view : session_->views()->list()) {
        EXPECT_TRUE(view->icon().isEmpty() || find_icon(view->icon())) << view->info().id;
        EXPECT_TRUE(view->file().isEmpty() || QFile::exists(":/qt/qml/Throng/Ui/" + view->file())) << view->info().id;
    }
}

}  // namespace
}  // namespace throng::ui
