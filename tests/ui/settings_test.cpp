#include <gtest/gtest.h>

#include <QSignalSpy>

#include "ui/settings/detection_settings.h"

namespace throng::ui {
namespace {

class Settings : public testing::Test {
protected:
    DetectionSettings settings_{PipelineSettings{}, {"haar", "lbp", "hog", "cnn"}};
    QSignalSpy rejected_{&settings_, &DetectionSettings::rejected};
};

TEST_F(Settings, AConflictingSizeLimitIsAdjusted) {
    settings_.set_max_size(100);
    settings_.set_min_size(150);
    EXPECT_EQ(settings_.max_size(), 150);
    settings_.set_max_size(60);
    EXPECT_EQ(settings_.min_size(), 60);
    settings_.set_max_size(0);  // no limit
    EXPECT_EQ(settings_.min_size(), 60);
    EXPECT_EQ(rejected_.count(), 0);
}

TEST_F(Settings, RejectsInvalidValues) {
    const double theta = settings_.theta();
    settings_.set_theta(1.5);
    EXPECT_EQ(settings_.theta(), theta);
    EXPECT_EQ(rejected_.count(), 1);
    settings_.set_scale_factor(1.0);
    EXPECT_GT(settings_.scale_factor(), 1.0);
    EXPECT_EQ(rejected_.count(), 2);
}

TEST_F(Settings, ASoftRuleResetsHitsAndMerge) {
    settings_.set_min_hits(4);
    settings_.set_merge(1);
    settings_.set_rule(2);
    EXPECT_TRUE(settings_.soft_rule());
    EXPECT_EQ(settings_.min_hits(), 1);
    EXPECT_EQ(settings_.merge(), 0);
    EXPECT_EQ(rejected_.count(), 0);
}

// Below the least score that the detector gives, a box of a soft rule is no detection any more.
TEST_F(Settings, ASoftRuleEndsAtTheLeastScoreOfTheDetector) {
    const float before = settings_.values().nms.score_min;
    settings_.set_rule(2);
    EXPECT_EQ(settings_.values().nms.score_min, 5) << "a cascade";
    settings_.set_rule(0);
    EXPECT_EQ(settings_.values().nms.score_min, before);
    settings_.set_detector(2);
    ASSERT_EQ(settings_.values().detector.kind, DetectorId::hog);
    settings_.set_rule(3);
    EXPECT_EQ(settings_.values().nms.score_min, *detector_kind("hog").params.score_threshold);
    settings_.set_score_threshold(0.75);
    EXPECT_EQ(settings_.values().nms.score_min, 0.75F);
    EXPECT_EQ(rejected_.count(), 0);
}

TEST_F(Settings, AcceptsEveryChoiceOfEveryMenu) {
    for (int i = 0; i < settings_.rules().size(); ++i) {
        settings_.nextRule();
        check_params(settings_.values().nms);
    }
    for (int i = 0; i < settings_.overlaps().size(); ++i) {
        settings_.set_overlap(i);
        EXPECT_EQ(settings_.overlap(), i);
    }
    settings_.set_rule(0);
    for (int i = 0; i < settings_.merges().size(); ++i) {
        settings_.set_merge(i);
        EXPECT_EQ(settings_.merge(), i);
    }
    settings_.set_rule(99);
    settings_.set_detector(-1);
    EXPECT_EQ(settings_.rule(), 0);
    EXPECT_EQ(rejected_.count(), 0);
}

TEST_F(Settings, PaperKernelsSelectTheOnePassRule) {
    settings_.set_rule(1);
    settings_.set_kernels(1);
    EXPECT_EQ(settings_.kernels(), 1);
    EXPECT_EQ(settings_.values().nms.rule, NmsRule::one_pass);
    settings_.nextRule();
    EXPECT_EQ(settings_.kernels(), 0);
    EXPECT_EQ(rejected_.count(), 0);
}

TEST_F(Settings, AnotherDetectorResetsTheModel) {
    settings_.openModel(QUrl::fromLocalFile("/models/haarcascade_frontalface_alt.xml"));
    EXPECT_EQ(settings_.model_name(), "frontalface_alt");
    settings_.set_detector(1);
    EXPECT_EQ(settings_.values().detector.kind, DetectorId::lbp);
    EXPECT_EQ(settings_.model(), "");
    settings_.reset();
    EXPECT_EQ(settings_.detector(), 0);
}

TEST_F(Settings, AnotherDetectorLoadsItsDefaultSettings) {
    for (int i = 3; i >= 0; --i) {
        settings_.set_switch("some", "off");
        settings_.set_detector(i);
        const DetectorKind& kind = detector_kinds()[static_cast<std::size_t>(i)];
        EXPECT_EQ(settings_.detector(), i);
        EXPECT_EQ(settings_.finds().toStdString(), kind.finds);
        EXPECT_EQ(settings_.has_landmarks(), kind.landmarks);
        EXPECT_EQ(settings_.takes_threshold(), kind.takes_threshold);
        EXPECT_EQ(settings_.values().detector.score_threshold, kind.params.score_threshold);
        EXPECT_TRUE(settings_.values().detector.switches.empty()) << "switches belong to a kind";
        if (i > 0) {
            EXPECT_EQ(settings_.min_size(), kind.params.min_size);
            EXPECT_EQ(settings_.min_hits(), 1);
            EXPECT_EQ(settings_.values().min_confidence, kind.min_confidence);
        }
        const QVariantMap ranges = settings_.ranges().toMap();
        for (const QString& name : ranges.keys()) {
            const SettingRow& row = *find_setting(name.toStdString());
            const QVariantMap ends = ranges[name].toMap();
            const double from = ends["from"].toDouble();
            const double to = ends["to"].toDouble();
            const std::string value =
                row.read({settings_.values().detector, settings_.values().nms, settings_.values().min_confidence});
            EXPECT_GT(ends["step"].toDouble(), 0) << row.name;
            EXPECT_GE(from, row.min) << row.name;
            EXPECT_LE(to, row.max) << row.name;
            if (value.empty() || row.name == "max_size") continue;  // the model's own; 0: no limit
            EXPECT_LE(from, std::stod(value)) << row.name;
            EXPECT_GE(to, std::stod(value)) << row.name;
        }
    }
    EXPECT_EQ(rejected_.count(), 0);
}

TEST_F(Settings, ListsModelsOfTheKindAfterTheDefault) {
    settings_.set_installed_models({{{"haarcascade_eye", DetectorId::haar, "/m/haarcascade_eye.xml"}, {}},
                                    {{"yunet_n_640_640", DetectorId::cnn, "/m/yunet_n_640_640.onnx"}, 0.25F}});
    EXPECT_EQ(settings_.models(), (QStringList{"frontalface_alt2 (default)", "eye"}));
    EXPECT_EQ(settings_.model_index(), 0);
    settings_.chooseModel(1);
    EXPECT_EQ(settings_.values().detector.model, "/m/haarcascade_eye.xml");
    EXPECT_EQ(settings_.model_index(), 1);
    settings_.openModel(QUrl::fromLocalFile("/elsewhere/mine.xml"));
    EXPECT_EQ(settings_.models(), (QStringList{"frontalface_alt2 (default)", "eye", "mine"}));
    EXPECT_EQ(settings_.model_index(), 2);
    EXPECT_EQ(settings_.model_pattern(), "*.xml");
    settings_.set_detector(3);
    EXPECT_EQ(settings_.models(), (QStringList{"yunet_n_640_640 (default)", "yunet_n_640_640"}));
    EXPECT_TRUE(settings_.uses_model_threshold());
    EXPECT_EQ(settings_.model_threshold(), 0.25) << "of the installed default";
    EXPECT_EQ(settings_.score_threshold(), 0.25);
    settings_.openModel(QUrl::fromLocalFile("/elsewhere/mine.onnx"));
    EXPECT_EQ(settings_.model_threshold(), 0) << "not known";
    settings_.set_detector(2);
    EXPECT_FALSE(settings_.takes_model());
}

TEST_F(Settings, OffersANetworkUntilADetectorIsChosen) {
    settings_.set_installed_models({});
    EXPECT_FALSE(settings_.offers_network()) << "the detector was chosen at program start";
    DetectionSettings settings{PipelineSettings{}, {"haar", "lbp", "hog", "cnn"}};
    settings.set_detector_chosen(false);
    EXPECT_FALSE(settings.offers_network()) << "the models are not known yet";
    settings.set_installed_models({});
    EXPECT_TRUE(settings.offers_network());
    EXPECT_EQ(settings.get_network().toStdString(), detector_kind("cnn").get_models);
    settings.set_installed_models({{{"mine", DetectorId::cnn, "/m/mine.onnx"}, 0.5F}});
    EXPECT_NE(settings.get_network(), "") << "none of the defaults";
    settings.set_installed_models({{{"yunet_n_640_640", DetectorId::cnn, "/m/yunet_n_640_640.onnx"}, 0.25F}});
    EXPECT_TRUE(settings.offers_network());
    EXPECT_EQ(settings.get_network(), "");
    settings.useNetwork();
    EXPECT_EQ(settings.values().detector.kind, DetectorId::cnn);
    settings.set_detector(0);
    EXPECT_FALSE(settings.offers_network()) << "the user has chosen one";
    DetectionSettings without{PipelineSettings{}, {"haar", "hog"}};
    without.set_detector_chosen(false);
    without.set_installed_models({});
    EXPECT_FALSE(without.offers_network()) << "this program has no network";
    without.useNetwork();
    EXPECT_EQ(without.detector(), 0);
}

TEST_F(Settings, OffersLandmarksUntilAResultShowsThatTheModelHasNone) {
    EXPECT_FALSE(settings_.has_landmarks()) << "cascades have none";
    settings_.set_detector(3);
    EXPECT_TRUE(settings_.has_landmarks());
    settings_.set_model_has_landmarks(false);
    EXPECT_FALSE(settings_.has_landmarks());
    settings_.openModel(QUrl::fromLocalFile("/elsewhere/mine.onnx"));
    EXPECT_TRUE(settings_.has_landmarks()) << "another model may have them";
}

TEST_F(Settings, AnnouncesWhatTheUserHasChanged) {
    const QSignalSpy announced(&settings_, &DetectionSettings::announced);
    const auto last = [&] { return announced.isEmpty() ? QString() : announced.last().first().toString(); };
    settings_.set_theta(0.45);
    EXPECT_EQ(last(), QStringLiteral("Threshold θ 0.45"));
    settings_.set_rule(0);
    EXPECT_TRUE(last().contains(settings_.rules().at(0)));
    settings_.set_detector(3);
    EXPECT_EQ(last(), settings_.title());
    settings_.set_score_threshold(0.5);
    EXPECT_EQ(last(), "Minimum score 0.50");
    const auto count = announced.count();
    settings_.set_values(PipelineSettings{});
    EXPECT_EQ(announced.count(), count) << "the pipeline changed them, not the user";
}

}  // namespace
}  // namespace throng::ui
