// NVML: return codes, throttle reasons, GPUs that disappear, drivers that lack functions.
#include "core/clocks/nvml.h"

#include <gtest/gtest.h>

#include "core/clocks/clock_controller.h"
#include "core/clocks/nvml_clock.h"
#include "core/clocks/telemetry.h"
#include "tests/unit/clocks/nvml_rig.h"

namespace throng {
namespace {

using test::NvmlRig;

ClockController controller(const NvmlRig& rig) {
    ClockOptions options;
    options.root = rig.root();
    return ClockController(options);
}

TEST(Nvml, ReadsTheGpuThroughNvml) {
    NvmlRig rig(TH_FAKE_NVML);
    const auto nvml = rig.open();
    ASSERT_TRUE(nvml);
    EXPECT_EQ(nvml->name(), "Fake H1");
    EXPECT_EQ(nvml->graphics_clocks_mhz().size(), 110U);
    EXPECT_EQ(nvml->graphics_clocks_mhz().front(), 345U);
    EXPECT_EQ(nvml->memory_clock_mhz(), 2619U);
    EXPECT_DOUBLE_EQ(*nvml->load(), 0.37);
    EXPECT_DOUBLE_EQ(*nvml->temperature(), 41);
    EXPECT_DOUBLE_EQ(*nvml->power_watts(), 123.456);
    EXPECT_EQ(nvml->throttle_reasons(), 0U);
}

TEST(Nvml, TelemetryReportsThrottlingPowerAndMemoryClock) {
    NvmlRig rig(TH_FAKE_NVML);
    rig.set("reasons", throttle::kIdle | throttle::kPowerCap | throttle::kHardwareThermal);
    rig.set("temperature", 88);
    TelemetryReader reader(make_system_files(rig.root()), rig.open());
    const TelemetrySample sample = reader.read();
    EXPECT_TRUE(sample.throttled());
    EXPECT_EQ(describe_throttling(sample.throttle_reasons), "power cap, too hot");
    EXPECT_DOUBLE_EQ(*sample.power, 123.456);
    EXPECT_EQ(sample.memory_clock, 2'619'000'000);
    ASSERT_EQ(sample.temperatures.size(), 1U);
    EXPECT_DOUBLE_EQ(sample.temperatures.front().value, 88);
}

TEST(Nvml, AnIdleGpuIsNotThrottled) {
    TelemetrySample sample;
    sample.throttle_reasons = throttle::kIdle | throttle::kApplicationClocks;
    EXPECT_FALSE(sample.throttled());
    EXPECT_EQ(describe_throttling(sample.throttle_reasons), "");
}

TEST(Nvml, RejectsAClockThatStaysAboveTheLock) {
    NvmlRig rig(TH_FAKE_NVML);
    rig.set("stuck", 1980);
    const ApplyResult result = controller(rig).apply("p50");
    EXPECT_EQ(result.status, ApplyStatus::rejected);
    EXPECT_NE(result.reason.text().find("1980 MHz"), std::string::npos) << result.reason;
    EXPECT_EQ(rig.locked_max(), std::nullopt) << "a failed change is undone";
}

TEST(Nvml, AppliesAThrottledClockWithARemark) {
    NvmlRig rig(TH_FAKE_NVML);
    rig.set("stuck", 600);
    rig.set("reasons", throttle::kPowerCap);
    ClockController clocks = controller(rig);
    const ApplyResult result = clocks.apply("maximum");
    EXPECT_TRUE(result.ok());
    EXPECT_NE(result.reason.text().find("throttled"), std::string::npos) << result.reason;
}

TEST(Nvml, AcceptsARoundedLock) {
    NvmlRig rig(TH_FAKE_NVML);
    const auto clock = make_nvml_clock(rig.open());
    EXPECT_TRUE(clock->set_range(1'001'000'000, 1'001'000'000).ok());
    EXPECT_EQ(rig.locked_max(), 990'000'000);
    EXPECT_EQ(clock->read().current, 990'000'000);
}

TEST(Nvml, DetectsAResetByAnotherProgram) {
    NvmlRig rig(TH_FAKE_NVML);
    ClockController clocks = controller(rig);
    ASSERT_TRUE(clocks.apply("p25").ok());
    EXPECT_FALSE(clocks.measure().changed_by_another);
    rig.set("locked_min", 0);
    EXPECT_TRUE(clocks.measure().changed_by_another);
}

TEST(Nvml, ToleratesALostDevice) {
    NvmlRig rig(TH_FAKE_NVML);
    ClockController clocks = controller(rig);
    TelemetryReader reader(make_system_files(rig.root()), rig.open());
    ASSERT_TRUE(clocks.apply("p50").ok());
    rig.set("lost", 1);
    EXPECT_FALSE(clocks.measure().gpu.current);
    EXPECT_FALSE(reader.read().power);
    EXPECT_FALSE(clocks.apply("p25").ok());
    const ApplyResult result = clocks.restore();
    EXPECT_EQ(result.status, ApplyStatus::rejected);
    EXPECT_EQ(result.reason, "the GPU is lost");
    EXPECT_FALSE(rig.open());
    rig.set("lost", 0);  // the device is back: now the restore succeeds
    EXPECT_TRUE(clocks.restore().ok());
    EXPECT_EQ(rig.locked_max(), std::nullopt);
}

TEST(Nvml, ADriverWithoutLockingIsUnsupported) {
    NvmlRig rig(TH_FAKE_NVML_READ_ONLY);
    ClockController clocks = controller(rig);
    EXPECT_FALSE(clocks.steps().empty());
    const ApplyResult result = clocks.apply("p50");
    EXPECT_EQ(result.status, ApplyStatus::unsupported);
    EXPECT_EQ(result.reason, "this driver has no such function");
    EXPECT_TRUE(clocks.restore().ok());
}

TEST(Nvml, AMissingOrInvalidLibraryIsNotAnError) {
    std::string reason;
    EXPECT_FALSE(Nvml::open("/no/such/library.so", 0, reason));
    EXPECT_NE(reason.find("/no/such/library.so"), std::string::npos);
    EXPECT_FALSE(Nvml::open("libm.so.6", 0, reason));
    EXPECT_EQ(reason, "libm.so.6 is not an NVML library");
    NvmlRig rig(TH_FAKE_NVML);
    EXPECT_FALSE(open_nvml(rig.root(), 7)) << "there is one device";
}

}  // namespace
}  // namespace throng
