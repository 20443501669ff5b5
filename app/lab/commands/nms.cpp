// throng nms IN.csv: suppresses boxes from a file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app/lab/measure/nms_measurement.h"
#include "app/lab/measure/result_list.h"
#include "app/options/backend.h"
#include "app/options/command.h"
#include "app/options/command_line.h"
#include "app/options/detection_options.h"
#include "app/options/progress.h"
#include "app/options/run_files.h"
#include "app/options/standard_output.h"
#include "core/algo/nms_rules.h"
#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/log.h"
#include "core/base/output_file.h"
#include "core/cpu/corner_nms.h"
#include "core/detect/detection_csv.h"

namespace throng {
namespace {

constexpr const char* kDefaultTheta = "0.3";  // NmsParams::theta, to be read as a double
constexpr std::size_t kMaxRank = 1U << 24U;   // ranks are exact as float32

struct NmsArguments {
    std::string input;
    std::string out = "-";
    int repeat = 0;
    bool compare_rules = false;
    bool keep_invalid = false;
    DetectionOptions detection{.kinds = {}};
};

class NmsRun {
public:
    NmsRun(NmsArguments arguments, const CommonOptions& common) : arguments_(std::move(arguments)), common_(common) {}

    int run() {
        const DetectionParams given = arguments_.detection.params();
        params_ = given.nms;
        if (arguments_.keep_invalid) check_keep_invalid(given.capacity);
        RunFiles files(common_);
        files.add_input("the input", arguments_.input);
        files.add_output("out", arguments_.out);
        read();
        if (arguments_.keep_invalid) {
            const DetectionSet kept = suppress_corners();
            report(kept);
            write(kept);
            return 0;
        }
        backend_ = make_backend(common_).backend;
        const bool by_rank = params_.ties == Ties::index && backend_->kind() == BackendKind::cuda;
        if (by_rank) order_by_rank();
        nms_ = backend_->make_nms();
        const std::int32_t capacity = given.capacity > 0 ? given.capacity : std::max(rows(), 1);
        raw_ = backend_->make_buffer(capacity, optional_fields_of(table_.detections));
        kept_ = backend_->make_buffer(capacity);
        backend_->upload(by_rank ? ranked_ : table_.detections, raw_);

        Progress progress(common_, "nms", std::nullopt);
        progress.update(0, fmt::format("suppression of {} boxes", rows()));
        const DetectionSet kept = suppress(params_);
        progress.finish();
        report(kept);
        write(kept);
        if (arguments_.compare_rules) compare_rules(progress);
        if (arguments_.repeat > 0) measure(progress);
        return 0;
    }

private:
    [[nodiscard]] std::int32_t rows() const { return static_cast<std::int32_t>(table_.rows.size()); }
    [[nodiscard]] std::string name() const { return arguments_.input == "-" ? "standard input" : arguments_.input; }

    void read() {
        if (arguments_.input == "-") {
            table_ = read_detections(std::cin, name());
        } else {
            std::ifstream stream = open_input(arguments_.input);
            table_ = read_detections(stream, name());
        }
        const auto fail_without = [this](const char* column, const char* pair) {
            throw Error(ErrorKind::input, {"has no column %1, which %2 requires", column, Setting{"pair", pair}},
                        name(), "the columns are x1,y1,x2,y2,score,density,f0,f1,...");
        };
        const bool any = !table_.rows.empty();
        const PairRule pair = params_.pair;
        if (any && pair == PairRule::adaptive && table_.detections.density.empty()) fail_without("density", "adaptive");
        if (any && pair == PairRule::feature && table_.detections.feature_size == 0) fail_without("f0", "feature");
    }

    // torchvision's mode: sets what the user did not choose, rejects what contradicts it.
    void check_keep_invalid(std::int32_t capacity) {
        const ChosenSettings& chosen = arguments_.detection.chosen;
        const Setting keep{"invalid", "keep"};
        const auto require = [&](bool holds, std::string_view setting, const char* needed) {
            if (!holds) throw Error(ErrorKind::usage, {"must be %1 with %2", needed, keep}, Setting{setting});
        };
        if (!chosen.contains("ties")) params_.ties = Ties::index;
        if (!chosen.contains("compare")) params_.compare = Compare::above;
        DetectionParams params;
        params.nms = params_;
        params.capacity = capacity;
        for (const auto& [setting, needed] : {std::pair{"ties", "index"},
                                              {"compare", "above"},
                                              {"rule", "greedy"},
                                              {"overlap", "iou"},
                                              {"pair", "overlap"},
                                              {"pixels", "continuous"},
                                              {"merge", "none"},
                                              {"capacity", "0"}}) {
            require(find_setting(setting)->read(params) == needed, setting, needed);
        }
        require(!arguments_.compare_rules, "compare_rules", "absent");
        require(arguments_.repeat == 0, "repeat", "0");
        if (common_.backend == BackendKind::cuda) {
            throw Error(ErrorKind::unavailable, "is not available on CUDA", keep,
                        {"use %1 or cpu", Setting{"backend", "auto"}});
        }
    }

