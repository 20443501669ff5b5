#include "tests/support/nms_oracle.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "core/detect/nms_names.h"
#include "tests/support/test_data.h"

namespace throng::test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& where, const std::string& what) {
    throw std::runtime_error(where + ": " + what);
}

Json read_json(const fs::path& file) {
    std::ifstream stream(file);
    if (!stream) fail(file.string(), "cannot be opened");
    return Json::parse(stream);
}

template <class Choice, std::size_t kSize>
Choice word(const std::pair<std::string_view, Choice> (&names)[kSize], const std::string& text,
            const std::string& where) {
    const auto choice = choice_of(names, text);
    if (!choice) fail(where, "unknown value " + text);
    return *choice;
}

// Reads a number, or the name of a non-finite number, which JSON cannot represent.
double number(const Json& value, const std::string& where) {
    if (value.is_number()) return value.get<double>();
    if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (value == "inf") return std::numeric_limits<double>::infinity();
    if (value == "-inf") return -std::numeric_limits<double>::infinity();
    fail(where, "is not a number: " + value.dump());
}

Box box_of_corners(double x1, double y1, double x2, double y2) {
    return {static_cast<float>(x1), static_cast<float>(y1), static_cast<float>(x2 - x1), static_cast<float>(y2 - y1)};
}

NmsInput inline_input(const Json& item, const std::string& where) {
    NmsInput input;
    for (const Json& corners : item.at("boxes")) {
        double v[4];
        for (std::size_t k = 0; k < 4; ++k) v[k] = number(corners.at(k), where);
        input.boxes.push_back(box_of_corners(v[0], v[1], v[2], v[3]));
    }
    for (const Json& score : item.at("scores")) input.scores.push_back(static_cast<float>(number(score, where)));
    if (item.contains("density")) {
        for (const Json& d : item.at("density")) input.density.push_back(static_cast<float>(number(d, where)));
    }
    if (item.contains("feature")) {
        for (const Json& feature : item.at("feature")) {
            input.feature_size = static_cast<std::int32_t>(feature.size());
            for (const Json& f : feature) input.features.push_back(static_cast<float>(number(f, where)));
        }
    }
    if (input.scores.size() != input.boxes.size()) fail(where, "boxes and scores differ in number");
    return input;
}

// A minimal reader, independent of the program's own, which other tests cover.
NmsInput csv_input(const fs::path& file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    if (line != "x1,y1,x2,y2,score") fail(file.string(), "unknown header " + line);
    NmsInput input;
    while (std::getline(stream, line)) {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream fields(line);
        double x1 = 0, y1 = 0, x2 = 0, y2 = 0, score = 0;
        if (!(fields >> x1 >> y1 >> x2 >> y2 >> score)) fail(file.string(), "cannot read " + line);
        input.boxes.push_back(box_of_corners(x1, y1, x2, y2));
        input.scores.push_back(static_cast<float>(score));
    }
    return input;
}

void require_keys(const Json& object, const std::set<std::string>& known, const std::string& where) {
    for (const auto& [key, value] : object.items()) {
        if (known.count(key) == 0) fail(where, "unknown key: " + key);
    }
}

NmsExpectation expect(const std::string& name, NmsRule rule, const Json& kept) {
    NmsExpectation expectation;
    expectation.name = name;
    expectation.params.rule = rule;
    expectation.kept = kept.get<std::vector<std::int32_t>>();
    return expectation;
}

