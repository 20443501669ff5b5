#include "core/clocks/telemetry.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "core/base/error.h"
#include "core/clocks/telemetry_sink.h"
#include "tests/support/board_folder.h"
#include "tests/support/eventually.h"
#include "tests/unit/clocks/nvml_rig.h"

namespace throng {
namespace {

using namespace std::chrono_literals;
using test::FakeFiles;

std::shared_ptr<FakeFiles> orin_files() {
    auto files = std::make_shared<FakeFiles>();
    test::fake_boards()[5].build(*files);
    return files;
}

void wait_for_samples(const Telemetry& telemetry, std::uint64_t count) {
    ASSERT_TRUE(test::eventually([&] { return telemetry.count() >= count; }));
}

TEST(TelemetryReaderTest, ReadsRailsOfBothKindsTemperaturesAndTheMemoryClock) {
    const auto files = orin_files();
    files->set("/sys/class/thermal/thermal_zone0/type", "gpu-thermal");
    files->set("/sys/class/thermal/thermal_zone0/temp", "47500");
    files->set("/sys/class/thermal/thermal_zone1/type", "PMIC-Die");
    files->set("/sys/class/thermal/thermal_zone1/temp", "100000");
    files->set("/sys/class/thermal/thermal_zone2/type", "cv0-thermal");
    files->set("/sys/class/thermal/thermal_zone2/temp", "");  // suspended
    files->set("/sys/class/hwmon/hwmon3/name", "ina3221");
    files->set("/sys/class/hwmon/hwmon3/in1_label", "VDD_IN");
    files->set("/sys/class/hwmon/hwmon3/in1_input", "5000");
    files->set("/sys/class/hwmon/hwmon3/curr1_input", "2400");
    files->set("/sys/bus/i2c/drivers/ina3221x/1-0040/iio:device0/rail_name_0", "GPU");
    files->set("/sys/bus/i2c/drivers/ina3221x/1-0040/iio:device0/in_power0_input", "1850");
    TelemetryReader reader(files, nullptr);
    const TelemetrySample sample = reader.read();
    ASSERT_EQ(sample.temperatures.size(), 1U) << "the constant 100 degrees and the suspended zone are omitted";
    EXPECT_DOUBLE_EQ(sample.temperatures.front().value, 47.5);
    ASSERT_EQ(sample.rails.size(), 2U);
    EXPECT_DOUBLE_EQ(*sample.power, 12.0);
    EXPECT_EQ(sample.memory_clock, 1'600'000'000);
    EXPECT_DOUBLE_EQ(*sample.gpu_load, 0.437);
    EXPECT_EQ(sample.cpu_clock, 1'020'000'000);
}

TEST(TelemetryReaderTest, CoolingAndOverCurrentAreThrottling) {
    const auto files = orin_files();
    files->set("/sys/class/thermal/cooling_device0/type", "pwm-fan");
    files->set("/sys/class/thermal/cooling_device0/cur_state", "3");
    files->set("/sys/class/thermal/cooling_device1/type", "devfreq-17000000.gpu");
    files->set("/sys/class/thermal/cooling_device1/cur_state", "0");
    files->set("/sys/class/hwmon/hwmon4/oc1_event_cnt", "7");
    TelemetryReader reader(files, nullptr);
    EXPECT_FALSE(reader.read().throttled()) << "a running fan does not reduce clocks";
    files->set("/sys/class/thermal/cooling_device1/cur_state", "2");
    EXPECT_EQ(reader.read().throttle_reasons, throttle::kSoftwareThermal);
    files->set("/sys/class/thermal/cooling_device1/cur_state", "0");
    files->set("/sys/class/hwmon/hwmon4/oc1_event_cnt", "8");
    EXPECT_EQ(reader.read().throttle_reasons, throttle::kPowerBrake);
    EXPECT_FALSE(reader.read().throttled()) << "an event is reported once";
}

TEST(TelemetryReaderTest, CpuLoadCoversTheTimeBetweenTwoSamples) {
    const auto files = orin_files();
    files->set("/proc/stat", "cpu 100 0 100 800 0 0 0 0 0 0\ncpu0 …\n");
    TelemetryReader reader(files, nullptr);
    files->set("/proc/stat", "cpu 130 0 110 860 0 0 0 0 0 0\n");
    EXPECT_DOUBLE_EQ(*reader.read().cpu_load, 0.4);
    files->set("/proc/stat", "nonsense");
    EXPECT_FALSE(reader.read().cpu_load);
}

TEST(TelemetryReaderTest, OmitsSensorsThatDisappear) {
    const auto files = orin_files();
    files->set("/sys/class/thermal/thermal_zone0/type", "gpu-thermal");
    files->set("/sys/class/thermal/thermal_zone0/temp", "47500");
    TelemetryReader reader(files, nullptr);
    files->remove_below("/sys");
    const TelemetrySample sample = reader.read();
    EXPECT_TRUE(sample.temperatures.empty());
    EXPECT_FALSE(sample.gpu_clock);
}

TEST(TelemetryTest, JoinsFramesAndPower) {
    test::NvmlRig rig(TH_FAKE_NVML);
    rig.set("milliwatts", 200000);
    Telemetry telemetry({rig.root(), {}, 50ms, 120, 0});
    wait_for_samples(telemetry, 1);
    for (int i = 0; i < 10; ++i) telemetry.add_frame({{"nms_map", 0.25}, {"total", 2.0}});
    // The frames may fall into two samples.
    EXPECT_TRUE(test::eventually([&] {
        std::uint64_t frames = 0;
        for (const TelemetrySample& sample : telemetry.history()) frames += sample.frames;
        return frames == 10;
    }));
    for (const TelemetrySample& sample : telemetry.history()) {
        if (sample.frames == 0) {
            EXPECT_FALSE(sample.frame_us);
            EXPECT_FALSE(sample.joules_per_frame);
            continue;
        }
        EXPECT_DOUBLE_EQ(*sample.frame_us, 2000);
        ASSERT_EQ(sample.stages_us.size(), 1U);
        EXPECT_DOUBLE_EQ(sample.stages_us.front().value, 250);
        EXPECT_GT(*sample.joules_per_frame, 0);
    }
}

TEST(TelemetryTest, KeepsAShortHistory) {
    test::ScratchDir empty;
    Telemetry telemetry({empty.path(), {}, 5ms, 4, 0});
    wait_for_samples(telemetry, 8);
    EXPECT_EQ(telemetry.history().size(), 4U);
    EXPECT_TRUE(telemetry.latest());
    EXPECT_GE(telemetry.cost(), 0);
}

TEST(TelemetryTest, TheFileHasOneLinePerSampleAndTheLastFrames) {
    test::NvmlRig rig(TH_FAKE_NVML);
    const auto csv = rig.root() / "t.csv";
    {
        const auto telemetry = std::make_shared<Telemetry>(Telemetry::Options{rig.root(), csv, 60'000ms, 10, 0});
        wait_for_samples(*telemetry, 1);
        TelemetrySink sink(telemetry);
        FrameResult result;
        result.timings = {{"total", 1.5}};
        sink.write(result);
        sink.close();
    }
    std::ifstream file(csv);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    ASSERT_EQ(lines.size(), 3U) << "header, first sample, last sample";
    const auto columns = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
    EXPECT_EQ(columns(lines[0]), columns(lines[1]));
    EXPECT_NE(lines[2].find(",1,1500,"), std::string::npos) << lines[2];
}

TEST(TelemetryTest, AnUnwritableFileIsAnError) {
    Telemetry::Options options;
    options.csv = "/no/such/folder/t.csv";
    try {
        const Telemetry telemetry(options);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_EQ(error.where(), "/no/such/folder/t.csv");
    }
}

}  // namespace
}  // namespace throng
