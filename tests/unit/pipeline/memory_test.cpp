#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/sanitized.h"
#include "tests/unit/pipeline/fakes.h"

namespace throng {
namespace {

double resident_megabytes() {
    std::ifstream stream("/proc/self/statm");
    long total = 0;
    long resident = 0;
    stream >> total >> resident;
    return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

TEST(PipelineMemory, DoesNotGrowOverTenThousandFrames) {
    if (test::kSanitized) GTEST_SKIP() << "skipped: a sanitizer keeps freed memory";
    test::FakeSource::Plan source;
    source.frames = 10000;
    source.width = 640;
    source.height = 360;
    double early = 0;
    Pipeline pipeline(std::make_unique<test::FakeSource>(source), std::make_shared<test::FakeBackend>(),
                      PipelineSettings());
    pipeline.start();
    ASSERT_TRUE(test::eventually([&] { return pipeline.counters().detected > 500; }));
    early = resident_megabytes();
    pipeline.wait();
    EXPECT_EQ(pipeline.counters().detected, 10000U);
    EXPECT_LT(resident_megabytes(), early + 3);
}

}  // namespace
}  // namespace throng
