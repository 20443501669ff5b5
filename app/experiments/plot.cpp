#include "app/experiments/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace throng {
namespace {

constexpr double kWidth = 760, kPlotHeight = 330;
constexpr double kLeft = 74, kRight = 18, kTop = 44, kUnderAxis = 52;
constexpr double kLegendRow = 20, kGlyph = 6.7;  // mean width of a letter at 13 px
constexpr double kMaxLabel = 34;
constexpr std::size_t kColors = 8;

struct Palette {
    const char* ink;
    const char* soft;
    const char* grid;
    const char* page;
    std::array<const char*, kColors> colors;
};

// Okabe and Ito's colors, which color-blind readers can distinguish: darker on white, lighter on black.
constexpr std::array<const char*, kColors> kOnWhite = {"#0072b2", "#d55e00", "#009e73", "#a8488a",
                                                       "#8c6d00", "#3f8fc4", "#5b5b5b", "#b02a37"};
constexpr Palette kLight{"#1c2127", "#68727d", "#e4e7eb", "#ffffff", kOnWhite};
constexpr Palette kPrint{"#000000", "#444444", "#dddddd", "#ffffff", kOnWhite};
constexpr Palette kDark{"#e6e9ec",
                        "#9aa4ae",
                        "#333a42",
                        "#171b1f",
                        {"#56b4e9", "#ff9e57", "#3fcf9f", "#dd93c4", "#e5c44d", "#9cc9ea", "#b9bdc2", "#ff7b86"}};

// Uses plain rules without variables, because not every SVG viewer supports variables.
std::string rules(const Palette& p) {
    std::string text = fmt::format(
        ".th text{{fill:{}}}.th .soft{{fill:{}}}.th .page{{fill:{}}}.th .edge{{stroke:{}}}"
        ".th .grid{{stroke:{};stroke-width:1}}.th .axis{{stroke:{};stroke-width:1}}",
        p.ink, p.soft, p.page, p.page, p.grid, p.soft);
    for (std::size_t c = 0; c < kColors; ++c)
        text += fmt::format(".th .f{}{{fill:{}}}.th .s{}{{stroke:{}}}", c, p.colors[c], c, p.colors[c]);
    return text;
}

std::string style() {
    return "<style>.th{font-family:system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}.th text{font-size:13px}"
           ".th .soft{font-size:12px}.th .title{font-size:15px;font-weight:600}" +
           rules(kLight) + "@media (prefers-color-scheme:dark){" + rules(kDark) + "}@media print{" + rules(kPrint) +
           "}</style>";
}

struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    [[nodiscard]] bool empty() const { return !(low <= high); }
    void add(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
};

class Axis {
public:
    Axis() = default;
    Axis(Range range, bool logarithmic, double from, double to) : log_(logarithmic), from_(from), to_(to) {
        low_ = value(range.low);
        high_ = value(range.high);
    }
    [[nodiscard]] double at(double x) const { return from_ + (to_ - from_) * (value(x) - low_) / (high_ - low_); }

private:
    [[nodiscard]] double value(double x) const { return log_ ? std::log10(x) : x; }
    bool log_ = false;
    double from_ = 0, to_ = 1, low_ = 0, high_ = 1;
};

bool shown(double value, bool logarithmic) {
    return std::isfinite(value) && (!logarithmic || value > 0);
}

// Returns the range of an axis, slightly larger than its data. A linear range ends on ticks.
Range widened(Range range, bool logarithmic, bool from_zero) {
    if (logarithmic) {
        const double margin = std::max(std::pow(range.high / range.low, 0.04), 1.12);
        return {range.low / margin, range.high * margin};
    }
    if (from_zero && range.low >= 0) range.low = 0;
    if (range.high <= range.low) range.high = range.low + std::max(std::abs(range.low) * 0.1, 1e-9);
    const double step = ticks(range.low, range.high, 6, false).size() > 1
                            ? ticks(range.low, range.high, 6, false)[1] - ticks(range.low, range.high, 6, false)[0]
                            : range.high - range.low;
    range.high = std::ceil(range.high / step - 1e-9) * step;
    if (!(from_zero && range.low == 0)) range.low = std::floor(range.low / step + 1e-9) * step;
    return range;
}

std::string marker(std::size_t color, double x, double y, bool hollow) {
    const std::size_t c = color % kColors;
    const std::string style = hollow ? fmt::format("class=\"page s{}\" stroke-width=\"2\"", c)
                                     : fmt::format("class=\"f{} edge\" stroke-width=\"1\"", c);
    switch (color % 4) {
        case 0: return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" {}/>", x, y, style);
        case 1:
            return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"7.4\" height=\"7.4\" {}/>", x - 3.7, y - 3.7,
                               style);
        case 2: return fmt::format("<path d=\"M{:.1f} {:.1f}l4.8 8.4h-9.6z\" {}/>", x, y - 5.2, style);
        default: return fmt::format("<path d=\"M{:.1f} {:.1f}l5.2 5.2l-5.2 5.2l-5.2 -5.2z\" {}/>", x, y - 5.2, style);
    }
}

