// Tests the start page with real events: the buttons that are shown while no source is open.
#include <QAccessible>
#include <array>

#include "tests/ui/window_fixture.h"

namespace throng::ui {
namespace {

class StartPage : public Window {
protected:
    static constexpr std::array kButtons{"startCamera", "startFile", "startDemo"};

    bool plays(const QString& spec) {
        return test::wait_for([&] { return session_->source()->spec() == spec && video_->has_frame(); });
    }
    // Waits for the layout: the buttons overlap before.
    QPoint center_of_button(const char* name) {
        EXPECT_TRUE(test::wait_for([&] { return item("startDemo") != nullptr && item("startDemo")->x() > 0; }));
        return center_of(*item(QString::fromLatin1(name)));
    }
    void press(const char* name) { QTest::mouseClick(window_, Qt::LeftButton, {}, center_of_button(name)); }
    void await_cameras(int count) {
        ASSERT_TRUE(test::wait_for([&] { return session_->cameras()->count() == count; }));
    }
};

TEST_F(StartPage, IsShownWhileNoSourceIsOpenAndNoneIsBeingOpened) {
    open({});
    EXPECT_NE(item("startPage"), nullptr);
    session_->open("silent");
    EXPECT_EQ(item("startPage"), nullptr) << "while a source is being opened";
    EXPECT_TRUE(shows("Opening silent"));
    session_->open("clip.mp4");
    ASSERT_TRUE(plays("clip.mp4"));
    EXPECT_EQ(item("startPage"), nullptr);
    session_->open("missing.mp4");
    ASSERT_TRUE(test::wait_for([&] { return session_->alert()->visible(); }));
    EXPECT_EQ(item("startPage"), nullptr) << "the source before runs on";
}

TEST_F(StartPage, OpensTheOnlyCameraByPointer) {
    open({});
    await_cameras(1);
    press("startCamera");
    EXPECT_TRUE(plays("camera:7"));
    EXPECT_EQ(item("startPage"), nullptr);
}

TEST_F(StartPage, OffersTheMenuIfThereIsNotOneCamera) {
    cameras_ = {{"camera:0", "Left"}, {"camera:1", "Right"}};
    open({});
    await_cameras(2);
    EXPECT_TRUE(shows("2 found"));
    press("startCamera");
    auto* menu = window_->findChild<QObject*>("sourceMenu");
    ASSERT_NE(menu, nullptr);
    EXPECT_TRUE(test::wait_for([&] { return menu->property("opened").toBool(); }));
    EXPECT_EQ(session_->source()->spec(), "");
}

TEST_F(StartPage, OpensTheDemoByTouch) {
    open({});
    const std::unique_ptr<QPointingDevice> finger(QTest::createTouchDevice());
    const QPoint at = center_of_button("startDemo");
    QTest::touchEvent(window_, finger.get()).press(0, at, window_);
    QTest::touchEvent(window_, finger.get()).release(0, at, window_);
    EXPECT_TRUE(test::wait_for([&] { return session_->source()->spec().startsWith("crowd:"); }));
}

TEST_F(StartPage, ADoubleClickOpensWithoutFullScreen) {
    open({});
    QTest::mouseDClick(window_, Qt::LeftButton, {}, center_of_button("startDemo"));
    EXPECT_TRUE(test::wait_for([&] { return video_->has_frame(); }));
    EXPECT_FALSE(window_->property("fullScreen").toBool());
}

TEST_F(StartPage, IsUsedByKeys) {
    open({});
    activate();
    const auto focused = [&](const char* name) {
        return window_->activeFocusItem() != nullptr && window_->activeFocusItem()->objectName() == name;
    };
    for (int i = 0; i < 60 && !focused(kButtons[0]); ++i) QTest::keyClick(window_, Qt::Key_Tab);
    ASSERT_TRUE(focused(kButtons[0]));
    QTest::keyClick(window_, Qt::Key_Right);
    EXPECT_TRUE(focused(kButtons[1]));
    QTest::keyClick(window_, Qt::Key_Tab);
    EXPECT_TRUE(focused(kButtons[2]));
    QTest::keyClick(window_, Qt::Key_Left);
    EXPECT_TRUE(focused(kButtons[1]));
    QTest::keyClick(window_, Qt::Key_Right);
    QTest::keyClick(window_, Qt::Key_Return);
    EXPECT_TRUE(test::wait_for([&] { return session_->source()->spec().startsWith("crowd:"); }));
}

TEST_F(StartPage, OpensTheFileDialog) {
    open({});
    EXPECT_EQ(window_->findChild<QObject*>("fileSheet"), nullptr);
    press("startFile");
    EXPECT_TRUE(test::wait_for([&] { return item("fileList") != nullptr; })) << "loaded when it is opened";
}

TEST_F(StartPage, IsBelowTheMessageOfAFailureAtEverySize) {
    open({}, {480, 320});
    session_->open("missing.mp4");
    ASSERT_TRUE(test::wait_for([&] { return session_->alert()->visible(); }));
    for (const QSize size : {QSize(480, 320), QSize(640, 400), QSize(800, 480), QSize(1280, 800), QSize(1920, 1080)}) {
        window_->resize(size);
        ASSERT_TRUE(test::wait_for([&] { return window_->size() == size; }));
        draw();
        const QQuickItem* banner = item("errorBanner");
        ASSERT_NE(banner, nullptr);
        const double bottom = banner->mapToScene(QPointF(0, banner->height())).y();
        for (const char* name : kButtons) {
            EXPECT_TRUE(in_sight(name)) << name << " at " << size.width();
            EXPECT_GE(item(name)->mapToScene(QPointF(0, 0)).y(), bottom) << name << " at " << size.width();
        }
    }
    press("startDemo");
    EXPECT_TRUE(test::wait_for([&] { return video_->has_frame() && !session_->alert()->visible(); }));
}

TEST_F(StartPage, ThePanelCountsNothingBeforeTheFirstFrame) {
    open({}, {1320, 800});
    const auto headline = [&] { return item("headline")->property("text").toString(); };
    ASSERT_TRUE(test::wait_for([&] { return in_sight("headline"); }));
    EXPECT_EQ(headline(), QStringLiteral("–"));
    EXPECT_EQ(item("timingPlot"), nullptr) << "an empty plot";
    play();
    EXPECT_TRUE(test::wait_for([&] { return headline() == "1" && item("timingPlot") != nullptr; }));
}

TEST_F(StartPage, ATooltipCoversNoText) {
    open({});
    const auto rect_of = [](const QQuickItem* shown) { return shown->mapRectToScene(shown->boundingRect()); };
    for (const char* name : kButtons) {
        ASSERT_TRUE(test::wait_for([&] { return in_sight(name); })) << name;
        auto* tip = item(name)->findChild<QObject*>(QString(), Qt::FindDirectChildrenOnly);
        ASSERT_NE(tip, nullptr);
        ASSERT_TRUE(tip->inherits("QQuickToolTip"));
        tip->setProperty("delay", 0);
        tip->setProperty("shown", true);
        ASSERT_TRUE(test::wait_for([&] { return tip->property("opened").toBool(); }));
        const QRectF covered = rect_of(tip->property("contentItem").value<QQuickItem*>()->parentItem());
        for (const char* text : {"startHeading", name}) {
            EXPECT_FALSE(rect_of(item(text)).intersects(covered)) << name << " covers " << text;
        }
        tip->setProperty("shown", false);
    }
}

TEST_F(StartPage, NamesItsButtons) {
    cameras_.clear();
    open({});
    for (const auto& [name, spoken] :
         {std::pair{"startCamera", "Camera"}, {"startFile", "File"}, {"startDemo", "Demo crowd"}}) {
        QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(item(name));
        ASSERT_NE(accessible, nullptr);
        EXPECT_EQ(accessible->text(QAccessible::Name), spoken);
        EXPECT_EQ(accessible->role(), QAccessible::Button);
    }
    EXPECT_TRUE(shows("None found"));
}

TEST_F(StartPage, IsNotInTheKiosk) {
    kiosk_ = true;
    open({});
    EXPECT_EQ(item("startPage"), nullptr);
    EXPECT_TRUE(shows("No source is open"));
    session_->open("missing.mp4");
    ASSERT_TRUE(test::wait_for([&] { return session_->alert()->visible(); }));
    EXPECT_EQ(item("startPage"), nullptr);
}

TEST_F(StartPage, IsDrawnAtEverySize) {
    open({}, {480, 320});
    TH_NEEDS_READ_BACK(*window_);
    for (const QSize size : {QSize(480, 320), QSize(800, 480), QSize(1280, 800)}) {
        window_->resize(size);
        session_->alert()->dismiss();
        EXPECT_EQ(wait_until_drawn("startPage", "start"), "") << size.width();
        session_->open("missing.mp4");
        EXPECT_EQ(wait_until_drawn("errorBanner", "start-failed"), "") << size.width();
    }
}

}  // namespace
}  // namespace throng::ui
