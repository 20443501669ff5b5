#include "core/count/count_plan.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/toml_depth.h"

namespace throng {
namespace {

constexpr std::uintmax_t kMaxPlanFile = 1 << 20;
constexpr std::size_t kMaxPoints = 256;
constexpr std::size_t kMaxName = 60;
constexpr std::int64_t kMaxSide = 65536;

// Reads the values of one file.
class PlanReader {
public:
    explicit PlanReader(const std::string& file) : file_(file) {}

    CountPlan read(const toml::table& root) {
        for (const auto& [key, node] : root) {
            if (key.str() == "size") {
                read_size(node);
            } else if (key.str() != "line" && key.str() != "zone") {
                reject(node, key.str(), "unknown key", "a plan has size, [[line]] and [[zone]]");
            }
        }
        if (plan_.width == 0) {
            throw Error(ErrorKind::usage, "the size of the image is missing", file_, "add size = [1920, 1080]");
        }
        for_each(root, "line", [this](const toml::table& table) { plan_.lines.push_back(line_of(table)); });
        for_each(root, "zone", [this](const toml::table& table) { plan_.zones.push_back(zone_of(table)); });
        return std::move(plan_);
    }

private:
    [[noreturn]] void reject(const toml::node& node, std::string_view key, const Message& problem,
                             const Message& advice = {}) const {
        throw Error(ErrorKind::usage, problem, fmt::format("{}:{}: {}", file_, node.source().begin.line, key), advice);
    }

    template <typename Read>
    void for_each(const toml::table& root, std::string_view key, const Read& read) const {
        const toml::node* node = root.get(key);
        if (node == nullptr) return;
        if (!node->is_array()) reject(*node, key, "must be a list of tables", fmt::format("write [[{}]]", key));
        for (const toml::node& entry : *node->as_array()) {
            if (!entry.is_table()) reject(entry, key, "must be a table", fmt::format("write [[{}]]", key));
            read(*entry.as_table());
        }
    }

    void read_size(const toml::node& node) {
        const std::optional<CountPoint> size = pair_of(node);
        const auto valid = [](double side) { return side >= 1 && side <= kMaxSide && side == std::floor(side); };
        if (!size || !valid(size->x) || !valid(size->y)) {
            reject(node, "size", "must be two whole numbers from 1 to 65536", "size = [1920, 1080]");
        }
        plan_.width = static_cast<int>(size->x);
        plan_.height = static_cast<int>(size->y);
    }

    static std::optional<CountPoint> pair_of(const toml::node& node) {
        const toml::array* list = node.as_array();
        if (list == nullptr || list->size() != 2) return std::nullopt;
        const auto number = [list](std::size_t i) -> std::optional<double> {
            const toml::node& value = *list->get(i);
            return value.is_number() ? value.value<double>() : std::nullopt;
        };
        const std::optional<double> x = number(0);
        const std::optional<double> y = number(1);
        if (!x || !y) return std::nullopt;
        return CountPoint{*x, *y};
    }

    CountPoint point_of(const toml::node& node, std::string_view key) const {
        const std::optional<CountPoint> point = pair_of(node);
        if (!point) reject(node, key, "must be a point", "a point is written [x, y], in pixels");
        if (!(point->x >= 0 && point->x <= plan_.width && point->y >= 0 && point->y <= plan_.height)) {
            reject(node, key, fmt::format("[{:g}, {:g}] is outside the image", point->x, point->y),
                   fmt::format("size is {}x{}", plan_.width, plan_.height));
        }
        return *point;
    }

    std::string name_of(const toml::node& node) {
        const auto text = node.value<std::string>();
        const auto is_plain = [](unsigned char c) {
            return (c < 0x80 && std::isalnum(c) != 0) || c == ' ' || c == '-' || c == '_';
        };
        if (!text || text->empty() || text->size() > kMaxName || !std::all_of(text->begin(), text->end(), is_plain)) {
            reject(node, "name", "must be a name of up to 60 letters, digits, blanks, '-' and '_'");
        }
        if (!names_.insert(*text).second) reject(node, "name", fmt::format("\"{}\" is used twice", *text));
        return *text;
    }

