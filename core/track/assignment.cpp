#include "core/track/assignment.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

namespace throng {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Disjoint sets with path halving.
class Components {
public:
    explicit Components(int count) : parent_(static_cast<std::size_t>(count)) {
        std::iota(parent_.begin(), parent_.end(), 0);
    }
    int find(int node) {
        while (parent_[static_cast<std::size_t>(node)] != node) {
            int& parent = parent_[static_cast<std::size_t>(node)];
            parent = parent_[static_cast<std::size_t>(parent)];
            node = parent;
        }
        return node;
    }
    void join(int a, int b) { parent_[static_cast<std::size_t>(find(b))] = find(a); }

private:
    std::vector<int> parent_;
};

// Solves one component, given as a dense matrix with infinite entries where no pair is listed. Each row also has a
// column of its own that stands for "unassigned", so that every row can be assigned.
class DenseAssignment {
public:
    DenseAssignment(std::size_t rows, std::size_t columns, double unassigned_cost)
        : rows_(rows),
          columns_(columns),
          unassigned_cost_(unassigned_cost),
          cost_(rows * columns, kInfinite),
          row_of_(columns + rows, -1),
          row_price_(rows, 0.0),
          column_price_(columns + rows, 0.0) {}

    double& at(std::size_t row, std::size_t column) { return cost_[row * columns_ + column]; }

    // Returns the column of each row, or -1.
    std::vector<int> solve() {
        for (std::size_t row = 0; row < rows_; ++row) augment(row);
        std::vector<int> result(rows_, -1);
        for (std::size_t column = 0; column < columns_; ++column) {
            if (row_of_[column] >= 0) result[static_cast<std::size_t>(row_of_[column])] = static_cast<int>(column);
        }
        return result;
    }

private:
    [[nodiscard]] double cost(std::size_t row, std::size_t column) const {
        if (column < columns_) return cost_[row * columns_ + column];
        return column - columns_ == row ? unassigned_cost_ : kInfinite;
    }

    // Extends the assignment by one row along the shortest augmenting path (Dijkstra on reduced costs).
    void augment(std::size_t start) {
        const std::size_t count = columns_ + rows_;
        std::vector<double> distance(count, kInfinite);
        std::vector<int> previous(count, -1);  // column before this one on the path, -1: the start row
        std::vector<bool> done(count, false);
        std::size_t row = start;
        int from = -1;
        double reached = 0;
        std::size_t last = count;
        for (;;) {
            std::size_t nearest = count;
            for (std::size_t column = 0; column < count; ++column) {
                if (done[column]) continue;
                const double reduced = reached + cost(row, column) - row_price_[row] - column_price_[column];
                if (reduced < distance[column]) {
                    distance[column] = reduced;
                    previous[column] = from;
                }
                if (nearest == count || distance[column] < distance[nearest]) nearest = column;
            }
            reached = distance[nearest];
            done[nearest] = true;
            if (row_of_[nearest] < 0) {
                last = nearest;
                break;
            }
            from = static_cast<int>(nearest);
            row = static_cast<std::size_t>(row_of_[nearest]);
        }
        row_price_[start] += reached;
        for (std::size_t column = 0; column < count; ++column) {
            if (!done[column] || column == last) continue;
            const double change = reached - distance[column];
            column_price_[column] -= change;
            row_price_[static_cast<std::size_t>(row_of_[column])] += change;
        }
        for (std::size_t column = last; previous[column] >= 0;) {
            const auto before = static_cast<std::size_t>(previous[column]);
            row_of_[column] = row_of_[before];
            column = before;
            last = column;
        }
        row_of_[last] = static_cast<int>(start);
    }

    std::size_t rows_, columns_;
    double unassigned_cost_;
    std::vector<double> cost_;
    std::vector<int> row_of_;  // by column, -1: free
    std::vector<double> row_price_, column_price_;
};

}  // namespace

std::vector<int> assign(int num_rows, int num_columns, const std::vector<AssignmentPair>& pairs,
                        double unassigned_cost) {
    std::vector<int> result(static_cast<std::size_t>(num_rows), -1);
    Components components(num_rows + num_columns);
    std::vector<AssignmentPair> sorted;
    sorted.reserve(pairs.size());
    for (const AssignmentPair& pair : pairs) {
        if (pair.cost > unassigned_cost) continue;
        sorted.push_back(pair);
        components.join(pair.row, num_rows + pair.column);
    }
    std::stable_sort(sorted.begin(), sorted.end(), [&](const AssignmentPair& a, const AssignmentPair& b) {
        return components.find(a.row) < components.find(b.row);
    });

    std::vector<int> local(static_cast<std::size_t>(num_rows + num_columns), -1);
    for (std::size_t first = 0; first < sorted.size();) {
        const int component = components.find(sorted[first].row);
        std::size_t last = first + 1;
        if (last == sorted.size() || components.find(sorted[last].row) != component) {  // a single pair
            result[static_cast<std::size_t>(sorted[first].row)] = sorted[first].column;
            first = last;
            continue;
        }
        last = first;
        std::vector<int> rows, columns;
        const auto add = [&local](std::vector<int>& list, int item, int node) {
            int& number = local[static_cast<std::size_t>(node)];
            if (number >= 0) return;
            number = static_cast<int>(list.size());
            list.push_back(item);
        };
        for (; last < sorted.size() && components.find(sorted[last].row) == component; ++last) {
            add(rows, sorted[last].row, sorted[last].row);
            add(columns, sorted[last].column, num_rows + sorted[last].column);
        }
        DenseAssignment dense(rows.size(), columns.size(), unassigned_cost);
        for (; first < last; ++first) {
            const auto row = static_cast<std::size_t>(local[static_cast<std::size_t>(sorted[first].row)]);
            const auto column =
                static_cast<std::size_t>(local[static_cast<std::size_t>(num_rows + sorted[first].column)]);
            dense.at(row, column) = std::min(dense.at(row, column), sorted[first].cost);
        }
        const std::vector<int> solution = dense.solve();
        for (std::size_t row = 0; row < rows.size(); ++row) {
            if (solution[row] < 0) continue;
            result[static_cast<std::size_t>(rows[row])] = columns[static_cast<std::size_t>(solution[row])];
        }
    }
    return result;
}

}  // namespace throng
