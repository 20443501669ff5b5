// Compares the CPU engine with the definition, on random input of every kind.
#include <gtest/gtest.h>

#include <cstring>
#include <iomanip>
#include <sstream>

#include "core/cpu/nms.h"
#include "core/detect/nms_names.h"
#include "tests/support/nms_cases.h"
#include "tests/support/nms_run.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

std::string describe(const NmsParams& params) {
    std::ostringstream out;
    out << name_of(kNmsRuleNames, params.rule) << ' ' << name_of(kOverlapNames, params.overlap) << ' '
        << name_of(kPairRuleNames, params.pair) << ' ' << name_of(kPixelNames, params.pixels) << ' '
        << name_of(kTiesNames, params.ties) << ' ' << name_of(kMergeNames, params.merge) << " theta " << params.theta
        << " min-hits " << params.min_hits << " sigma " << params.sigma << " score-min " << params.score_min << " N1 "
        << params.feature_low << " N2 " << params.feature_high;
    return out.str();
}

// Describes the first difference; empty if equal.
std::string compare(const NmsOutput& a, const NmsOutput& b) {
    std::ostringstream out;
    out << std::setprecision(9) << a.kept.size() << " kept, expected " << b.kept.size() << "; invalid " << a.invalid
        << ", expected " << b.invalid;
    for (std::size_t k = 0; k < std::min(a.kept.size(), b.kept.size()); ++k) {
        out << '\n'
            << a.kept[k].source << ' ' << a.kept[k].score << ' ' << a.kept[k].hits << " expected " << b.kept[k].source
            << ' ' << b.kept[k].score << ' ' << b.kept[k].hits;
    }
    for (std::size_t k = a.kept.size(); k < b.kept.size(); ++k)
        out << "\nexpected " << b.kept[k].source << ' ' << b.kept[k].score;
    return out.str();
}

// Compares bit for bit.
bool same(const NmsOutput& a, const NmsOutput& b, bool compare_source = true) {
    if (a.invalid != b.invalid || a.kept.size() != b.kept.size()) return false;
    for (std::size_t k = 0; k < a.kept.size(); ++k) {
        const Detection& p = a.kept[k];
        const Detection& q = b.kept[k];
        if (std::memcmp(&p.box, &q.box, sizeof p.box) != 0 || p.score != q.score || p.hits != q.hits) return false;
        if (compare_source && p.source != q.source) return false;
    }
    return true;
}

TEST(NmsRandom, SmallCases) {
    Random random(seed(20240601));
    const auto nms = make_cpu_nms(1);
    for (std::size_t trial = 0; trial < case_count(100000); ++trial) {
        const NmsInput input = random_nms_input(random, random() % 40);
        const NmsParams params = random_nms_params(random);
        const NmsOutput out = run_host_nms(*nms, input, params);
        const NmsOutput expected = reference_nms(input, params);
        ASSERT_TRUE(same(out, expected)) << "trial " << trial << ": " << describe(params) << '\n'
                                         << compare(out, expected);
    }
}

// Enough boxes that the engine uses its grid.
TEST(NmsRandom, MediumCases) {
    Random random(seed(3));
    const auto nms = make_cpu_nms(1);
    for (std::size_t trial = 0; trial < case_count(1000); ++trial) {
        const NmsInput input = random_nms_input(random, 300 + random() % 100);
        const NmsParams params = random_nms_params(random);
        const NmsOutput out = run_host_nms(*nms, input, params);
        const NmsOutput expected = reference_nms(input, params);
        ASSERT_TRUE(same(out, expected)) << "trial " << trial << ": " << describe(params) << '\n'
                                         << compare(out, expected);
    }
}

TEST(NmsRandom, LargeCasesWithThreads) {
    Random random(seed(7));
    const auto nms = make_cpu_nms(3);
    for (std::size_t trial = 0; trial < case_count(30); ++trial) {
        const std::size_t n = 2000 + random() % 3000;
        const NmsInput input = trial % 2 == 0 ? random_nms_input(random, n) : clusters_input(random, n, 20);
        NmsParams params = random_nms_params(random);
        if (input.density.empty()) params.pair = PairRule::overlap;
        const NmsOutput out = run_host_nms(*nms, input, params);
        const NmsOutput expected = reference_nms(input, params);
        ASSERT_TRUE(same(out, expected)) << "trial " << trial << ": " << describe(params) << '\n'
                                         << compare(out, expected);
    }
}

TEST(NmsRandom, ResultsDoNotDependOnTheInputOrder) {
    Random random(seed(99));
    const auto nms = make_cpu_nms(1);
    for (std::size_t trial = 0; trial < case_count(5000); ++trial) {
        const NmsInput input = random_nms_input(random, random() % 60);
        NmsParams params = random_nms_params(random);
        // Copies that differ in density or embedding are distinguished by their index alone.
        params.pair = PairRule::overlap;
        const NmsOutput one = run_host_nms(*nms, input, params);
        const NmsOutput other = run_host_nms(*nms, shuffled(input, random), params);
        ASSERT_TRUE(same(one, other, false)) << "trial " << trial << ": " << describe(params);
    }
}

}  // namespace
}  // namespace throng::test
