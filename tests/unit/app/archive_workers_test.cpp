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
    common.backend = BackendKind::cpu;
    DetectorParams detector;
    detector.kind = DetectorId::lbp;
    const int cores = cpu_cores();
    {
        const ArchiveWorkers workers(common, detector, {});
        for (const int inputs : {100, 1, 100}) {
            const int count = workers.choose(static_cast<std::size_t>(inputs), 0);
            EXPECT_EQ(count, std::min(inputs, cores));
            EXPECT_EQ(workers.detector_of(count).threads, cores / count);
        }
        // More workers than cores.
        EXPECT_EQ(workers.choose(100, 64), 64);
        EXPECT_EQ(workers.detector_of(64).threads, std::max(1, cores / 64));
        EXPECT_EQ(workers.choose(1, 64), 1);
        EXPECT_EQ(workers.detector_of(1).threads, cores);
    }
    detector.threads = 3;  // by the user
    const ArchiveWorkers workers(common, detector, {});
    for (const int count : {100, 1}) EXPECT_EQ(workers.detector_of(count).threads, 3);
}

}  // namespace
}  // namespace throng
