// Tests the cascade heat map in the window against that of core/cpu, which tests/unit/cascade tests.
#include "core/model/cascade_xml.h"
#include "core/model/model_finder.h"
#include "core/video/crowd_source.h"
#include "tests/ui/window_fixture.h"

namespace throng::ui {
namespace {

class StageMapWindow : public Window {
protected:
    void open_crowd_window(const std::string& spec, QSize size = {1320, 800}) {
        make_source_ = [spec](const std::string&) { return open_crowd(spec); };
        open({}, size);
        session_->detection()->set_detector(0);
    }
    [[nodiscard]] StageMapView& view() { return *session_->view<StageMapView>(); }
    void pause() { pause_at(1000, session_->source()->info().fps); }
    void click_item(const QString& name) {
        ASSERT_TRUE(in_sight(name)) << name.toStdString();
        QTest::mouseClick(window_, Qt::LeftButton, {}, center_of(*item(name)));
    }
};

TEST(StageBands, CoverEveryStageOnce) {
    for (int stages = 1; stages < 40; ++stages) {
        int next = 1;
        for (const StageBand& band : stage_bands(stages)) {
            EXPECT_EQ(band.first, next) << stages;
            EXPECT_GE(band.last, band.first) << stages;
            next = band.last + 1;
        }
        EXPECT_EQ(next, stages + 1);
        EXPECT_EQ(stage_bands(stages).back().first, stages) << "accepted windows have their own color";
    }
}

TEST_F(StageMapWindow, DrawsTheMapOfTheFrameWhileItIsOpen) {
    if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    open_crowd_window("crowd:faces=4,size=320x240,seed=1");
    activate();
    play();
    pause();
    const std::shared_ptr<const FrameResult> result = session_->result();
    EXPECT_EQ(item("stageMap"), nullptr);
    const int columns = result->frame.width() / kStageCell / 3, rows = result->frame.height() / kStageCell;
    const auto colors_of_cells = [&] {
        std::vector<QColor> colors;
        const QImage image = window_->grabWindow();
        for (int y = 1; !image.isNull() && y < rows - 1; ++y) {
            for (int x = 1; x < columns; ++x) {
                colors.push_back(
                    shown_at(image, {static_cast<float>(4 * x), static_cast<float>(4 * y), 4, 4}, 0.5, 0.5));
            }
        }
        return colors;
    };
    const std::vector<QColor> before = colors_of_cells();

    QTest::keyClick(window_, Qt::Key_G);
    ASSERT_TRUE(test::wait_for([&] { return view().ready(); })) << view().problem().toStdString();
    EXPECT_TRUE(in_sight("stageMapLegend"));
    EXPECT_GT(view().compute_ms(), 0);
    const DetectorParams params = session_->detection()->values().detector;
    const CascadeModel model = read_cascade(find_model(params.model, params.kind));
    ThreadPool pool(1);
    const StageMap all = compute_stage_map(model, result->frame, params, kAllLevels, pool).value();
    EXPECT_EQ(view().map()->map.stages, all.stages);
    EXPECT_TRUE(test::wait_for([&] { return shows("on the CPU") && shows("All sizes"); }));
    EXPECT_TRUE(shows(QStringLiteral("all %1").arg(all.stage_count)));

    // A position that passed stages is tinted, one that passed none shows the image. The legend covers the right half.
    if (!before.empty()) {
        session_->feedback()->clear();
        // The image has its size of before, below the name of the view.
        window_->resize(window_->width(), window_->height() + static_cast<int>(item("viewCaption")->height()));
        draw();
        ASSERT_TRUE(test::wait_for([&] { return view().map()->frame.size() == video_->mapping().device_size(); }));
        draw();
        const std::vector<QColor> after = colors_of_cells();
        ASSERT_EQ(after.size(), before.size());
        int tinted = 0, clear = 0, passed = 0, none = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
            const auto at = static_cast<int>(i);
            const bool passes = all.at(1 + at % (columns - 1), 1 + at / (columns - 1)) > 0;
            const bool same = test::distance(before[i], after[i]) <= 12;  // OpenGL scales the live image differently
            ++(passes ? passed : none);
            tinted += passes && !same ? 1 : 0;
            clear += !passes && same ? 1 : 0;
        }
        EXPECT_GT(passed, 20);
        EXPECT_GE(tinted, passed * 9 / 10) << "a color may equal the image's";
        EXPECT_GE(clear, none * 9 / 10);
    }

