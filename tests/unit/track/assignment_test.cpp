#include "core/track/assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <utility>

#include "tests/support/random.h"

namespace throng {
namespace {

using Costs = std::map<std::pair<int, int>, double>;

double cost_of(const std::vector<int>& columns, const Costs& costs, double unassigned) {
    double sum = 0;
    for (std::size_t row = 0; row < columns.size(); ++row) {
        sum += columns[row] < 0 ? unassigned : costs.at({static_cast<int>(row), columns[row]});
    }
    return sum;
}

// Tries every assignment of the rows from `row` on.
double best_cost(int row, int rows, std::vector<bool>& taken, const Costs& costs, double unassigned) {
    if (row == rows) return 0;
    double best = unassigned + best_cost(row + 1, rows, taken, costs, unassigned);
    for (std::size_t column = 0; column < taken.size(); ++column) {
        const auto pair = costs.find({row, static_cast<int>(column)});
        if (taken[column] || pair == costs.end()) continue;
        taken[column] = true;
        best = std::min(best, pair->second + best_cost(row + 1, rows, taken, costs, unassigned));
        taken[column] = false;
    }
    return best;
}

TEST(Assignment, IsOptimalOnRandomSparseMatrices) {
    std::mt19937_64 random(test::seed(7));
    std::uniform_real_distribution<double> cost(-1, 4);
    for (std::size_t round = test::case_count(400); round > 0; --round) {
        const int rows = static_cast<int>(random() % 7);
        const int columns = static_cast<int>(random() % 7);
        const double unassigned = std::uniform_real_distribution<double>(0, 4)(random);
        const std::uint64_t density = 1 + random() % 4;
        Costs costs;
        std::vector<AssignmentPair> pairs;
        for (int row = 0; row < rows; ++row) {
            for (int column = 0; column < columns; ++column) {
                if (random() % density != 0) continue;
                costs[{row, column}] = cost(random);
                pairs.push_back({row, column, costs[{row, column}]});
            }
        }
        std::shuffle(pairs.begin(), pairs.end(), random);
        const std::vector<int> result = assign(rows, columns, pairs, unassigned);
        ASSERT_EQ(result.size(), static_cast<std::size_t>(rows));
        std::vector<bool> used(static_cast<std::size_t>(columns), false);
        for (const int column : result) {
            if (column < 0) continue;
            ASSERT_FALSE(used[static_cast<std::size_t>(column)]);
            used[static_cast<std::size_t>(column)] = true;
        }
        std::vector<bool> taken(static_cast<std::size_t>(columns), false);
        EXPECT_NEAR(cost_of(result, costs, unassigned), best_cost(0, rows, taken, costs, unassigned), 1e-9);
    }
}

TEST(Assignment, PrefersTheSumToTheNearestPair) {
    // The nearest pair (0, 0) would leave row 1 unassigned.
    EXPECT_EQ(assign(2, 2, {{0, 0, 1.0}, {0, 1, 2.0}, {1, 0, 1.5}}, 10), (std::vector<int>{1, 0}));
}

TEST(Assignment, LeavesRowsUnassigned) {
    EXPECT_EQ(assign(2, 1, {{0, 0, 3.0}, {1, 0, 2.0}}, 4), (std::vector<int>{-1, 0}));
    EXPECT_EQ(assign(1, 1, {{0, 0, 5.0}}, 4), (std::vector<int>{-1}));
    EXPECT_EQ(assign(1, 1, {{0, 0, 4.0}}, 4), (std::vector<int>{0})) << "it costs no more";
    EXPECT_TRUE(assign(0, 3, {}, 4).empty());
}

}  // namespace
}  // namespace throng
