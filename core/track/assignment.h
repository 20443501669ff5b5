// Optimal assignment of rows to columns on a sparse cost matrix (linear assignment problem).
#pragma once

#include <vector>

namespace throng {

struct AssignmentPair {
    int row = 0;
    int column = 0;
    double cost = 0;  // finite
};

// Assigns each row to at most one column and each column to at most one row, by listed pairs only. Minimizes the sum of
// the costs of the assigned pairs plus `unassigned_cost` per unassigned row. Returns the column of each row, or -1.
// A pair that costs more than unassigned_cost is never assigned. The result depends on the order of pairs only where
// several assignments are optimal. Source: R. Jonker, A. Volgenant, A shortest augmenting path algorithm for dense and
// sparse linear assignment problems (Computing, 1987), applied to each connected component.
[[nodiscard]] std::vector<int> assign(int num_rows, int num_columns, const std::vector<AssignmentPair>& pairs,
                                      double unassigned_cost);

}  // namespace throng
