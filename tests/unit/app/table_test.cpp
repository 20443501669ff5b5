#include "app/options/table.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "app/options/progress.h"

namespace throng {
namespace {

TEST(TextTable, AlignsNumbersToTheRightAndCountsCodePoints) {
    TextTable table({"stage", "ms"});
    table.add({"décode", "1.5"});
    table.add({"nms_map", "12.25"});
    table.add({"short"});
    EXPECT_EQ(table.text(),
              "stage       ms\n"
              "-------  -----\n"
              "décode     1.5\n"
              "nms_map  12.25\n"
              "short\n");
}

TEST(TextTable, RejectsMoreCellsThanColumns) {
    TextTable table({"a"});
    EXPECT_THROW(table.add({"1", "2"}), std::invalid_argument);
}

TEST(TextTable, QuotesCsv) {
    TextTable table({"name", "n"});
    table.add({"a,\"b\"", "1"});
    EXPECT_EQ(table.csv(), "name,n\n\"a,\"\"b\"\"\",1\n");
}

TEST(Progress, ShowsBarRateAndTimeLeft) {
    EXPECT_EQ(progress_line("clip", 50, 100, 10, "3 faces", 200),
              "clip [##############..............]  50 %  50/100  0:10  0:10 left  5.0/s  3 faces");
    EXPECT_EQ(progress_line("camera", 30, std::nullopt, 2, "", 200), "camera 30  0:02  15.0/s");
    EXPECT_EQ(progress_line("nms", 0, std::nullopt, 12, "suppressing", 200), "nms  0:12  suppressing");
    EXPECT_EQ(progress_line("clip", 0, 100, 0, "", 200), "clip [............................]   0 %  0/100  0:00");
    EXPECT_EQ(progress_line("clip", 50, 100, 10, "3 faces", 50), "clip  50 %  50/100  0:10  0:10 left  3 faces");
    EXPECT_EQ(progress_line("clip", 50, 100, 10, "3 faces", 70),
              "clip [#######.......]  50 %  50/100  0:10  0:10 left  5.0/s  3 faces");
    EXPECT_LT(progress_line("a name longer than the terminal", 1, 2, 1, "", 20).size(), 20U);
}

TEST(Progress, WritesDurations) {
    EXPECT_EQ(duration_text(7.4), "0:07");
    EXPECT_EQ(duration_text(151), "2:31");
    EXPECT_EQ(duration_text(3723), "1:02:03");
    EXPECT_EQ(duration_text(-1), "0:00");
}

}  // namespace
}  // namespace throng
