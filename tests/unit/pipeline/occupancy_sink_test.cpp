#include "core/sinks/occupancy_sink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <opencv2/imgcodecs.hpp>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/error.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

constexpr int kWidth = 650;  // no multiple of the columns
constexpr int kHeight = 333;

FrameResult frame_with(std::vector<Track> tracks, double seconds, int source) {
    FramePool pool;
    WritableFrame writable = pool.take(PixelFormat::gray8, kWidth, kHeight);
    writable.info().pts = seconds;
    FrameResult result;
    result.frame = std::move(writable).finish();
    result.source = source == 1 ? "a,b.mp4" : "c.mp4";
    result.source_number = source;
    result.tracks = std::move(tracks);
    return result;
}

// Random people, times that jump in both directions. The cell of a person is found by looking at all cells.
TEST(OccupancySink, SumsTheSecondsOfEachCell) {
    const test::ScratchDir dir;
    const std::string path = (dir.path() / "map.CSV").string();
    OccupancySink sink(path);
    std::mt19937_64 random(test::seed(71));
    std::uniform_real_distribution<float> place(-60, 700);
    std::uniform_real_distribution<double> step(-2, 3);
    constexpr int kRows = 33;                              // 64 * 333 / 650 = 32.8
    std::map<std::tuple<int, int, int>, double> expected;  // by source, row and column
    std::map<int, double> time;
    for (int n = 0; n < 300; ++n) {
        const int source = 1 + static_cast<int>(random() % 2);
        const bool first = !time.contains(source);
        const double before = time[source];
        const double now = time[source] = before + (n % 10 == 0 ? step(random) : 0.04);
        std::vector<Track> tracks(random() % 4);
        for (Track& track : tracks) {
            track.confirmed = random() % 4 != 0;
            track.smoothed = {place(random), place(random), 20, 30};
            if (first || !track.confirmed || now <= before) continue;
            const double x = std::clamp(double{track.smoothed.x} + 10, 0.0, kWidth - 1e-3);
            const double y = std::clamp(double{track.smoothed.y} + 15, 0.0, kHeight - 1e-3);
            int column = 0;
            int row = 0;
            while ((column + 1) * kWidth / 64 <= static_cast<int>(x)) ++column;
            while ((row + 1) * kHeight / kRows <= static_cast<int>(y)) ++row;
            expected[{source, row, column}] += std::min(now - before, 1.0);
        }
        sink.write(frame_with(tracks, now, source));
    }
    sink.close();
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    EXPECT_EQ(line, "source,source_number,x,y,width,height,seconds");
    for (const auto& [cell, seconds] : expected) {
        const auto [source, row, column] = cell;
        ASSERT_TRUE(std::getline(file, line));
        const int x = column * kWidth / 64;
        const int y = row * kHeight / kRows;
        std::ostringstream start;
        start << (source == 1 ? "\"a,b.mp4\"" : "c.mp4") << ',' << source << ',' << x << ',' << y << ','
              << (column + 1) * kWidth / 64 - x << ',' << (row + 1) * kHeight / kRows - y << ',';
        ASSERT_TRUE(line.starts_with(start.str())) << line << " instead of " << start.str();
        EXPECT_NEAR(std::stod(line.substr(start.str().size())), seconds, 6e-4);
    }
    EXPECT_FALSE(std::getline(file, line));
}

TEST(OccupancySink, DrawsTheCellsOfLongStaysBrightest) {
    const test::ScratchDir dir;
    const std::string path = (dir.path() / "map.png").string();
    OccupancySink sink(path);
    const auto at = [](float x, float y) {
        Track track;
        track.confirmed = true;
        track.smoothed = {x - 10, y - 10, 20, 20};
        return track;
    };
    for (int n = 0; n <= 100; ++n) {
        std::vector<Track> tracks{at(100, 100)};
        if (n > 50) tracks.push_back(at(400, 200));
        sink.write(frame_with(tracks, 0.1 * n, 1));
    }
    sink.close();
    const cv::Mat image = cv::imread(path, cv::IMREAD_COLOR);
    ASSERT_EQ(image.cols, kWidth);
    ASSERT_EQ(image.rows, kHeight);
    const auto brightness = [&](int x, int y) {
        const auto& pixel = image.at<cv::Vec3b>(y, x);
        return 0.114 * pixel[0] + 0.587 * pixel[1] + 0.299 * pixel[2];
    };
    EXPECT_LT(brightness(300, 50), 2);
    EXPECT_GT(brightness(400, 200), 50);
    EXPECT_GT(brightness(100, 100), brightness(400, 200) + 50);
}

TEST(OccupancySink, LeavesAnExistingFileWithoutFrames) {
    const test::ScratchDir dir;
    const std::string path = (dir.path() / "map.csv").string();
    std::ofstream(path) << "earlier";
    OccupancySink(path).close();
    std::ifstream file(path);
    std::string text;
    std::getline(file, text);
    EXPECT_EQ(text, "earlier");
    EXPECT_THROW(OccupancySink((dir.path() / "missing" / "map.csv").string()), Error);
}

}  // namespace
}  // namespace throng