    // Boxes as corners in float32, theta as double: see core/cpu/corner_nms.h.
    [[nodiscard]] DetectionSet suppress_corners() const {
        std::vector<float> corners;
        std::vector<float> scores;
        for (const DetectionTable::Row& row : table_.rows) {
            for (const double edge : row.corners) corners.push_back(static_cast<float>(edge));
            scores.push_back(static_cast<float>(row.score));
        }
        const double theta = parse_real(arguments_.detection.chosen.value_or("theta", kDefaultTheta)).value();
        CornerNms<float> nms;
        nms.run({corners.data(), scores.data(), nullptr, 1, static_cast<std::uint32_t>(scores.size())}, theta);
        DetectionSet kept;
        for (std::size_t k = 0; k < nms.kept().size(); ++k) {
            if (nms.hits()[k] < params_.min_hits) continue;
            kept.detections.push_back(table_.detections.detections[nms.kept()[k]]);
            kept.detections.back().hits = nms.hits()[k];
        }
        kept.total = static_cast<std::uint32_t>(kept.detections.size());
        return kept;
    }

    DetectionSet suppress(const NmsParams& params) {
        const auto recorder = backend_->make_recorder();
        nms_->enqueue(raw_, kept_, params, *recorder);
        DetectionSet kept;
        backend_->download(kept_, kept);
        if (ranked_.detections.empty()) return kept;
        for (Detection& detection : kept.detections) {
            detection.score = table_.detections.detections[static_cast<std::size_t>(detection.source)].score;
        }
        return kept;
    }

    // The order by index on CUDA: scores that descend in this order replace those of the file.
    void order_by_rank() {
        if (params_.merge == Merge::weighted) {
            throw Error(ErrorKind::unavailable, {"is not available on CUDA with %1", Setting{"ties", "index"}},
                        Setting{"merge", "weighted"}, {"use %1", Setting{"backend", "cpu"}});
        }
        params_.ties = Ties::total;
        ranked_ = table_.detections;
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < ranked_.detections.size(); ++i) {
            if (std::isfinite(ranked_.detections[i].score)) order.push_back(i);
        }
        std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
            return table_.detections.detections[a].score > table_.detections.detections[b].score;
        });
        if (order.size() > kMaxRank) {
            throw Error(ErrorKind::unavailable, "is not available on CUDA for more than 2^24 boxes",
                        Setting{"ties", "index"}, {"use %1", Setting{"backend", "cpu"}});
        }
        for (std::size_t rank = 0; rank < order.size(); ++rank) {
            ranked_.detections[order[rank]].score = static_cast<float>(order.size() - rank);
        }
    }

    void report(const DetectionSet& kept) const {
        if (!arguments_.keep_invalid && rows() > raw_.capacity()) {
            logger().warn("{}: {} boxes exceed --capacity {}: the last {} are ignored", name(), rows(), raw_.capacity(),
                          rows() - raw_.capacity());
        }
        if (kept.invalid > 0) {
            logger().warn("{}: invalid boxes dropped: {} ({})", name(), kept.invalid, reasons_of_invalid());
        }
        if (common_.quiet) return;
        fmt::print(stderr, "{}: {} boxes, {} kept, {} invalid\n", name(), rows(), kept.detections.size(), kept.invalid);
    }

    // Returns the number of invalid boxes per reason.
    [[nodiscard]] std::string reasons_of_invalid() const {
        std::size_t not_finite = 0;
        std::size_t without_extent = 0;
        std::size_t beyond_range = 0;
        const auto seen = static_cast<std::size_t>(std::min(rows(), raw_.capacity()));
        for (std::size_t i = 0; i < seen; ++i) {
            const Detection& detection = table_.detections.detections[i];
            if (is_valid_detection(detection.box, detection.score)) continue;
            const DetectionTable::Row& row = table_.rows[i];
            const auto& [x1, y1, x2, y2] = row.corners;
            if (!std::isfinite(x1) || !std::isfinite(y1) || !std::isfinite(x2) || !std::isfinite(y2) ||
                !std::isfinite(row.score)) {
                ++not_finite;
            } else if (x2 <= x1 || y2 <= y1) {
                ++without_extent;
            } else {
                ++beyond_range;
            }
        }
        std::vector<std::string> reasons;
        const auto add = [&](std::size_t count, const char* reason) {
            if (count > 0) reasons.push_back(fmt::format("{} {}", count, reason));
        };
        add(not_finite, "with a value that is not finite");
        add(without_extent, "with a side that is not above 0");
        add(beyond_range, "beyond the range of 32-bit floats");
        return fmt::format("{}", fmt::join(reasons, ", "));
    }

    void write(const DetectionSet& kept) const {
        std::ostringstream text;
        write_detections(text, kept, table_);
        write_file(arguments_.out, text.str());
    }

    // Greedy keeps every box that one-pass keeps, but not vice versa.
    void compare_rules(Progress& progress) {
        progress.update(0, "comparing the rules");
        NmsParams params = params_;
        params.min_hits = 1;
        params.merge = Merge::none;
        params.kernels = NmsKernels::fast;
        params.rule = NmsRule::one_pass;
        std::set<std::int32_t> one_pass;
        for (const Detection& detection : suppress(params).detections) one_pass.insert(detection.source);
        params.rule = NmsRule::greedy;
        std::vector<std::int32_t> greedy_alone;
        for (const Detection& detection : suppress(params).detections) {
            if (one_pass.count(detection.source) == 0) greedy_alone.push_back(detection.source);
        }
        progress.finish();
        fmt::print(stderr, "one-pass keeps {}, greedy {}; kept by greedy only: {}\n", one_pass.size(),
                   one_pass.size() + greedy_alone.size(),
                   greedy_alone.empty() ? "none" : fmt::format("{}", fmt::join(greedy_alone, " ")));
    }

    void measure(Progress& progress) {
        progress.update(0, fmt::format("measuring {} runs", arguments_.repeat));
        const NmsMeasurement times = measure_nms(*backend_, *nms_, raw_, kept_, params_, {.runs = arguments_.repeat});
        progress.finish();
        ResultList rows;
        const auto add = [&rows](const std::string& stage, const Samples& ms) {
            rows.row()
                .cell("stage", stage)
                .cell("median ms", ms.median())
                .cell("p99 ms", ms.p99())
                .cell("min ms", ms.min());
        };
        for (const auto& [stage, samples] : times.calls.stages) add(stage, samples);
        add("total", times.total());
        fmt::print(stderr, "{} runs on {}{}\n{}", arguments_.repeat, backend_->description(),
                   times.replays.empty() ? "" : ", total by graph replay", rows.table().text());
        if (times.pair_tests) fmt::print(stderr, "pair tests per run: {}\n", *times.pair_tests);
    }

    NmsArguments arguments_;
    const CommonOptions& common_;
    DetectionTable table_;
    NmsParams params_;     // as the backend gets them
    DetectionSet ranked_;  // empty: the backend gets the detections of the file
    std::shared_ptr<Backend> backend_;
    std::unique_ptr<Nms> nms_;
    DetectionBuffer raw_;
    DetectionBuffer kept_;
};

}  // namespace

