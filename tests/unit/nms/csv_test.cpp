// Reads and writes boxes as comma-separated values.
#include "core/base/csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <sstream>

#include "core/detect/detection_csv.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

DetectionTable read(const std::string& text) {
    std::istringstream stream(text);
    return read_detections(stream, "in.csv");
}

// Returns the message of the Error(input) that reading throws; empty without an error.
std::string error(const std::string& text) {
    try {
        read(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        return error.what();
    }
    return {};
}

void expect_error(const std::string& text, const std::string& part) {
    EXPECT_NE(error(text).find(part), std::string::npos) << text << " gave: " << error(text);
}

TEST(DetectionCsv, ReadsWithAndWithoutHeader) {
    for (const std::string header : {"", "x1,y1,x2,y2,score\n"}) {
        const DetectionTable table = read(header + "1,2,4,6,0.5\n-1.5,2e1,3,40,.25");
        ASSERT_EQ(table.rows.size(), 2U);
        const Detection& d = table.detections.detections[1];
        EXPECT_EQ(d.box.x, -1.5F);
        EXPECT_EQ(d.box.y, 20.0F);
        EXPECT_EQ(d.box.w, 4.5F);
        EXPECT_EQ(d.box.h, 20.0F);
        EXPECT_EQ(d.score, 0.25F);
    }
}

TEST(DetectionCsv, ReadsFilesWrittenByEditors) {
    const DetectionTable table = read("\xEF\xBB\xBFx1, y1,x2,y2 ,score\r\n\r\n 1,2,\t4,6,0.5\r\n   \n1,2,4,6,0.25");
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(table.rows[1].score, 0.25);
}

TEST(DetectionCsv, ReadsDensityAndFeatures) {
    const DetectionTable table = read("x1,y1,x2,y2,score,density,f0,f1\n1,2,4,6,0.5,0.25,-1,2\n1,2,4,6,0.5,1,3,4\n");
    EXPECT_EQ(table.detections.density, (std::vector<float>{0.25F, 1.0F}));
    EXPECT_EQ(table.detections.feature_size, 2);
    EXPECT_EQ(table.detections.features, (std::vector<float>{-1, 2, 3, 4}));
}

TEST(DetectionCsv, NonFiniteValuesAreNumbers) {
    const DetectionTable table = read("nan,2,4,6,inf\n1,-inf,1e999,6,-1e999\n");
    EXPECT_TRUE(std::isnan(table.detections.detections[0].box.x));
    EXPECT_TRUE(std::isinf(table.detections.detections[0].score));
    EXPECT_TRUE(std::isinf(table.rows[1].corners[2]));
    EXPECT_EQ(read("1,2,3,1e-999,1").rows[0].corners[3], 0.0);
}

TEST(DetectionCsv, ErrorsNameLineColumnAndValue) {
    expect_error("", "in.csv: is empty");
    expect_error("\n \n", "in.csv: is empty");
    expect_error("x1,y1,x2,y2,score\n1,2,3,4,x5\n", "in.csv:2, column 5 (score): \"x5\" is not a number");
    expect_error("1,2,3,4,5\n\n1,,3,4,5\n", "in.csv:3, column 2 (y1): \"\" is not a number");
    expect_error("1,2,3,4,5\n1,2,3,4,5,6\n", "in.csv:2: has 6 values where 5 are expected");
    expect_error("1,2,3,4\n", "in.csv:1: has fewer than 5 values");
    expect_error("x1,y1,x2,y2,conf\n", "in.csv:1, column 5 (score)");
    expect_error("x1,y1,x2,y2,score,density,f1\n", "in.csv:1, column 7 (f0)");
    expect_error("1,2,3,4,5,1.5\n", "column 6 (density): must lie in [0, 1]");
    expect_error("1,2,3,4,5,nan\n", "column 6 (density): must lie in [0, 1]");
    expect_error("1,2,3,4,5,1,inf\n", "column 7 (f0): must be a finite number");
    expect_error("1,2,3,4,0x10\n", "is not a number");
    expect_error("1,2,3,4,5\x1b[2J\n", "\"5?[2J\" is not a number");
    expect_error("1,2,3,4,\"5\"\n", "is not a number");
    expect_error(std::string("1,2,3,4,5\0\n", 11), "is not a number");
}

TEST(DetectionCsv, HeaderAloneContainsNoBoxes) {
    EXPECT_TRUE(read("x1,y1,x2,y2,score\n").rows.empty());
}

TEST(DetectionCsv, WritesKeptRowsWithFullPrecision) {
    const DetectionTable table = read("0.1,123456.789,7.25,123460,0.3\n0,0,2,2,0.2\n");
    DetectionSet kept;
    kept.detections = {table.detections.detections[0]};
    kept.detections[0].hits = 3;
    kept.detections.push_back({{0.5F, 0.25F, 2, 2}, 0.125F, 1, 1});  // moved by a merge, score decayed
    std::ostringstream out;
    write_detections(out, kept, table);
    EXPECT_EQ(out.str(),
              "index,x1,y1,x2,y2,score,hits\n0,0.1,123456.789,7.25,123460,0.3,3\n1,0.5,0.25,2.5,2.25,0.125,1\n");
}

TEST(CsvReader, ReadsLinesLongerThanItsBlocks) {
    std::string text;
    for (int k = 0; k < 200000; ++k) text += std::to_string(k) + ",";
    text += "end\nnext";
    std::istringstream stream(text);
    CsvReader reader(stream, "long");
    ASSERT_TRUE(reader.next());
    ASSERT_EQ(reader.values().size(), 200001U);
    EXPECT_EQ(reader.values()[199999], "199999");
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.values().front(), "next");
    EXPECT_EQ(reader.line(), 2U);
    EXPECT_FALSE(reader.next());
}

TEST(CsvReader, RejectsOrReadsRandomBytes) {
    std::mt19937_64 random(seed(5));
    const std::string alphabet = "0123456789,,,..-e\n\r\t \"naif\xFF\x01";
    for (std::size_t trial = 0; trial < case_count(20000); ++trial) {
        std::string text;
        for (std::size_t k = random() % 60; k > 0; --k) text += alphabet[random() % alphabet.size()];
        try {
            read(text);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
        }
    }
}

}  // namespace
}  // namespace throng::test
