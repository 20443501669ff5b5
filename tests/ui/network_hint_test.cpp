// Tests the hint that a network finds more faces, with real events.
#include "tests/ui/window_fixture.h"

namespace throng::ui {
namespace {

class NetworkHint : public Window {
protected:
    // Opens the window and shows the hint, which names an installed network or how to get one.
    void open_hint(bool installed, QSize size = {1320, 800}) {
        detector_chosen_ = false;
        open({}, size);
        install(installed);
        if (QQuickItem* hint = item("networkHint")) scroll_to(*hint);
    }
    // Replaces the models of this machine, once they are known.
    void install(bool installed) {
        ASSERT_TRUE(test::wait_for([&] { return session_->detection()->offers_network(); }));
        std::vector<InstalledModel> models;
        if (installed) models.push_back({{"yunet_n_dynamic", DetectorId::cnn, "/m/yunet_n_dynamic.onnx"}, 0.25F});
        session_->detection()->set_installed_models(std::move(models));
    }
    void scroll_to(const QQuickItem& target) {
        draw();
        auto* flick = window_->findChild<QQuickItem*>("panelScroll");
        ASSERT_NE(flick, nullptr);
        const double y = target.mapToItem(flick->property("contentItem").value<QQuickItem*>(), QPointF(0, 0)).y();
        flick->setProperty("contentY", y - 100);
    }
    void press(const char* name) {
        const QQuickItem* button = item(QString::fromLatin1(name));
        ASSERT_NE(button, nullptr) << name;
        ASSERT_TRUE(in_sight(QString::fromLatin1(name))) << name;
        QTest::mouseClick(window_, Qt::LeftButton, {}, center_of(*button));
    }
};

TEST_F(NetworkHint, UsesTheInstalledNetwork) {
    open_hint(true);
    EXPECT_TRUE(shows("A network is installed"));
    press("useNetwork");
    EXPECT_EQ(session_->detection()->values().detector.kind, DetectorId::cnn);
    EXPECT_EQ(item("networkHint"), nullptr);
}

TEST_F(NetworkHint, SaysHowToGetOneAndStaysClosed) {
    open_hint(false);
    EXPECT_TRUE(shows("throng models fetch"));
    EXPECT_EQ(item("useNetwork"), nullptr);
    press("closeNetworkHint");
    EXPECT_EQ(item("networkHint"), nullptr);
    open_hint(false);  // the next run, with the same store
    EXPECT_EQ(item("networkHint"), nullptr);
    install(true);
    EXPECT_NE(item("networkHint"), nullptr) << "this is news";
}

TEST_F(NetworkHint, IsNotShownForAChosenDetectorOrInTheKiosk) {
    open({});
    session_->detection()->set_installed_models({});
    draw();
    EXPECT_EQ(item("networkHint"), nullptr) << "chosen at program start";
    kiosk_ = true;
    open_hint(false);
    EXPECT_EQ(item("networkHint"), nullptr) << "visitors install nothing";
}

TEST_F(NetworkHint, IsDrawnInTheWindowAndInThePanel) {
    open_hint(true);
    play();
    TH_NEEDS_READ_BACK(*window_);
    EXPECT_EQ(wait_until_drawn("networkHint", "network-hint"), "");
    window_->resize(800, 480);
    ASSERT_TRUE(test::wait_for([&] { return !window_->property("panelOpen").toBool(); })) << "there is no space for it";
    trigger("panel");
    install(false);
    ASSERT_TRUE(test::wait_for([&] { return item("networkHint") != nullptr; }));
    scroll_to(*window_->findChild<QQuickItem*>("networkHint"));
    EXPECT_EQ(wait_until_drawn("networkHint", "network-hint"), "");
}

}  // namespace
}  // namespace throng::ui