void add_nms_command(CLI::App& program, CommandContext& context) {
    CLI::App& command = add_command(program, "nms", "Suppress boxes from a CSV file");
    const auto arguments = std::make_shared<NmsArguments>();
    add_value(command, "Options", "input", arguments->input, "IN.csv",
              "Boxes: x1,y1,x2,y2,score[,density[,f0,f1,...]]; - for standard input")
        .required();
    add_value(command, "Options", "--out", arguments->out, "KEPT.csv",
              "File for the kept boxes: index,x1,y1,x2,y2,score,hits")
        .show_default("standard output");
    add_value(command, "Options", "--repeat", arguments->repeat, "N", "Run N more times and print median times",
              whole_range(0, 1000000))
        .show_default("");
    add_flag(command, "Options", "--compare-rules", arguments->compare_rules,
             "Print the boxes that greedy keeps and one-pass does not");
    add_settings(command, arguments->detection, nms_settings());
    static constexpr std::pair<std::string_view, bool> kInvalidNames[] = {{"drop", false}, {"keep", true}};
    add_choice(command, "NMS", "--invalid", arguments->keep_invalid, kInvalidNames,
               "Boxes without extent or with a value that is not finite: drop and count them, or keep them without "
               "letting them suppress, as torchvision does (with --compare above and --ties index)");
    set_footer(
        command,
        "The first line of the file may name the columns. The index of a kept box is its data row, from 0; rows are "
        "in\n"
        "the order of the rule. Boxes that are not finite, have no extent or exceed the range of 32-bit floats are\n"
        "dropped and counted. --invalid keep gives the results of torchvision.ops.nms on 32-bit floats: greedy, IoU\n"
        "above the threshold, equal scores in the order of the file, scores of nan first. It runs on the CPU.");
    set_run(command, context, [arguments, &context] { return NmsRun(*arguments, context.common).run(); });
}

}  // namespace throng