class Drawing {
public:
    explicit Drawing(const Plot& plot) : plot_(plot), bars_(!plot.categories.empty()) {}

    std::string text() {
        lay_out_legend();
        slant_ = bars_ && longest_category() * kGlyph > slot();
        under_axis_ = slant_ ? 34 + 0.5 * kGlyph * std::min(longest_category(), kMaxLabel) : kUnderAxis;
        const double height = kTop + kPlotHeight + under_axis_ + legend_height_;
        std::string out = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"th\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" "
            "aria-label=\"{}\">{}<rect class=\"page\" width=\"{:.0f}\" height=\"{:.0f}\"/>"
            "<text class=\"title\" x=\"{:.0f}\" y=\"24\">{}</text>",
            kWidth, height, escape_xml(plot_.title), style(), kWidth, height, kLeft, escape_xml(plot_.title));
        if (!find_ranges()) {
            return out + fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\">no data</text></svg>\n",
                                     kWidth / 2, kTop + kPlotHeight / 2);
        }
        draw_y_axis(out);
        bars_ ? draw_categories(out) : draw_x_axis(out);
        bars_ ? draw_bars(out) : draw_lines(out);
        draw_legend(out);
        return out + "</svg>\n";
    }

private:
    bool find_ranges() {
        Range x, y;
        for (const Series& series : plot_.series) {
            for (const auto& [px, py] : series.points) {
                if (!shown(px, plot_.log_x) || !shown(py, plot_.log_y)) continue;
                x.add(px);
                y.add(py);
            }
        }
        if (y.empty()) return false;
        y_range_ = widened(y, plot_.log_y, true);
        if (bars_) {
            // On a logarithmic scale, bars start at the power of ten below the minimum.
            if (plot_.log_y) y_range_.low = std::pow(10, std::floor(std::log10(y.low) - 1e-9));
            y_range_.high *= plot_.log_y ? 1.25 : 1.0;
        }
        x_range_ = widened(x, plot_.log_x, !plot_.log_x && x.low < 0.25 * x.high);
        x_ = Axis(x_range_, plot_.log_x, kLeft, kWidth - kRight);
        y_ = Axis(y_range_, plot_.log_y, kTop + kPlotHeight, kTop);
        return true;
    }

    void draw_y_axis(std::string& out) const {
        for (const double tick : ticks(y_range_.low, y_range_.high, 6, plot_.log_y)) {
            const double y = y_.at(tick);
            out += fmt::format(
                "<path class=\"grid\" d=\"M{:.0f} {:.1f}H{:.0f}\"/><text class=\"soft\" x=\"{:.0f}\" "
                "y=\"{:.1f}\" text-anchor=\"end\">{}</text>",
                kLeft, y, kWidth - kRight, kLeft - 8, y + 4, tick_label(tick));
        }
        out += fmt::format("<path class=\"axis\" d=\"M{0:.0f} {1:.0f}V{2:.0f}H{3:.0f}\" fill=\"none\"/>", kLeft, kTop,
                           kTop + kPlotHeight, kWidth - kRight);
        out += fmt::format("<text transform=\"translate(20 {:.0f}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
                           kTop + kPlotHeight / 2, escape_xml(plot_.y_label));
    }

    void draw_x_axis(std::string& out) const {
        for (const double tick : ticks(x_range_.low, x_range_.high, 9, plot_.log_x)) {
            const double x = x_.at(tick);
            out += fmt::format(
                "<path class=\"grid\" d=\"M{:.1f} {:.0f}v{:.0f}\"/><text class=\"soft\" x=\"{:.1f}\" "
                "y=\"{:.0f}\" text-anchor=\"middle\">{}</text>",
                x, kTop, kPlotHeight, x, kTop + kPlotHeight + 18, tick_label(tick));
        }
        x_title(out);
    }

    void x_title(std::string& out) const {
        out += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\">{}</text>",
                           (kLeft + kWidth - kRight) / 2, kTop + kPlotHeight + 40, escape_xml(plot_.x_label));
    }

    [[nodiscard]] double longest_category() const {
        std::size_t longest = 0;
        for (const std::string& category : plot_.categories) longest = std::max(longest, category.size());
        return static_cast<double>(longest);
    }

    [[nodiscard]] double slot() const {
        return (kWidth - kLeft - kRight) / static_cast<double>(plot_.categories.size());
    }

    // Labels that do not fit side by side are rotated.
    void draw_categories(std::string& out) const {
        for (std::size_t i = 0; i < plot_.categories.size(); ++i) {
            const double x = kLeft + slot() * (static_cast<double>(i) + 0.5);
            const double y = kTop + kPlotHeight + (slant_ ? 14 : 18);
            const std::string place = slant_ ? fmt::format(
                                                   "transform=\"translate({:.1f} {:.1f}) rotate(-30)\" "
                                                   "text-anchor=\"end\"",
                                                   x + 6, y)
                                             : fmt::format("x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\"", x, y);
            out += fmt::format("<text class=\"soft\" {}>{}</text>", place, escape_xml(plot_.categories[i]));
        }
        if (!plot_.x_label.empty()) x_title(out);
    }

    void draw_bars(std::string& out) const {
        const double width = std::min(slot() * 0.8 / static_cast<double>(plot_.series.size()), 44.0);
        const double bottom = kTop + kPlotHeight;
        for (std::size_t s = 0; s < plot_.series.size(); ++s) {
            const Series& series = plot_.series[s];
            for (const auto& [category, value] : series.points) {
                if (!shown(value, plot_.log_y)) continue;
                const double offset = static_cast<double>(s) - static_cast<double>(plot_.series.size()) / 2;
                const double x = kLeft + slot() * (category + 0.5) + offset * width;
                const double y = y_.at(value);
                out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>", x + 1, y,
                                   width - 2, std::max(bottom - y, 0.5), bar_style(s, series.published));
                if (width >= 18) {
                    out += fmt::format(
                        "<text class=\"soft\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
                        "style=\"font-size:10.5px\">{}</text>",
                        x + width / 2, y - 4, bar_label(value));
                }
            }
        }
    }

    static std::string bar_label(double value) {
        return tick_label(value == 0 ? 0 : std::stod(fmt::format("{:.3g}", value)));
    }

    static std::string bar_style(std::size_t color, bool published) {
        const std::size_t c = color % kColors;
        if (!published) return fmt::format("class=\"f{}\"", c);
        return fmt::format("class=\"s{}\" fill=\"none\" stroke-width=\"1.5\" stroke-dasharray=\"4 3\"", c);
    }

    void draw_lines(std::string& out) const {
        for (std::size_t s = 0; s < plot_.series.size(); ++s) {
            const Series& series = plot_.series[s];
            std::string path, markers;
            std::size_t drawn = 0;
            for (const auto& [px, py] : series.points) {
                if (!shown(px, plot_.log_x) || !shown(py, plot_.log_y)) continue;
                const double x = x_.at(px), y = y_.at(py);
                path += fmt::format("{}{:.1f} {:.1f}", drawn == 0 ? "M" : "L", x, y);
                if (series.points.size() <= 60) markers += marker(s, x, y, series.published);
                ++drawn;
            }
            if (drawn > 1) {
                out += fmt::format("<path d=\"{}\" class=\"s{}\" fill=\"none\" stroke-width=\"{}\"{}/>", path,
                                   s % kColors, series.points.size() <= 60 ? "2" : "1.4",
                                   series.published ? " stroke-dasharray=\"6 4\"" : "");
            }
            out += markers;
        }
    }

    void lay_out_legend() {
        double x = kLeft;
        double row = 0;
        for (const Series& series : plot_.series) {
            const double width = 34 + kGlyph * static_cast<double>(series.name.size()) + 14;
            if (x > kLeft && x + width > kWidth - kRight) {
                x = kLeft;
                ++row;
            }
            legend_.emplace_back(x, row * kLegendRow);
            x += width;
        }
        legend_height_ = plot_.series.empty() ? 0 : (row + 1) * kLegendRow + 8;
    }

    void draw_legend(std::string& out) const {
        for (std::size_t s = 0; s < plot_.series.size(); ++s) {
            const Series& series = plot_.series[s];
            const double x = legend_[s].first;
            const double y = kTop + kPlotHeight + under_axis_ + legend_[s].second + 8;
            if (bars_) {
                out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"22\" height=\"11\" {}/>", x, y - 6,
                                   bar_style(s, series.published));
            } else {
                out += fmt::format("<path d=\"M{:.1f} {:.1f}h24\" class=\"s{}\" stroke-width=\"2\"{}/>{}", x, y,
                                   s % kColors, series.published ? " stroke-dasharray=\"6 4\"" : "",
                                   marker(s, x + 12, y, series.published));
            }
            out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", x + 31, y + 4.5, escape_xml(series.name));
        }
    }

    const Plot& plot_;
    bool bars_;
    Range x_range_, y_range_;
    Axis x_, y_;
    std::vector<std::pair<double, double>> legend_;
    double legend_height_ = 0;
    double under_axis_ = kUnderAxis;
    bool slant_ = false;
};

}  // namespace