// small.json: cases with their own boxes, one overlap and threshold, and both hard rules.
std::vector<NmsOracleCase> load_small(const fs::path& file) {
    std::vector<NmsOracleCase> cases;
    for (const Json& item : read_json(file)) {
        const std::string name = item.at("name");
        require_keys(
            item,
            {"name", "why", "boxes", "scores", "theta", "overlap", "one_pass", "greedy", "greedy_hits", "invalid"},
            name);
        NmsOracleCase one{inline_input(item, name), {}};
        one.expectations.push_back(expect(name + ": one-pass", NmsRule::one_pass, item.at("one_pass")));
        one.expectations.push_back(expect(name + ": greedy", NmsRule::greedy, item.at("greedy")));
        one.expectations.back().hits = item.at("greedy_hits").get<std::vector<std::int32_t>>();
        for (NmsExpectation& expectation : one.expectations) {
            expectation.params.theta = item.at("theta").get<float>();
            expectation.params.overlap = word(kOverlapNames, item.at("overlap"), name);
            if (item.contains("invalid")) expectation.invalid = item.at("invalid").get<std::uint32_t>();
        }
        cases.push_back(std::move(one));
    }
    return cases;
}

// adaptive-feature.json: boxes with density and embedding.
std::vector<NmsOracleCase> load_pairs(const fs::path& file) {
    std::vector<NmsOracleCase> cases;
    for (const Json& item : read_json(file)) {
        const std::string name = item.at("name");
        require_keys(item, {"name", "boxes", "scores", "density", "feature", "adaptive", "feature_rule"}, name);
        require_keys(item.at("adaptive"), {"theta", "one_pass", "greedy"}, name);
        require_keys(item.at("feature_rule"), {"n1", "n2", "t", "one_pass", "greedy"}, name);
        NmsOracleCase one{inline_input(item, name), {}};
        for (const auto& [key, rule] : {std::pair{"one_pass", NmsRule::one_pass}, {"greedy", NmsRule::greedy}}) {
            const Json& adaptive = item.at("adaptive");
            one.expectations.push_back(expect(name + ": adaptive " + key, rule, adaptive.at(key)));
            one.expectations.back().params.pair = PairRule::adaptive;
            one.expectations.back().params.theta = adaptive.at("theta").get<float>();

            const Json& feature = item.at("feature_rule");
            one.expectations.push_back(expect(name + ": feature " + key, rule, feature.at(key)));
            NmsParams& params = one.expectations.back().params;
            params.pair = PairRule::feature;
            params.feature_low = feature.at("n1").get<float>();
            params.feature_high = feature.at("n2").get<float>();
            params.feature_distance = feature.at("t").get<float>();
        }
        cases.push_back(std::move(one));
    }
    return cases;
}

// NAME.expected.json next to NAME.csv: keys are "RULE OVERLAP THETA", or "soft-linear THETA" and "soft-gaussian SIGMA".
NmsOracleCase load_large(const fs::path& file, const std::string& name) {
    NmsOracleCase one{csv_input(file.parent_path() / (name + ".csv")), {}};
    const Json expected = read_json(file);
    for (const auto& [key, value] : expected.items()) {
        const std::string where = name + ": " + key;
        std::istringstream words(key);
        std::string rule, overlap, rest;
        float threshold = 0;
        words >> rule;
        NmsExpectation expectation;
        expectation.name = where;
        expectation.params.rule = word(kNmsRuleNames, rule, where);
        if (!expectation.is_soft()) {
            words >> overlap;
            expectation.params.overlap = word(kOverlapNames, overlap, where);
        }
        if (!(words >> threshold) || (words >> rest)) fail(where, "unknown key");
        (expectation.params.rule == NmsRule::soft_gaussian ? expectation.params.sigma : expectation.params.theta) =
            threshold;
        if (expectation.is_soft()) {
            expectation.soft = value.get<std::vector<std::pair<std::int32_t, double>>>();
        } else {
            require_keys(value, {"kept", "hits"}, where);
            expectation.kept = value.at("kept").get<std::vector<std::int32_t>>();
            if (value.contains("hits")) expectation.hits = value.at("hits").get<std::vector<std::int32_t>>();
        }
        one.expectations.push_back(std::move(expectation));
    }
    return one;
}

