// The cores of an archive run are divided among its workers, in each stage anew.
#include "app/commands/archive_workers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/resources.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

TEST(ArchiveWorkers, AStageOfOneFileUsesAllCores) {
    if (!test::cascade_file("lbpcascade_frontalface.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    CommonOptions common;
    common.backend = "cpu";
    DetectorParams detector;
    detector.kind = "lbp";
    const int cores = cpu_cores();
    {
        ArchiveWorkers workers(common, detector, {});
        for (const int inputs : {100, 1, 100}) {
            const int count = workers.choose(static_cast<std::size_t>(inputs), 0, detector);
            EXPECT_EQ(count, std::min(inputs, cores));
            EXPECT_EQ(detector.threads, cores / count);
        }
        // More workers than cores.
        EXPECT_EQ(workers.choose(100, 64, detector), 64);
        EXPECT_EQ(detector.threads, std::max(1, cores / 64));
        EXPECT_EQ(workers.choose(1, 64, detector), 1);
        EXPECT_EQ(detector.threads, cores);
    }
    detector.threads = 3;  // by the user
    ArchiveWorkers workers(common, detector, {});
    for (const std::size_t inputs : {100, 1}) {
        static_cast<void>(workers.choose(inputs, 0, detector));
        EXPECT_EQ(detector.threads, 3);
    }
}

}  // namespace
}  // namespace throng
