// A plot as data, and its rendering as SVG: axes, ticks, logarithmic scales, bars and a legend. Readable on screen and
// in print, on light and dark pages.
#pragma once

#include <optional>
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

// Returns the positions of about `count` ticks on an axis from `low` to `high` (low < high): multiples of 1, 2 or 5
// times a power of ten. On a logarithmic axis: powers of ten, with 2 and 5 in between where space permits.
[[nodiscard]] std::vector<double> ticks(double low, double high, int count, bool logarithmic);

// Returns "0.02", "1.5k", "3M": short, without trailing zeros.
[[nodiscard]] std::string tick_label(double value);

// Returns a complete SVG document. Skips points that are not finite; shows "no data" if there are no others.
[[nodiscard]] std::string to_svg(const Plot& plot);

// Returns the text escaped for XML and HTML.
[[nodiscard]] std::string escape_xml(std::string_view text);

}  // namespace throng
