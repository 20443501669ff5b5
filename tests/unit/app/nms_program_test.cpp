// The messages of `throng nms` about dropped boxes.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "tests/support/test_data.h"
#include "tests/unit/app/program.h"

namespace throng {
namespace {

test::ProgramResult suppress(const std::string& boxes, const std::vector<std::string>& options = {}) {
    const test::ScratchDir dir;
    const std::string path = (dir.path() / "boxes.csv").string();
    std::ofstream(path) << boxes;
    std::vector<std::string> arguments{"nms", path};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return test::run_program(arguments);
}

TEST(NmsProgram, ReportsWhyBoxesAreInvalid) {
    const test::ProgramResult result = suppress(
        "0,0,1e308,1e308,0.9\n0,0,2e19,2e19,0.9\n0,0,1e-23,1e-23,0.9\n0,0,nan,5,0.8\n5,5,5,9,0.7\n0,0,10,10,0.6\n");
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.err.find("invalid boxes dropped: 5 (1 with a value that is not finite, 1 with a side that is not "
                              "above 0, 3 beyond the range of 32-bit floats)"),
              std::string::npos)
        << result.err;
    EXPECT_EQ(result.out, "index,x1,y1,x2,y2,score,hits\n5,0,0,10,10,0.6,1\n");
}

TEST(NmsProgram, KeepsNoDuplicates) {
    for (const char* side : {"2e19", "1e-23", "1e-22", "1e18", "3e38"}) {
        const std::string box = std::string("0,0,") + side + "," + side + ",0.5\n";
        const test::ProgramResult result = suppress(box + box, {"--theta", "1", "--overlap", "iou"});
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_LE(std::count(result.out.begin(), result.out.end(), '\n'), 2) << side << "\n" << result.out;
    }
}

}  // namespace
}  // namespace throng
