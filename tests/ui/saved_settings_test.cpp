// Tests what the window remembers between runs.
#include <filesystem>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>

#include "tests/support/test_data.h"
#include "tests/ui/window_fixture.h"
#include "ui/settings/saved_settings.h"

namespace throng::ui {
namespace {

class Saved : public testing::Test {
protected:
    struct Run {
        explicit Run(QSettings& store) : saved(store, display, detection) { detection.set_detector_chosen(false); }
        DisplaySettings display;
        DetectionSettings detection{PipelineSettings{}, {"haar", "lbp", "hog", "cnn"}};
        SavedSettings saved;
    };
    // Starts the program again.
    std::unique_ptr<Run> restart() {
        auto run = std::make_unique<Run>(store_);
        run->saved.restore_display();
        run->saved.restore_detector();
        run->saved.watch();
        return run;
    }

    test::ScratchDir folder_;
    QSettings store_{QString::fromStdString((folder_.path() / "settings.ini").string()), QSettings::IniFormat};
};

TEST_F(Saved, TheOverlayIsRestored) {
    auto run = restart();
    EXPECT_TRUE(run->display.kept() && run->display.landmarks());
    EXPECT_FALSE(run->display.raw() || run->display.labels() || run->display.blur());
    run->display.set_raw(true);
    run->display.set_labels(true);
    run->display.set_blur(true);
    run = restart();
    EXPECT_TRUE(run->display.raw());
    EXPECT_TRUE(run->display.kept());
    EXPECT_TRUE(run->display.labels());
    EXPECT_TRUE(run->display.blur());
    run->display.set_blur(false);
    EXPECT_FALSE(restart()->display.blur());
}

TEST_F(Saved, OptionsOfTheProgramAreNotSaved) {
    Run run(store_);
    run.display.set_labels(true);  // --labels
    run.detection.use("hog", "");  // --detector hog
    run.saved.watch();
    run.display.set_raw(true);
    run.detection.set_min_size(100);
    EXPECT_EQ(store_.allKeys(), QStringList{"display/raw"});
}

TEST_F(Saved, TheDetectorIsRestoredWithoutItsSettings) {
    auto run = restart();
    run->detection.set_detector(2);
    run->detection.set_min_size(200);
    run->detection.set_theta(0.9);
    run = restart();
    EXPECT_EQ(run->detection.values().detector.kind, DetectorId::hog);
    EXPECT_TRUE(run->detection.detector_chosen());
    EXPECT_EQ(run->detection.min_size(), detector_kind("hog").params.min_size);
    EXPECT_NE(run->detection.theta(), 0.9);
}

TEST_F(Saved, AModelThatWasRemovedIsNotRestored) {
    const std::filesystem::path model = folder_.path() / "mine.onnx";
    std::ofstream(model) << "a network";
    restart()->detection.use("cnn", model.string());
    auto run = restart();
    EXPECT_EQ(run->detection.values().detector.kind, DetectorId::cnn);
    EXPECT_EQ(run->detection.model().toStdString(), model.string());
    std::filesystem::remove(model);
    run = restart();
    EXPECT_EQ(run->detection.values().detector.kind, DetectorId::haar);
    EXPECT_FALSE(run->detection.detector_chosen());
    store_.setValue("detector/kind", "of another version");
    EXPECT_EQ(restart()->detection.values().detector.kind, DetectorId::haar);
}

TEST_F(Saved, ADetectorThatNobodyChoseIsNotSaved) {
    auto run = restart();
    run->detection.set_installed_models({{{"yunet_n_dynamic", DetectorId::cnn, "/m/yunet_n_dynamic.onnx"}, 0.25F}});
    run->detection.try_network();
    EXPECT_EQ(run->detection.values().detector.kind, DetectorId::cnn);
    EXPECT_TRUE(store_.allKeys().isEmpty());
    run->detection.set_detector(0);
    EXPECT_EQ(store_.value("detector/kind").toString(), "haar") << "the user prefers it";
}

TEST_F(Window, RemembersTheSidePanel) {
    open({});
    EXPECT_TRUE(window_->property("panelOpen").toBool());
    trigger("panel");
    open({});  // the next run, with the same store
    EXPECT_FALSE(window_->property("panelOpen").toBool());
    trigger("panel");
    open({});
    EXPECT_TRUE(window_->property("panelOpen").toBool());
}

}  // namespace
}  // namespace throng::ui
