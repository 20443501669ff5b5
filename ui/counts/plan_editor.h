// Edits lines and zones, with undo. Every edit is checked by the reader of the file format.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/count/count_plan.h"

namespace throng::ui {

// Rows are the lines, then the zones. Not thread-safe.
class PlanEditor {
public:
    [[nodiscard]] const CountPlan& plan() const { return plan_; }
    [[nodiscard]] int rows() const;
    [[nodiscard]] bool is_zone(int row) const;
    [[nodiscard]] const std::string& name(int row) const;
    [[nodiscard]] std::vector<CountPoint> points(int row) const;

    void set(CountPlan plan);              // another file: nothing to undo
    void set_size(int width, int height);  // ignored if the plan has a size

    // Throw Error(usage) if the result is no valid plan: the plan is unchanged then.
    void add(bool zone, const std::vector<CountPoint>& points);  // with a name that is not used yet
    void rename(int row, const std::string& name);
    void remove(int row);
    void finish_move();

    // Moves a point while it is dragged, within the image and unchecked until finish_move, which may revert it.
    void move(int row, int point, CountPoint to);
    [[nodiscard]] bool moving() const { return before_move_.has_value(); }

    [[nodiscard]] int edits() const { return edits_; }  // so far
    [[nodiscard]] bool can_undo() const { return !history_.empty(); }
    void undo();

private:
    void commit(CountPlan next);
    static CountPoint& point_of(CountPlan& plan, int row, int point);

    CountPlan plan_;
    std::optional<CountPlan> before_move_;
    std::vector<CountPlan> history_;
    int edits_ = 0;
};

}  // namespace throng::ui