    click_item("stageMapLarger");
    click_item("stageMapLarger");
    ASSERT_TRUE(test::wait_for([&] { return view().map()->map.level == 1; }));
    EXPECT_EQ(view().map()->map.stages, compute_stage_map(model, result->frame, params, 1, pool).value().stages);
    EXPECT_TRUE(test::wait_for([&] { return shows(QStringLiteral("2 of %1").arg(all.levels.size())); }));
    click_item("stageMapSmaller");
    click_item("stageMapSmaller");
    ASSERT_TRUE(test::wait_for([&] { return view().map()->map.level == kAllLevels; }));

    QTest::keyClick(window_, Qt::Key_Escape);
    EXPECT_FALSE(view().open());
    EXPECT_FALSE(view().ready()) << "holds no data";
    EXPECT_EQ(item("stageMap"), nullptr);
}

TEST(StageMapView, SaysHowFarItIsBehind) {
    TH_NEED(file, test::cascade_file("haarcascade_frontalface_alt2.xml"), "opencv-data");
    StageMapView view;
    const auto show = [&](double pts) {
        auto result = std::make_shared<FrameResult>();
        result->frame = test::gray_frame(64, 64, 90).with_timing(0, pts, {});
        DetectorParams params;
        params.model = file.string();
        view.show(result, params);
    };
    show(1);
    EXPECT_FALSE(view.ready()) << "closed";
    view.set_open(true);
    show(1);
    ASSERT_TRUE(test::wait_for([&] { return view.ready(); })) << view.problem().toStdString();
    EXPECT_EQ(view.behind(), 0);
    show(6);
    EXPECT_EQ(view.behind(), 5) << "the new map has not arrived yet";
    EXPECT_TRUE(test::wait_for([&] { return view.behind() == 0; }));
    show(2);
    EXPECT_EQ(view.behind(), 0) << "the source was rewound";
}

TEST_F(StageMapWindow, SaysWhyThereIsNone) {
    open_crowd_window("crowd:faces=4,size=320x240,seed=1");
    play();
    trigger("stageMap");
    const auto choose = [&](const char* kind) {
        const std::vector<DetectorKind>& kinds = detector_kinds();
        const auto found =
            std::find_if(kinds.begin(), kinds.end(), [&](const auto& each) { return each.name == kind; });
        session_->detection()->set_detector(static_cast<int>(found - kinds.begin()));
    };
    choose("hog");
    ASSERT_TRUE(test::wait_for([&] { return shows("Only cascades have stages"); }));
    EXPECT_FALSE(view().ready());
    choose("haar");
    session_->detection()->set_model("missing.xml");
    EXPECT_TRUE(test::wait_for([&] { return shows("missing.xml") && !view().problem().isEmpty(); }));
}

TEST_F(StageMapWindow, IsDrawnAtEverySize) {
    open_crowd_window("crowd:faces=30,size=1280x720,seed=1");
    play();
    pause();
    view().set_open(true);
    ASSERT_TRUE(test::wait_for([&] { return view().ready(); }));
    TH_NEEDS_READ_BACK(*window_);
    for (const QSize size : {QSize(640, 400), QSize(800, 480), QSize(1280, 800)}) {
        window_->resize(size);
        EXPECT_EQ(wait_until_drawn("stageMapLegend", "stagemap"), "") << size.width();
    }
    view().set_level(8);
    ASSERT_TRUE(test::wait_for([&] { return view().map()->map.level == 8; }));
    EXPECT_EQ(wait_until_drawn("stageMap", "stagemap-level"), "");
}

// A map takes longer than a frame: what lies below it is the image that it was made of. Faces that must be hidden are
// hidden there, too, at once.
TEST_F(StageMapWindow, LiesOverItsOwnFrame) {
    if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    open_crowd_window("crowd:faces=4,size=320x240,seed=1");
    play();
    view().set_open(true);
    ASSERT_TRUE(test::wait_for([&] { return view().ready() && item("stageMapFrame") != nullptr; }));
    EXPECT_TRUE(test::wait_for([&] { return view().map()->frame.size() == video_->mapping().device_size(); }));
    EXPECT_FALSE(view().map()->hides_faces);
    int shown = 0, clear = 0;
    QObject::connect(&view(), &StageMapView::changed, window_, [&] {
        if (!view().map() || !session_->display()->blur()) return;
        ++shown;
        if (!view().map()->hides_faces) ++clear;
    });
    session_->display()->set_blur(true);
    EXPECT_FALSE(view().ready()) << "the image with visible faces is dropped";
    EXPECT_TRUE(test::wait_for([&] { return shown >= 3; }));
    EXPECT_EQ(clear, 0);
}

}  // namespace
}  // namespace throng::ui