void Plot::add(const std::string& line, double x, double y) {
    auto found = std::find_if(series.begin(), series.end(), [&](const Series& s) { return s.name == line; });
    if (found == series.end()) found = series.insert(series.end(), Series{line});
    found->points.emplace_back(x, y);
}

void Plot::add_bar(const std::string& line, const std::string& category, double y) {
    auto found = std::find(categories.begin(), categories.end(), category);
    if (found == categories.end()) found = categories.insert(categories.end(), category);
    add(line, static_cast<double>(found - categories.begin()), y);
}

std::vector<double> ticks(double low, double high, int count, bool logarithmic) {
    std::vector<double> found;
    if (!(low < high) || (logarithmic && low <= 0)) return found;
    if (logarithmic) {
        const double decades = std::log10(high / low);
        for (int power = static_cast<int>(std::floor(std::log10(low))) - 1;
             power <= static_cast<int>(std::ceil(std::log10(high))); ++power) {
            for (const double digit : {1.0, 2.0, 5.0}) {
                if (digit != 1.0 && decades > 3.2) continue;
                const double tick = digit * std::pow(10, power);
                if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) found.push_back(tick);
            }
        }
        return found;
    }
    const double rough = (high - low) / std::max(count - 1, 1);
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double digit : {1.0, 2.0, 5.0}) {
        if (digit * power >= rough * (1 - 1e-9)) {
            step = digit * power;
            break;
        }
    }
    for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) found.push_back(k * step + 0.0);
    return found;
}

std::string tick_label(double value) {
    const double size = std::abs(value);
    if (size >= 1e6) return fmt::format("{:.3g}M", value / 1e6);
    if (size >= 10000) return fmt::format("{:.3g}k", value / 1e3);
    return fmt::format("{:.4g}", size < 1e-12 ? 0.0 : value);
}

std::string escape_xml(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += c;
        }
    }
    return out;
}

std::string to_svg(const Plot& plot) {
    return Drawing(plot).text();
}

}  // namespace throng
