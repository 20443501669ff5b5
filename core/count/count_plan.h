// Lines and zones in which people are counted, and their file format.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace throng {

struct CountPoint {
    double x = 0, y = 0;

    friend bool operator==(const CountPoint&, const CountPoint&) = default;
};

// A line from one point to another. Who crosses it to the right, seen from `from` towards `to`, goes in, otherwise out.
struct CountLine {
    std::string name;
    CountPoint from, to;

    friend bool operator==(const CountLine&, const CountLine&) = default;
};

// A simple polygon, closed from the last point to the first.
struct CountZone {
    std::string name;
    std::vector<CountPoint> points;  // at least 3

    friend bool operator==(const CountZone&, const CountZone&) = default;
};

// Coordinates are in pixels of an image of this size. For a frame of another size they are scaled.
struct CountPlan {
    int width = 0;
    int height = 0;
    std::vector<CountLine> lines;
    std::vector<CountZone> zones;

    friend bool operator==(const CountPlan&, const CountPlan&) = default;
};

// Parses a plan:
//   size = [1920, 1080]
//   [[line]]
//   name = "door"
//   from = [800, 200]
//   to = [1100, 220]
//   [[zone]]
//   name = "queue"
//   points = [[100, 600], [700, 600], [700, 1000], [100, 1000]]
// Names are unique, of letters, digits, blanks, '-' and '_'. Without lines and zones, people are counted in the whole
// image. file: name for messages. Throws Error(usage) with file and line for anything else: an unknown key, a point
// outside the image, a polygon that has no area or crosses itself.
[[nodiscard]] CountPlan parse_count_plan(std::string_view text, const std::string& file);

// Returns the text of a file, which may be a pipe. Throws as read_file does.
[[nodiscard]] std::string read_count_plan(const std::filesystem::path& path, const std::stop_token& stop = {});
// Reads and parses a file. Throws as both functions do.
[[nodiscard]] CountPlan load_count_plan(const std::filesystem::path& path, const std::stop_token& stop = {});

// Returns the text of a plan, which parse_count_plan reads as an equal plan.
[[nodiscard]] std::string format_count_plan(const CountPlan& plan);

// Returns the plan in pixels of a frame of another size.
[[nodiscard]] CountPlan scaled_to(const CountPlan& plan, int width, int height);

}  // namespace throng
