// A plot as data, and its drawing as SVG: axes, ticks, logarithmic scales, bars, a legend; readable on screen and in
// print, on light and dark pages.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace throng {

struct Series {
    std::string name;
    std::vector<std::pair<double, double>> points;  // x, y; for bars x is the number of the category
    bool published = false;                         // a figure of a paper: drawn hollow and dashed
};

struct Plot {
    std::string name;  // of the file, without extension
    std::string title;
    std::string x_label;
    std::string y_label;
    bool log_x = false;  // points with x <= 0 are left out then
    bool log_y = false;
    std::vector<std::string> categories;  // not empty: grouped bars over these
    std::vector<Series> series;
};

// Positions of ticks on an axis from `low` to `high` (low < high), about `count` of them: multiples of 1, 2 or 5 times
// a power of ten; on a logarithmic axis powers of ten, with 2 and 5 between where there is room.
[[nodiscard]] std::vector<double> ticks(double low, double high, int count, bool logarithmic);

// "0.02", "1.5k", "3M": short, without trailing zeros.
[[nodiscard]] std::string tick_label(double value);

// A whole SVG document. Points that are not finite are left out; without any the plot says that there is no data.
[[nodiscard]] std::string to_svg(const Plot& plot);

// Text safe inside XML and HTML.
[[nodiscard]] std::string escape_xml(std::string_view text);

}  // namespace throng
