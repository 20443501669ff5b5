#include <gtest/gtest.h>

#include <QFile>
#include <QKeySequence>
#include <QPainter>
#include <QSet>
#include <QSettings>
#include <QSignalSpy>
#include <iterator>
#include <limits>

#include "tests/support/test_data.h"
#include "tests/ui/model_tester.h"
#include "ui/models/camera_model.h"
#include "ui/models/recent_model.h"
#include "ui/models/stage_model.h"
#include "ui/plot/history.h"
#include "ui/plot/plot_item.h"
#include "ui/session/capture_files.h"
#include "ui/session/shortcut_model.h"

namespace throng::ui {
namespace {

StageSummary stage(const std::string& name, double last, double p99, std::uint64_t count = 10) {
    return {name, {last, last, last, p99, p99, count}};
}

TEST(StageModel, KeepsItsRowsWhileTheStagesAreTheSame) {
    StageModel model;
    const test::ModelTester tester(&model);
    QSignalSpy resets(&model, &StageModel::modelReset), changes(&model, &StageModel::dataChanged);
    model.update({stage("decode", 2, 3), stage("nms_map", 0.1, 0.2)});
    EXPECT_EQ(resets.count(), 1);
    model.update({stage("decode", 4, 7), stage("nms_map", 0.1, 0.2)});
    EXPECT_EQ(resets.count(), 1);
    EXPECT_EQ(changes.count(), 1);
    EXPECT_EQ(test::value(model, 0, "last").toDouble(), 4);
    EXPECT_EQ(test::value(model, 1, "label").toString(), "NMS map");
    EXPECT_EQ(model.scale(), 10);
    model.update({});
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(StageModel, OmitsStagesThatDidNotRun) {
    StageModel model;
    model.update({stage("decode", 2, 3), stage("gray", 0, 0, 0)});
    EXPECT_EQ(model.rowCount(), 1);
}

// Those of NMS are what the program is about. One row alone would gain nothing.
TEST(StageModel, FoldsShortStagesButNeverNms) {
    StageModel model;
    const test::ModelTester tester(&model);
    const auto names = [&] {
        QStringList found;
        for (int row = 0; row < model.rowCount(); ++row) {
            if (test::value(model, row, "isShort").toBool()) {
                found += test::value(model, row, "name").toString();
            }
        }
        return found.join(' ');
    };
    QSignalSpy changes(&model, &StageModel::shortStagesChanged);
    const auto update = [&](double upload, double gray, double total = 5) {
        model.update({stage("upload", upload, upload), stage("gray", gray, gray), stage("cascade", 4, 5),
                      stage("nms_map", 0.02, 0.02), stage("nms_reduce", 0.01, 0.01), stage("total", total, total)});
    };
    update(0.03, 0.04);
    EXPECT_EQ(names(), "upload gray");
    EXPECT_EQ(model.short_stages(), 2);
    update(0.11, 0.04);
    EXPECT_EQ(names(), "upload gray") << "a row at the limit does not come and go";
    EXPECT_EQ(changes.count(), 1);
    update(0.13, 0.04, 0.05);
    EXPECT_EQ(names(), "");
    EXPECT_EQ(model.short_stages(), 0);
    model.update({});
    EXPECT_EQ(model.short_stages(), 0);
}

TEST(StageModel, ShowsTheRatioToTheBaseline) {
    StageModel model;
    const test::ModelTester tester(&model);
    const auto ratio = [&] { return test::value(model, 0, "ratio").toDouble(); };
    const auto baseline = [&] { return test::value(model, 0, "baselineMs").toDouble(); };
    model.set_baseline("nothing was measured");
    EXPECT_TRUE(model.baseline_title().isEmpty());
    for (int i = 0; i < 5; ++i) model.add({{stage::kCascade, 2.0}});
    model.update({stage("cascade", 2, 2)});
    EXPECT_LT(baseline(), 0);
    model.set_baseline("Segments: on");
    EXPECT_EQ(baseline(), 2.0);
    EXPECT_LT(ratio(), 0) << "no results since the baseline";
    for (int i = 0; i < 9; ++i) model.add({{stage::kCascade, 6.0}});
    EXPECT_DOUBLE_EQ(ratio(), 3.0);
    EXPECT_EQ(model.baseline_title(), "Segments: on");
    model.update({stage("cascade", 0.5, 1)});
    EXPECT_GE(model.scale(), 2) << "the scale includes the baseline";
    model.clearBaseline();
    EXPECT_LT(baseline(), 0);
    EXPECT_TRUE(model.baseline_title().isEmpty());
}

TEST(StageModel, RemovesStagesOfAPreviousDetector) {
    StageModel model;
    for (int i = 0; i < 3; ++i) model.add({{stage::kCascade, 2.0}, {stage::kNmsMap, 1.0}});
    model.update({stage("cascade", 2, 2), stage("nms_map", 1, 1)});
    EXPECT_EQ(model.rowCount(), 2);
    for (int i = 0; i < 40; ++i) model.add({{stage::kNmsMap, 1.0}});
    model.update({stage("cascade", 2, 2), stage("nms_map", 1, 1)});
    ASSERT_EQ(model.rowCount(), 1);
    EXPECT_EQ(test::value(model, 0, "name").toString(), "nms_map");
}

TEST(StageModel, FormatsLabelsAndScales) {
    EXPECT_EQ(stage_label("nms_reduce"), "NMS reduce");
    EXPECT_EQ(stage_label("integral"), "Integral");
    EXPECT_EQ(stage_label("hog"), "HOG");
    EXPECT_EQ(stage_label("svm"), "SVM");
    EXPECT_EQ(round_scale(0), 0.1);
    EXPECT_DOUBLE_EQ(round_scale(0.3), 0.5);
    EXPECT_DOUBLE_EQ(round_scale(5), 5);
    EXPECT_DOUBLE_EQ(round_scale(5.1), 10);
    EXPECT_DOUBLE_EQ(round_scale(1900), 2000);
}

class Recent : public testing::Test {
protected:
    test::ScratchDir folder_;
    QSettings store_{QString::fromStdString((folder_.path() / "settings.ini").string()), QSettings::IniFormat};
};

TEST_F(Recent, TwoWindowsKeepTheSourcesOfBoth) {
    RecentModel one(store_), other(store_);
    const test::ModelTester tester(&one);
    one.add("/a/one.mp4");
    other.add("/a/two.mp4");
    one.add("/a/three.mp4");
    const RecentModel next(store_);
    QStringList listed;
    for (int row = 0; row < next.rowCount(); ++row) listed += test::value(next, row, "title").toString();
    EXPECT_EQ(listed, (QStringList{"three.mp4", "two.mp4", "one.mp4"}));
}

TEST(Captures, OfTwoWindowsHaveNamesOfTheirOwn) {
    const QString one = reserve_capture(CaptureKind::video), other = reserve_capture(CaptureKind::video);
    EXPECT_NE(one, other);
    for (const QString& path : {one, other}) {
        EXPECT_TRUE(QFile::exists(path));
        release_capture(path);
        EXPECT_FALSE(QFile::exists(path)) << "nothing was written";
    }
}

TEST_F(Recent, ListsTheNewestFirstWithoutDuplicates) {
    RecentModel model(store_);
    const test::ModelTester tester(&model);
    for (const char* spec : {"/a/one.mp4", "/a/two.mp4", "camera:0", "/a/one.mp4"})
        model.add(QString::fromLatin1(spec));
    EXPECT_EQ(model.rowCount(), 3);
    EXPECT_EQ(model.newest(), "/a/one.mp4");
    EXPECT_EQ(test::value(model, 0, "title").toString(), "one.mp4");
    EXPECT_EQ(test::value(model, 0, "location").toString(), "/a");
    EXPECT_EQ(test::value(model, 1, "title").toString(), "Camera 0");
}

TEST_F(Recent, DropsTheOldestAndPersists) {
    {
        RecentModel model(store_);
        const test::ModelTester tester(&model);
        for (int i = 0; i < 15; ++i) model.add(QString::number(i));
        EXPECT_EQ(model.rowCount(), RecentModel::kLimit);
    }
    RecentModel again(store_);
    EXPECT_EQ(again.rowCount(), RecentModel::kLimit);
    EXPECT_EQ(again.newest(), "14");
    again.clear();
    EXPECT_EQ(RecentModel(store_).rowCount(), 0);
}

constexpr const char* kSecretSources[] = {
    "rtsp://user:s3cr@camera.example/stream",
    "RTSP://user:s3cr@camera.example:99999/stream",  // no valid URL
    "rtsp://user:a/s3cr@camera2.example/stream",
    "rtsp://user:a s3cr@camera3.example/stream",
    "http://camera.example/video?access_token=s3cr",
    "mosaic:rtsp://user:s3cr@camera.example/stream",
    "gst:rtspsrc location=rtsp://camera.example user-id=user user-pw=s3cr ! decodebin",
    "gst:rtspsrc location=rtsp://user:s3cr@camera.example user-pw = 's3cr' ! decodebin",
    "mosaic:gst:rtspsrc user-pw=\"s3cr\" ! decodebin"};

TEST_F(Recent, StoresAndShowsNoSecrets) {
    const auto expect_none_in = [&](RecentModel& model) {
        for (int row = 0; row < model.rowCount(); ++row) {
            for (const char* column : {"spec", "title", "location"}) {
                const QString text = test::value(model, row, column).toString();
                EXPECT_FALSE(text.contains("s3cr")) << text.toStdString();
            }
        }
        EXPECT_FALSE(store_.value("recent").toStringList().join(' ').contains("s3cr"));
    };
    RecentModel model(store_);
    const test::ModelTester tester(&model);
    for (const char* spec : kSecretSources) {
        model.add(QString::fromLatin1(spec));
        EXPECT_TRUE(RecentModel::hasSecrets(QString::fromLatin1(spec))) << spec;
        expect_none_in(model);
        for (const QString& title : source_titles({QString::fromLatin1(spec), "gst:rtspsrc user-pw=other ! x"})) {
            EXPECT_FALSE(title.contains("s3cr")) << title.toStdString();
        }
    }
    EXPECT_EQ(source_title("rtsp://user:s3cr@camera.example/stream"), "rtsp://camera.example/stream");
    // What an earlier version has stored.
    QStringList stored;
    for (const char* spec : kSecretSources) stored += QString::fromLatin1(spec);
    store_.setValue("recent", stored);
    RecentModel again(store_);
    EXPECT_EQ(again.rowCount(), static_cast<int>(std::size(kSecretSources)));
    expect_none_in(again);
}

TEST_F(Recent, KeepsTheNamesOfFiles) {
    RecentModel model(store_);
    model.add("/videos/key=5/day.mp4");
    EXPECT_EQ(model.newest(), "/videos/key=5/day.mp4");
    EXPECT_FALSE(RecentModel::hasSecrets(model.newest()));
    EXPECT_EQ(RecentModel(store_).newest(), "/videos/key=5/day.mp4");
}

TEST_F(Recent, TheFolderIsThatOfTheNewestFile) {
    const QString folder = QString::fromStdString(folder_.path().string());
    ASSERT_TRUE(QFile(folder + "/a.mp4").open(QIODevice::WriteOnly));
    RecentModel model(store_);
    EXPECT_EQ(model.folder(), "");
    for (const QString& spec : {folder + "/a.mp4", folder + "/gone/b.mp4", QString("/dev/null"), QString("camera:0")})
        model.add(spec);
    EXPECT_EQ(model.folder(), folder) << "not that of a device";
    model.add(folder + "/");
    EXPECT_EQ(model.folder(), folder);
}

TEST(CameraModel, ShowsNamesAndSpecs) {
    CameraModel model;
    const test::ModelTester tester(&model);
    model.update({{"camera:0", "A camera"}, {"camera:1", ""}});
    EXPECT_EQ(test::value(model, 0, "title").toString(), "A camera");
    EXPECT_EQ(test::value(model, 1, "title").toString(), "camera:1");
    model.update({});
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(Shortcuts, HasNoDuplicateKeysOrActions) {
    QSet<QString> ids, keys;
    for (const ShortcutEntry& entry : shortcut_table()) {
        EXPECT_FALSE(ids.contains(entry.id)) << entry.id;
        ids.insert(entry.id);
        for (const QString& text : QString::fromLatin1(entry.keys).split("; ")) {
            const QKeySequence sequence = QKeySequence::fromString(text);
            ASSERT_FALSE(sequence.isEmpty()) << text.toStdString();
            const QString name = sequence.toString();
            EXPECT_FALSE(keys.contains(name)) << name.toStdString();
            keys.insert(name);
        }
    }
}

TEST(Shortcuts, HasContiguousGroupsAndListsAllEntries) {
    ShortcutModel model;
    const test::ModelTester tester(&model);
    QStringList headings;
    for (const ShortcutEntry& entry : shortcut_table()) {
        if (headings.isEmpty() || headings.last() != entry.group) headings += entry.group;
    }
    EXPECT_EQ(headings, model.groups());
    int listed = 0;
    for (const QString& group : model.groups()) listed += static_cast<int>(model.entries(group).size());
    EXPECT_EQ(listed, model.rowCount());
    EXPECT_EQ(model.tip("play"), "Play or pause (Space)");
    EXPECT_TRUE(model.tip("unknown").isEmpty());
}

TEST(SourceTitles, ShowWhatDiffers) {
    const QStringList crowds{"crowd:faces=20,seed=1", "crowd:faces=20,seed=2,motion=walk", "crowd:", "crowd:faces=20"};
    EXPECT_EQ(source_titles(crowds), (QStringList{"seed=1 · Demo crowd", "seed=2, motion=walk · Demo crowd",
                                                  "3 · Demo crowd", "faces=20 · Demo crowd"}));
    EXPECT_EQ(source_titles({"camera:0", "crowd:", "camera:1"}), (QStringList{"Camera 0", "Demo crowd", "Camera 1"}));
    EXPECT_EQ(source_titles({"crowd:", "camera:1", "crowd:"}),
              (QStringList{"1 · Demo crowd", "Camera 1", "2 · Demo crowd"}));
    EXPECT_EQ(source_titles({"/videos/hall/day.mp4", "/videos/yard/day.mp4"}),
              (QStringList{"hall · day.mp4", "yard · day.mp4"}));
    EXPECT_EQ(source_titles({"rtsp://me:secret@host/a?key=1", "rtsp://me:other@host/a?key=2"}),
              (QStringList{"1 · rtsp://host/a", "2 · rtsp://host/a"}))
        << "no passwords";
    EXPECT_TRUE(source_titles({}).isEmpty());
}

TEST(History, NumbersTheResultsThatAreDrawn) {
    History history;
    FrameResult result;
    const auto number = [&](int back) { return history.numberAt(1 - back / (History::kLength - 1.0)); };
    EXPECT_EQ(number(0), -1);
    for (int i = 0; i < 10; ++i) history.add(result);
    EXPECT_EQ(number(0), 10);
    EXPECT_EQ(number(9), 1);
    EXPECT_EQ(number(10), -1);
    history.clear();
    EXPECT_EQ(number(0), -1);
}

TEST(History, ASpikeDoesNotFlattenTheRest) {
    History history;
    FrameResult result;
    for (int i = 0; i < 200; ++i) {
        result.timings = {{stage::kNmsMap, i == 100 ? 90.0 : 0.4}, {stage::kNmsReduce, 0.2}};
        history.add(result);
    }
    EXPECT_EQ(history.ms_scale(), 0.5);
    for (int i = 0; i < 20; ++i) {  // no longer an exception
        result.timings = {{stage::kNmsMap, 90.0}};
        history.add(result);
    }
    EXPECT_EQ(history.ms_scale(), 100);
}

TEST(PlotItem, PaintsEachLook) {
    using Look = PlotSeries::Look;
    const double gap = std::numeric_limits<double>::quiet_NaN();
    QImage image(200, 100, QImage::Format_RGB32);
    image.fill(Qt::black);
    PlotItem item;
    item.setSize(image.size());
    item.setProperty("colors", QVariantList{QColor(Qt::red), QColor(Qt::green), QColor(Qt::white), QColor(Qt::blue)});
    item.setProperty("plot", QVariant::fromValue(Plot{{Look::area, 0, {{0, 0.5}, {0.2, 0.5}, {0.3, gap}, {0.4, 0.5}}},
                                                      {Look::bars, 1, {{0.6, 0.5}, {0.7, 7}}, 0.05},
                                                      {Look::dots, 2, {{0.8, 0.5}, {0.9, 0.5}}},
                                                      {Look::marks, 3, {{0.95, 1}}}}));
    QPainter painter(&image);
    item.paint(&painter);
    painter.end();
    const auto at = [&](int x, int y) { return image.pixelColor(x, y); };
    EXPECT_GT(at(20, 50).red(), 150) << "the line";
    EXPECT_EQ(at(20, 30), QColor(Qt::black));
    EXPECT_TRUE(at(20, 80).red() > 20 && at(20, 80).red() < 100) << "the shade";
    EXPECT_EQ(at(60, 80), QColor(Qt::black)) << "the gap";
    EXPECT_EQ(at(120, 80), QColor(Qt::green));
    EXPECT_EQ(at(120, 30), QColor(Qt::black));
    EXPECT_EQ(at(140, 5), QColor(Qt::green)) << "cut at the upper edge";
    EXPECT_EQ(at(170, 50), QColor(Qt::white));
    EXPECT_EQ(at(190, 6), QColor(Qt::blue));

    image.fill(Qt::black);
    item.setProperty("inset", 6);
    item.setProperty("plot", QVariant::fromValue(Plot{{Look::dots, 2, {{0, 0}, {1, 1}}}}));
    ASSERT_TRUE(painter.begin(&image));
    item.paint(&painter);
    painter.end();
    EXPECT_EQ(at(3, 94), QColor(Qt::white)) << "the outer half of the dot at the left";
    EXPECT_EQ(at(196, 6), QColor(Qt::white));
    EXPECT_EQ(at(0, 94), QColor(Qt::black)) << "all of it is in the item";
}

}  // namespace
}  // namespace throng::ui