    CountLine line_of(const toml::table& table) {
        CountLine line;
        bool has_from = false;
        bool has_to = false;
        for (const auto& [key, node] : table) {
            if (key.str() == "name") {
                line.name = name_of(node);
            } else if (key.str() == "from") {
                line.from = point_of(node, "from");
                has_from = true;
            } else if (key.str() == "to") {
                line.to = point_of(node, "to");
                has_to = true;
            } else {
                reject(node, key.str(), "unknown key", "a line has name, from and to");
            }
        }
        if (line.name.empty() || !has_from || !has_to) reject(table, "line", "needs name, from and to");
        if (line.from.x == line.to.x && line.from.y == line.to.y) reject(table, "line", "has no length");
        return line;
    }

    CountZone zone_of(const toml::table& table) {
        CountZone zone;
        for (const auto& [key, node] : table) {
            if (key.str() == "name") {
                zone.name = name_of(node);
            } else if (key.str() == "points") {
                if (!node.is_array()) reject(node, "points", "must be a list of points", "[[x, y], [x, y], [x, y]]");
                for (const toml::node& point : *node.as_array()) zone.points.push_back(point_of(point, "points"));
            } else {
                reject(node, key.str(), "unknown key", "a zone has name and points");
            }
        }
        if (zone.name.empty()) reject(table, "zone", "needs a name");
        if (zone.points.size() < 3) reject(table, "points", "a zone needs at least 3 points");
        if (zone.points.size() > kMaxPoints) reject(table, "points", "a zone has at most 256 points");
        check_polygon(table, zone.points);
        return zone;
    }

    void check_polygon(const toml::table& table, const std::vector<CountPoint>& points) const {
        const std::size_t count = points.size();
        double area = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const CountPoint& a = points[i];
            const CountPoint& b = points[(i + 1) % count];
            area += a.x * b.y - b.x * a.y;
        }
        if (std::abs(area) < 2) reject(table, "points", "is not a polygon: it has no area");
        const auto side = [](const CountPoint& a, const CountPoint& b, const CountPoint& p) {
            const double cross = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
            return (cross > 0) - (cross < 0);
        };
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t k = i + 1; k < count; ++k) {
                const CountPoint& a = points[i];
                const CountPoint& b = points[(i + 1) % count];
                const CountPoint& c = points[k];
                const CountPoint& d = points[(k + 1) % count];
                if (side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0) {
                    reject(table, "points", fmt::format("is not a polygon: sides {} and {} cross", i + 1, k + 1));
                }
            }
        }
    }

    const std::string& file_;
    CountPlan plan_;
    std::set<std::string> names_;
};

}  // namespace

CountPlan parse_count_plan(std::string_view text, const std::string& file) {
    return PlanReader(file).read(parse_toml(text, file));
}

std::string read_count_plan(const std::filesystem::path& path, const std::stop_token& stop) {
    ReadOptions options;
    options.stop = stop;
    options.what = "file of lines and zones";
    options.max_bytes = kMaxPlanFile;
    return read_file(path, options);
}

CountPlan load_count_plan(const std::filesystem::path& path, const std::stop_token& stop) {
    return parse_count_plan(read_count_plan(path, stop), path.string());
}

std::string format_count_plan(const CountPlan& plan) {
    const auto point = [](const CountPoint& p) { return fmt::format("[{}, {}]", p.x, p.y); };  // exact
    std::string text = fmt::format("size = [{}, {}]\n", plan.width, plan.height);
    for (const CountLine& line : plan.lines) {
        text +=
            fmt::format("\n[[line]]\nname = \"{}\"\nfrom = {}\nto = {}\n", line.name, point(line.from), point(line.to));
    }
    for (const CountZone& zone : plan.zones) {
        text += fmt::format("\n[[zone]]\nname = \"{}\"\npoints = [", zone.name);
        for (std::size_t i = 0; i < zone.points.size(); ++i) text += (i > 0 ? ", " : "") + point(zone.points[i]);
        text += "]\n";
    }
    return text;
}

CountPlan scaled_to(const CountPlan& plan, int width, int height) {
    CountPlan scaled = plan;
    scaled.width = width;
    scaled.height = height;
    const auto scale = [&](CountPoint& point) {
        point.x *= static_cast<double>(width) / plan.width;
        point.y *= static_cast<double>(height) / plan.height;
    };
    for (CountLine& line : scaled.lines) {
        scale(line.from);
        scale(line.to);
    }
    for (CountZone& zone : scaled.zones) std::for_each(zone.points.begin(), zone.points.end(), scale);
    return scaled;
}

}  // namespace throng
