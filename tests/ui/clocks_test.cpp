// Tests clocks, telemetry and sweep of the window on the files of a fake board.
#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <cmath>
#include <limits>
#include <set>

#include "tests/support/test_data.h"
#include "tests/ui/fake_tree.h"
#include "tests/ui/fakes.h"
#include "tests/ui/model_tester.h"
#include "tests/ui/wait.h"
#include "ui/clocks/sweep.h"
#include "ui/models/switch_model.h"

namespace throng::ui {
namespace {

using namespace std::chrono_literals;

class WindowClocks : public testing::Test {
protected:
    void open(bool with_telemetry = false) {
        ClockSetup setup;
        setup.clocks.root = folder_.path();
        setup.period = 20ms;
        if (with_telemetry) {
            Telemetry::Options telemetry;
            telemetry.root = folder_.path();
            telemetry.period = 20ms;
            setup.telemetry = std::make_shared<Telemetry>(telemetry);
        }
        clocks_ = std::make_unique<Clocks>(std::move(setup));
        ASSERT_TRUE(test::wait_for([&] { return clocks_->known(); }));
    }
    bool reaches(const QString& id) {
        return test::wait_for([&] { return clocks_->pending().isEmpty() && clocks_->chosen() == id; });
    }

    test::ScratchDir folder_;
    test::FakeTree tree_{folder_.path()};
    std::unique_ptr<Clocks> clocks_;
};

TEST_F(WindowClocks, ListsProfilesWithTheirClocks) {
    open();
    const test::ModelTester tester(clocks_->profiles());
    EXPECT_TRUE(clocks_->controllable());
    EXPECT_EQ(clocks_->summary(), "NVIDIA Jetson TX2");
    EXPECT_EQ(clocks_->chosen(), "automatic");  // the full range is set
    EXPECT_EQ(clocks_->current_clock(), "522.8 MHz");
    const ProfileModel& model = *clocks_->profiles();
    // On this board "fanless" is the step of "50 %".
    ASSERT_EQ(model.rowCount(), static_cast<int>(default_profiles().size()) - 1);
    EXPECT_EQ(test::value(model, 0, "shortTitle").toString(), "Auto");
    EXPECT_EQ(test::value(model, 5, "clock").toString(), "1300.5 MHz");
    EXPECT_TRUE(test::value(model, 5, "available").toBool());
}

TEST_F(WindowClocks, ShowsOneButtonForProfilesOfTheSameClock) {
    tree_.set(tree_.node("available_frequencies"), "114750000 1300500000\n");
    open();
    std::set<QString> clocks;
    const ProfileModel& model = *clocks_->profiles();
    QStringList names;
    for (int row = 0; row < model.rowCount(); ++row) {
        if (!test::value(model, row, "available").toBool()) continue;
        names += test::value(model, row, "shortTitle").toString();
        EXPECT_TRUE(clocks.insert(test::value(model, row, "clock").toString()).second) << names.last().toStdString();
    }
    EXPECT_TRUE(names.contains("Min")) << names.join(' ').toStdString();
    EXPECT_TRUE(names.contains("Max")) << names.join(' ').toStdString();
    clocks_->apply("p25");  // the same step as "minimum"
    EXPECT_TRUE(reaches("minimum"));
    clocks_->step(1);
    EXPECT_TRUE(reaches("maximum"));
}

TEST_F(WindowClocks, ShowsARequestAsPendingUntilItIsApplied) {
    open();
    clocks_->apply("p75");
    EXPECT_EQ(clocks_->pending(), "p75");
    ASSERT_TRUE(reaches("p75"));
    EXPECT_EQ(tree_.text(tree_.node("max_freq")), "854250000");
    EXPECT_EQ(clocks_->requested_clock(), "854.3 MHz");
    EXPECT_TRUE(clocks_->error().isEmpty());
    clocks_->step(1);
    ASSERT_TRUE(reaches("maximum"));
    clocks_->step(1);  // already the highest profile
    EXPECT_TRUE(clocks_->pending().isEmpty());
    clocks_->restore();
    ASSERT_TRUE(reaches("automatic"));
    EXPECT_EQ(tree_.text(tree_.node("min_freq")), "114750000");
}

TEST_F(WindowClocks, RestoresTheInitialClocksOnDestruction) {
    open();
    clocks_->apply("minimum");
    ASSERT_TRUE(reaches("minimum"));
    clocks_.reset();
    EXPECT_EQ(tree_.text(tree_.node("min_freq")), "114750000");
    EXPECT_EQ(tree_.text(tree_.node("max_freq")), "1300500000");
}

TEST_F(WindowClocks, ReportsARejectionWithItsFileUntilDismissed) {
    tree_.make_reject(tree_.node("max_freq"));
    open();
    clocks_->apply("p50");
    ASSERT_TRUE(test::wait_for([&] { return !clocks_->error().isEmpty(); }));
    EXPECT_TRUE(clocks_->error_location().contains("17000000.gp10b")) << clocks_->error_location().toStdString();
    EXPECT_FALSE(clocks_->error_advice().isEmpty());
    clocks_->dismiss();
    EXPECT_TRUE(clocks_->error().isEmpty());
    clocks_->apply("p50");
    EXPECT_TRUE(test::wait_for([&] { return !clocks_->error().isEmpty(); })) << "reported again";
}

TEST_F(WindowClocks, WarnsAboutAChangeByAnotherProgram) {
    open();
    clocks_->apply("p50");
    ASSERT_TRUE(reaches("p50"));
    EXPECT_TRUE(clocks_->warning().isEmpty());
    tree_.set(tree_.node("max_freq"), "1300500000");
    EXPECT_TRUE(test::wait_for([&] { return !clocks_->warning().isEmpty(); }));
}

TEST_F(WindowClocks, ShowsASummaryWithoutAGpu) {
    std::filesystem::remove_all(folder_.path());
    std::filesystem::create_directories(folder_.path());
    open(true);
    EXPECT_FALSE(clocks_->controllable());
    EXPECT_FALSE(clocks_->summary().isEmpty());
    EXPECT_TRUE(clocks_->chosen().isEmpty());
    const Sweep sweep(*clocks_);
    EXPECT_FALSE(sweep.possible());
}

TEST_F(WindowClocks, UpdatesTelemetryPeriodically) {
    open(true);
    const test::ModelTester tester(clocks_->telemetry());
    ASSERT_TRUE(test::wait_for([&] { return clocks_->history().size() >= 3; }));
    const TelemetryModel& model = *clocks_->telemetry();
    QStringList found;
    for (int i = 0; i < model.rowCount(); ++i) found += test::value(model, i, "quantity").toString();
    EXPECT_TRUE(found.contains("gpu_clock"));
    EXPECT_TRUE(found.contains("temperature"));
    const int row = static_cast<int>(found.indexOf("temperature"));
    EXPECT_EQ(test::value(model, row, "value").toString(), "51.5 °C");
    EXPECT_TRUE(test::value(model, row, "details").toString().contains("GPU-therm"));
}

FrameResult result_of(double map, double reduce, double total) {
    FrameResult result;
    result.timings = {{stage::kNmsMap, map}, {stage::kNmsReduce, reduce}, {stage::kTotal, total}};
    return result;
}

class WindowSweep : public WindowClocks {
protected:
    void start() {
        sweep_ = std::make_unique<Sweep>(*clocks_);
        sweep_->set_pace({10ms, 60ms});
        QObject::connect(sweep_.get(), &Sweep::finished, [this] { finished_ = true; });
        sweep_->start();
    }
    // Feeds results whose times are inversely proportional to the clock.
    bool run_until(const std::function<bool()>& done) {
        return test::wait_for([&] {
            if (const auto clock = clocks_->status().reading.requested) {
                const double ghz = static_cast<double>(*clock) / 1e9;
                auto result = std::make_shared<FrameResult>(result_of(0.1 / ghz, 0.02 / ghz, 1 / ghz));
                sweep_->on_result({std::move(result), pipeline_, {}, {}});
            }
            return done();
        });
    }
    const Pipeline pipeline_{test::make_fake_source({}), test::make_fake_backend({}), {}};
    std::unique_ptr<Sweep> sweep_;
    bool finished_ = false;
};

TEST_F(WindowSweep, MeasuresEveryClockOnceAndRestoresTheProfile) {
    open();
    clocks_->apply("p25");
    ASSERT_TRUE(reaches("p25"));
    start();
    EXPECT_TRUE(sweep_->running());
    ASSERT_TRUE(run_until([&] { return finished_; }));
    EXPECT_FALSE(sweep_->running());
    ASSERT_GE(sweep_->points().size(), 4U);
    for (std::size_t i = 0; i < sweep_->points().size(); ++i) {
        const SweepPoint& point = sweep_->points()[i];
        EXPECT_GT(point.frames, 0U);
        const double ghz = static_cast<double>(*point.clock) / 1e9;
        EXPECT_NEAR(point.ms.at("total"), 1 / ghz, 1e-9);
        if (i > 0) {
            EXPECT_GT(point.clock, sweep_->points()[i - 1].clock);
        }
    }
    EXPECT_EQ(sweep_->rows().size(), static_cast<int>(sweep_->points().size()));
    EXPECT_TRUE(reaches("p25"));
}

TEST_F(WindowSweep, KeepsItsPointsWhenCanceled) {
    open();
    start();
    ASSERT_TRUE(run_until([&] { return sweep_->points().size() == 2; }));
    sweep_->cancel();
    EXPECT_FALSE(sweep_->running());
    EXPECT_TRUE(finished_);
    EXPECT_EQ(sweep_->points().size(), 2U);
    EXPECT_TRUE(reaches("automatic"));
    sweep_->clear();
    EXPECT_TRUE(sweep_->rows().isEmpty());
}

TEST_F(WindowSweep, StopsWhenTheUserSelectsAProfile) {
    open();
    start();
    ASSERT_TRUE(run_until([&] { return sweep_->points().size() == 1; }));
    clocks_->apply("maximum");
    ASSERT_TRUE(run_until([&] { return finished_; }));
    EXPECT_FALSE(sweep_->status().isEmpty());
    EXPECT_TRUE(reaches("maximum"));
}

TEST_F(WindowSweep, ReportsProfilesWithoutFrames) {
    open();
    start();
    ASSERT_TRUE(test::wait_for([&] { return finished_; }));
    ASSERT_FALSE(sweep_->rows().isEmpty());
    EXPECT_EQ(sweep_->rows().front().toMap().value("note").toString(), "no frames measured");
}

TEST(Sweep, TicksEncloseTheValues) {
    for (const auto& [low, high] :
         {std::pair{0.013, 0.017}, {0.004, 38.0}, {1.0, 1.0}, {0.1, 10.0}, {0.02, 0.2}, {1e-6, 1e3}}) {
        const std::vector<double> ticks = logarithmic_ticks(low, high);
        ASSERT_GE(ticks.size(), 2U) << low << ' ' << high;
        EXPECT_LE(ticks.front(), low * (1 + 1e-9));
        EXPECT_GE(ticks.back(), high * (1 - 1e-9));
        EXPECT_LE(ticks.size(), 12U);
    }
}

TEST(TelemetryRows, UsesNanForGapsAndOmitsMissingQuantities) {
    TelemetrySample sample;
    sample.cpu_load = 0.25;
    std::vector<TelemetrySample> history{{}, sample, sample};
    const std::vector<TelemetryRow> rows = telemetry_rows(history);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].value, "25 %");
    ASSERT_EQ(rows[0].series.size(), 3);
    EXPECT_TRUE(std::isnan(rows[0].series[0]));
    EXPECT_EQ(rows[0].series[2], 0.25);
    EXPECT_TRUE(telemetry_rows({}).empty());
}

TEST(SwitchModel, KeepsItsRowsAndDistinguishesTogglesFromChoices) {
    SwitchModel model;
    const test::ModelTester tester(&model);
    QSignalSpy resets(&model, &SwitchModel::modelReset);
    std::vector<DetectorSwitch> switches{{"tail", "Many threads a window", "saves", {"on", "off"}, "on"},
                                         {"segments", "Segments", "saves", {"3", "1", "2"}, "3"}};
    model.update(switches);
    EXPECT_EQ(resets.count(), 1);
    EXPECT_TRUE(test::value(model, 0, "toggle").toBool());
    EXPECT_TRUE(test::value(model, 0, "on").toBool());
    EXPECT_FALSE(test::value(model, 1, "toggle").toBool());
    EXPECT_EQ(model.changed_count(), 0);
    switches[1].chosen = "2";
    model.update(switches);
    EXPECT_EQ(resets.count(), 1);
    EXPECT_EQ(test::value(model, 1, "chosen").toInt(), 2);
    EXPECT_EQ(model.changed_count(), 1);
    model.update({});
    EXPECT_EQ(model.rowCount(), 0);
}

}  // namespace
}  // namespace throng::ui
