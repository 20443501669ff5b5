// A plot as data. report.py draws it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace throng {

struct Series {
    std::string name;
    std::vector<std::pair<double, double>> points = {};  // x, y; for bars, x is the index of the category
    bool published = false;                              // a figure of a paper: drawn hollow and dashed
};

struct Plot {
    std::string name;  // file name without extension
    std::string title;
    std::string x_label;
    std::string y_label;
    bool log_x = false;  // points with x <= 0 are then skipped
    bool log_y = false;
    std::vector<std::string> categories = {};  // not empty: draws grouped bars over these categories
    std::vector<Series> series = {};

    // Adds a point to the series of this name, which is created when needed.
    void add(const std::string& line, double x, double y);
    // Adds a bar to the series of this name, over a category; both are created when needed.
    void add_bar(const std::string& line, const std::string& category, double y);
};

// Returns the plot as report.py reads it. A number that is not finite is null.
[[nodiscard]] nlohmann::ordered_json to_json(const Plot& plot);

// Writes the plot as SVG. Throws Error(unavailable) that names what report.py lacks, Error(input) if the file cannot be
// written.
void draw_plot(const Plot& plot, const std::string& path);

}  // namespace throng