// mmcv-nms.json: the expectations of mmcv's tests. "naive" is greedy in its function of soft rules.
std::vector<NmsOracleCase> load_mmcv(const fs::path& file) {
    std::vector<NmsOracleCase> cases;
    const Json all = read_json(file);
    for (const Json& item : all.at("cases")) {
        const std::string rule = item.at("rule") == "naive" ? "greedy" : item.at("rule").get<std::string>();
        const std::string name = "mmcv: " + item.at("rule").get<std::string>();
        require_keys(
            item,
            {"rule", "iou_threshold", "offset", "sigma", "min_score", "boxes", "scores", "indices", "kept_scores"},
            name);
        NmsOracleCase one{inline_input(item, name), {}};
        NmsExpectation expectation = expect(name, word(kNmsRuleNames, rule, name), item.at("indices"));
        expectation.params.theta = item.at("iou_threshold").get<float>();
        if (expectation.is_soft()) {
            expectation.params.sigma = item.at("sigma").get<float>();
            expectation.params.score_min = item.at("min_score").get<float>();
            const auto scores = item.at("kept_scores").get<std::vector<double>>();
            for (std::size_t k = 0; k < scores.size(); ++k) {
                expectation.soft.emplace_back(expectation.kept.at(k), scores[k]);
            }
        }
        std::sort(expectation.kept.begin(), expectation.kept.end());
        one.expectations.push_back(std::move(expectation));
        cases.push_back(std::move(one));
    }
    return cases;
}

void append(std::vector<NmsOracleCase>& cases, std::vector<NmsOracleCase> more) {
    cases.insert(cases.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void append_folder(std::vector<NmsOracleCase>& cases, const fs::path& folder) {
    const std::string suffix = ".expected.json";
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name == "small.json") {
            append(cases, load_small(entry.path()));
        } else if (name == "adaptive-feature.json") {
            append(cases, load_pairs(entry.path()));
        } else if (name.size() > suffix.size() &&
                   name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0) {
            cases.push_back(load_large(entry.path(), name.substr(0, name.size() - suffix.size())));
        } else if (entry.path().extension() != ".csv") {
            fail(entry.path().string(), "unknown file");
        }
    }
}

}  // namespace

std::vector<NmsOracleCase> load_nms_oracle() {
    std::vector<NmsOracleCase> cases;
    for (const fs::path& folder : oracle_dirs()) {
        append_folder(cases, folder / "nms");
        const fs::path mmcv = folder / "published/mmcv-nms.json";
        if (fs::exists(mmcv)) append(cases, load_mmcv(mmcv));
    }
    return cases;
}

std::string difference(const NmsExpectation& expected, const std::vector<Detection>& kept, std::uint32_t invalid) {
    std::ostringstream out;
    if (expected.invalid && *expected.invalid != invalid) {
        out << expected.name << ": " << invalid << " invalid, expected " << *expected.invalid;
        return out.str();
    }
    const std::size_t count = expected.is_soft() ? expected.soft.size() : expected.kept.size();
    if (kept.size() != count) {
        out << expected.name << ": kept " << kept.size() << ", expected " << count;
        return out.str();
    }
    std::vector<Detection> sorted = kept;
    if (!expected.is_soft()) {
        std::sort(sorted.begin(), sorted.end(),
                  [](const Detection& a, const Detection& b) { return a.source < b.source; });
    }
    for (std::size_t k = 0; k < count; ++k) {
        const std::int32_t index = expected.is_soft() ? expected.soft[k].first : expected.kept[k];
        const bool same_score =
            !expected.is_soft() || std::abs(static_cast<double>(sorted[k].score) - expected.soft[k].second) <= 1e-6;
        const bool same_hits = expected.hits.empty() || sorted[k].hits == expected.hits[k];
        if (sorted[k].source == index && same_score && same_hits) continue;
        out << expected.name << ": at " << k << " detection " << sorted[k].source << " score " << sorted[k].score
            << " hits " << sorted[k].hits << ", expected detection " << index;
        if (expected.is_soft()) out << " score " << expected.soft[k].second;
        if (!expected.hits.empty()) out << " hits " << expected.hits[k];
        return out.str();
    }
    return {};
}

}  // namespace throng::test
