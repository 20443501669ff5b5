#include "ui/counts/plan_editor.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace throng::ui {
namespace {

constexpr std::size_t kMaxHistory = 200;

std::string free_name(const CountPlan& plan, const std::string& kind) {
    for (int number = 1;; ++number) {
        std::string name = kind + ' ' + std::to_string(number);
        const auto has_name = [&](const auto& shape) { return shape.name == name; };
        if (std::none_of(plan.lines.begin(), plan.lines.end(), has_name) &&
            std::none_of(plan.zones.begin(), plan.zones.end(), has_name)) {
            return name;
        }
    }
}

// A tenth of a pixel, for readable files.
double rounded(double value, int limit) {
    return std::clamp(std::round(value * 10) / 10, 0.0, static_cast<double>(limit));
}

}  // namespace

int PlanEditor::rows() const {
    return static_cast<int>(plan_.lines.size() + plan_.zones.size());
}

bool PlanEditor::is_zone(int row) const {
    return row >= static_cast<int>(plan_.lines.size());
}

const std::string& PlanEditor::name(int row) const {
    const auto at = static_cast<std::size_t>(row);
    return is_zone(row) ? plan_.zones[at - plan_.lines.size()].name : plan_.lines[at].name;
}

std::vector<CountPoint> PlanEditor::points(int row) const {
    const auto at = static_cast<std::size_t>(row);
    if (is_zone(row)) return plan_.zones[at - plan_.lines.size()].points;
    return {plan_.lines[at].from, plan_.lines[at].to};
}

CountPoint& PlanEditor::point_of(CountPlan& plan, int row, int point) {
    const auto at = static_cast<std::size_t>(row);
    if (at < plan.lines.size()) return point == 0 ? plan.lines[at].from : plan.lines[at].to;
    return plan.zones[at - plan.lines.size()].points[static_cast<std::size_t>(point)];
}

void PlanEditor::set(CountPlan plan) {
    plan_ = std::move(plan);
    before_move_.reset();
    history_.clear();
}

void PlanEditor::set_size(int width, int height) {
    if (plan_.width > 0) return;
    plan_.width = width;
    plan_.height = height;
}

void PlanEditor::commit(CountPlan next) {
    static_cast<void>(parse_count_plan(format_count_plan(next), "drawing"));
    if (history_.size() == kMaxHistory) history_.erase(history_.begin());
    history_.push_back(std::exchange(plan_, std::move(next)));
    ++edits_;
}

void PlanEditor::add(bool zone, const std::vector<CountPoint>& points) {
    CountPlan next = plan_;
    std::vector<CountPoint> inside = points;
    for (CountPoint& p : inside) p = {rounded(p.x, plan_.width), rounded(p.y, plan_.height)};
    if (zone) {
        next.zones.push_back({free_name(plan_, "zone"), std::move(inside)});
    } else {
        next.lines.push_back({free_name(plan_, "line"), inside.at(0), inside.at(1)});
    }
    commit(std::move(next));
}

void PlanEditor::rename(int row, const std::string& name) {
    if (name == this->name(row)) return;
    CountPlan next = plan_;
    const auto at = static_cast<std::size_t>(row);
    (is_zone(row) ? next.zones[at - next.lines.size()].name : next.lines[at].name) = name;
    commit(std::move(next));
}

void PlanEditor::remove(int row) {
    CountPlan next = plan_;
    const auto lines = static_cast<int>(next.lines.size());
    is_zone(row) ? static_cast<void>(next.zones.erase(next.zones.begin() + (row - lines)))
                 : static_cast<void>(next.lines.erase(next.lines.begin() + row));
    commit(std::move(next));
}

void PlanEditor::move(int row, int point, CountPoint to) {
    if (!before_move_) before_move_ = plan_;
    point_of(plan_, row, point) = {rounded(to.x, plan_.width), rounded(to.y, plan_.height)};
}

void PlanEditor::finish_move() {
    if (!before_move_) return;
    CountPlan moved = std::exchange(plan_, *std::exchange(before_move_, std::nullopt));
    if (moved != plan_) commit(std::move(moved));
}

void PlanEditor::undo() {
    if (history_.empty()) return;
    before_move_.reset();
    plan_ = std::move(history_.back());
    history_.pop_back();
}

}  // namespace throng::ui
