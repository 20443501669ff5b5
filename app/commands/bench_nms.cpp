// throng bench nms: measures suppression over lists of sizes, rules and thresholds, and compares it with baselines.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/measure/nms_baselines.h"
#include "app/measure/nms_clusters.h"
#include "app/measure/nms_measurement.h"
#include "app/options/backend.h"
#include "app/options/command.h"
#include "app/options/nms_options.h"
#include "app/options/progress.h"
#include "app/options/run_files.h"
#include "app/options/standard_output.h"
#include "app/options/table.h"
#include "app/options/values.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/output_file.h"
#include "core/base/rolling.h"
#include "core/cpu/cpu_backend.h"
#include "core/detect/detection_csv.h"
#include "core/detect/nms_names.h"

namespace throng {
namespace {

struct NmsBenchArguments {
    std::string input;
    std::vector<std::int32_t> boxes = {200, 1027, 2895, 16384, 65536};
    std::vector<std::int32_t> clusters = {20};
    bool dense = false;
    std::uint64_t seed = 1;
    std::vector<std::string> rules = {"one-pass", "greedy"};
    std::vector<std::string> overlaps = {"iou"};
    std::vector<float> thetas = {0.3F};
    std::vector<std::string> kernels = {"fast"};
    std::vector<std::int32_t> steps = {32};
    std::vector<std::int32_t> dmaxes = {0};
    int repeat = 0;
    bool no_baselines = false;
    std::string json;
    std::string csv;
};

struct NmsSetting {
    std::string input;  // "clusters of 20", or the file name
    const DetectionSet* boxes;
    NmsParams params;
    std::int32_t dmax;
};

struct NmsRow {
    NmsSetting setting;
    std::int32_t capacity;  // of the buffers: D_max
    std::int64_t overflow;  // boxes beyond the capacity, which no engine processes
    std::size_t kept;
    NmsMeasurement times;
    std::vector<BaselineTime> baselines;
};

std::vector<std::string> words_of(const auto& names) {
    std::vector<std::string> words;
    for (const auto& [name, choice] : names) words.emplace_back(name);
    return words;
}

// Returns the number of runs in about half a second: enough for percentiles, with a limit for slow settings.
int repeats_for(double ms) {
    return std::clamp(static_cast<int>(500 / std::max(ms, 1e-3)), 5, 2000);
}

std::string milliseconds(double ms) {
    return fmt::format("{:.4f}", ms);
}

class NmsBench {
public:
    NmsBench(const NmsBenchArguments& arguments, const CommonOptions& common)
        : arguments_(arguments), common_(common), backend_(make_backend(common).backend) {}

    int run() {
        RunFiles files(common_);
        files.add_input("the input", arguments_.input);
        files.add_output("--csv", arguments_.csv);
        files.add_output("--json", arguments_.json);
        make_inputs();
        const std::vector<NmsSetting> settings = all_settings();
        if (settings.empty()) {
            throw Error(ErrorKind::usage, "the paper's kernels require --rule one-pass and CUDA", "--kernels paper",
                        "add fast, or use --backend cuda to see why CUDA is unavailable");
        }
        Progress progress(common_, "bench nms", settings.size());
        std::uint64_t done = 0;
        std::optional<Error> first_error;
        for (const NmsSetting& setting : settings) {
            progress.update(done++, fmt::format("{} boxes, {}", setting.boxes->detections.size(), setting.input));
            try {
                rows_.push_back(measure(setting, progress));
            } catch (const Error& error) {
                // An impossible point of the sweep: too many boxes for k or for the device memory.
                if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::unavailable) throw;
                progress.finish();
                spdlog::warn("{} boxes, k {}: skipped: {}", setting.boxes->detections.size(), setting.params.paper_k,
                             error.what());
                if (!first_error) first_error = error;
            }
        }
        if (rows_.empty() && first_error) throw Error(*first_error);
        progress.finish();
        const bool data_on_stdout = arguments_.json == "-" || arguments_.csv == "-";
        if (!data_on_stdout) {
            standard_output::print("{}\n{}", backend_->description(), table().text());
            for (const std::string& stage : stages()) standard_output::print("{}", note_on(stage));
        }
        if (!arguments_.csv.empty()) write_file(arguments_.csv, table().csv());
        if (!arguments_.json.empty()) write_file(arguments_.json, json().dump(2) + "\n");
        return 0;
    }

private:
    void make_inputs() {
        if (!arguments_.input.empty()) {
            std::ifstream stream(arguments_.input, std::ios::binary);
            if (!stream) throw Error(ErrorKind::input, "cannot be opened", arguments_.input, "check the path");
            inputs_.emplace_back(arguments_.input, read_detections(stream, arguments_.input).detections);
            return;
        }
        for (const std::int32_t cluster : arguments_.clusters) {
            for (const std::int32_t boxes : arguments_.boxes) {
                const ClusterLayout layout{boxes, cluster, arguments_.seed, arguments_.dense};
                inputs_.emplace_back(fmt::format("{}clusters of {}", arguments_.dense ? "dense " : "", cluster),
                                     make_clusters(layout));
            }
        }
    }

    // Returns every combination. k and D_max vary with the paper's kernels only.
    [[nodiscard]] std::vector<NmsSetting> all_settings() const {
        std::vector<NmsSetting> settings;
        for (const auto& [name, boxes] : inputs_) {
            for_each_params([&, &name = name, &boxes = boxes](const NmsParams& params, std::int32_t dmax) {
                settings.push_back({name, &boxes, params, dmax});
            });
        }
        return settings;
    }

    template <class Visit>
    void for_each_params(Visit&& visit) const {
        NmsParams params;
        for (const std::string& rule : arguments_.rules) {
            params.rule = *choice_of(kNmsRuleNames, rule);
            for (const std::string& overlap : arguments_.overlaps) {
                params.overlap = *choice_of(kOverlapNames, overlap);
                for (const float theta : arguments_.thetas) {
                    params.theta = theta;
                    for (const std::string& kernels : arguments_.kernels) {
                        params.kernels = *choice_of(kKernelNames, kernels);
                        for_each_capacity(params, visit);
                    }
                }
            }
        }
    }

    template <class Visit>
    void for_each_capacity(NmsParams params, Visit&& visit) const {
        const bool paper = params.kernels == NmsKernels::paper;
        if (paper && (params.rule != NmsRule::one_pass || backend_->name() == "cpu")) {
            spdlog::debug("skipped: the paper's kernels require --rule one-pass and CUDA");
            return;
        }
        for (const std::int32_t k : arguments_.steps) {
            params.paper_k = k;
            for (const std::int32_t dmax : arguments_.dmaxes) visit(params, dmax);
            if (!paper) return;
        }
    }

    NmsRow measure(const NmsSetting& setting, Progress& progress) {
        NmsOptions options{setting.params, setting.dmax};
        finalize_nms_options(options);  // throws for contradictory settings
        const NmsMeasurement times = measure_on(*backend_, setting, setting.params);
        const std::int32_t capacity = capacity_of(setting);
        const auto overflow = static_cast<std::int64_t>(setting.boxes->detections.size()) - capacity;
        NmsRow row{setting, capacity, std::max<std::int64_t>(overflow, 0), kept_, times, {}};
        if (row.overflow > 0) {
            progress.finish();
            spdlog::warn("--dmax {}: {} boxes are ignored", capacity, row.overflow);
        }
        if (arguments_.no_baselines) return row;
        if (backend_->name() != "cpu") {
            add_engine(row, "cpu", cpu(), setting.params, progress);
            NmsParams paper = setting.params;
            paper.rule = NmsRule::one_pass;
            paper.kernels = NmsKernels::paper;
            // The paper's design does not support the byte matrix of more boxes.
            const bool is_paper = setting.params.kernels == NmsKernels::paper;
            if (!is_paper && setting.boxes->detections.size() <= 16384)
                add_engine(row, "paper", *backend_, paper, progress);
        }
        for (BaselineTime& baseline : time_baselines(*setting.boxes, setting.params))
            row.baselines.push_back(std::move(baseline));
        return row;
    }

    void add_engine(NmsRow& row, const std::string& name, Backend& backend, const NmsParams& params,
                    Progress& progress) {
        try {
            const NmsMeasurement times = measure_on(backend, row.setting, params);
            row.baselines.push_back({name, percentile(times.total, 0.5), static_cast<std::int64_t>(kept_)});
        } catch (const Error& error) {
            progress.finish();
            spdlog::warn("{}: skipped: {}", name, error.what());
        }
    }

    static std::int32_t capacity_of(const NmsSetting& setting) {
        return setting.dmax > 0 ? setting.dmax
                                : std::max(static_cast<std::int32_t>(setting.boxes->detections.size()), 1);
    }

    NmsMeasurement measure_on(Backend& backend, const NmsSetting& setting, const NmsParams& params) {
        const DetectionSet& boxes = *setting.boxes;
        const std::int32_t capacity = capacity_of(setting);
        OptionalFields optional_fields;
        optional_fields.density = !boxes.density.empty();
        optional_fields.feature_size = boxes.feature_size;
        DetectionBuffer raw = backend.make_buffer(capacity, optional_fields);
        DetectionBuffer kept = backend.make_buffer(capacity);
        backend.upload(boxes, raw);
        const auto nms = backend.make_nms();
        const int repeats = arguments_.repeat > 0
                                ? arguments_.repeat
                                : repeats_for(measure_nms(backend, *nms, raw, kept, params, 1).total.front());
        NmsMeasurement times = measure_nms(backend, *nms, raw, kept, params, repeats);
        DetectionSet result;
        backend.download(kept, result);
        kept_ = result.detections.size();
        return times;
    }

    Backend& cpu() {
        if (!cpu_) cpu_ = make_cpu_backend();
        return *cpu_;
    }

    [[nodiscard]] std::vector<std::string> baseline_names() const {
        std::vector<std::string> names;
        for (const NmsRow& row : rows_) {
            for (const BaselineTime& baseline : row.baselines) {
                if (std::find(names.begin(), names.end(), baseline.name) == names.end()) names.push_back(baseline.name);
            }
        }
        return names;
    }

    [[nodiscard]] std::vector<std::string> stages() const {
        std::vector<const NmsMeasurement*> all;
        for (const NmsRow& row : rows_) all.push_back(&row.times);
        return stages_of(all);
    }

    [[nodiscard]] TextTable table() const {
        std::vector<std::string> header = {"boxes", "input",    "rule", "overlap",   "theta", "kernels",
                                           "k",     "capacity", "kept", "median ms", "p99 ms"};
        for (const std::string& stage : stages()) {
            const bool short_name = stage.rfind("nms_", 0) == 0;
            header.push_back(short_name ? stage.substr(4) : stage);
        }
        header.push_back("pair tests");
        const std::vector<std::string> baselines = baseline_names();
        for (const std::string& baseline : baselines) {
            header.push_back(baseline + " ms");
            header.push_back("x " + baseline);
        }
        TextTable table(header);
        for (const NmsRow& row : rows_) table.add(cells(row, stages(), baselines));
        return table;
    }

    [[nodiscard]] static std::vector<std::string> cells(const NmsRow& row, const std::vector<std::string>& stages,
                                                        const std::vector<std::string>& baselines) {
        const NmsParams& params = row.setting.params;
        const double median = percentile(row.times.total, 0.5);
        const bool paper = params.kernels == NmsKernels::paper;
        std::vector<std::string> line = {fmt::format("{}", row.setting.boxes->detections.size()),
                                         row.setting.input,
                                         std::string(name_of(kNmsRuleNames, params.rule)),
                                         std::string(name_of(kOverlapNames, params.overlap)),
                                         fmt::format("{}", params.theta),
                                         std::string(name_of(kKernelNames, params.kernels)),
                                         paper ? fmt::format("{}", params.paper_k) : "-",
                                         fmt::format("{}", row.capacity),
                                         fmt::format("{}", row.kept),
                                         milliseconds(median),
                                         milliseconds(percentile(row.times.total, 0.99))};
        for (const std::string& stage : stages) {
            const auto found = row.times.stages.find(stage);
            line.push_back(found == row.times.stages.end() ? "-" : milliseconds(percentile(found->second, 0.5)));
        }
        line.push_back(row.times.pair_tests ? fmt::format("{}", *row.times.pair_tests) : "-");
        for (const std::string& name : baselines) {
            const auto baseline = std::find_if(row.baselines.begin(), row.baselines.end(),
                                               [&](const BaselineTime& time) { return time.name == name; });
            const bool known = baseline != row.baselines.end();
            line.push_back(known ? milliseconds(baseline->median_ms) : "-");
            line.push_back(known ? fmt::format("{:.1f}", baseline->median_ms / median) : "-");
        }
        return line;
    }

    [[nodiscard]] nlohmann::json json() const {
        nlohmann::json rows = nlohmann::json::array();
        for (const NmsRow& row : rows_) {
            const NmsParams& params = row.setting.params;
            nlohmann::json item = {{"boxes", row.setting.boxes->detections.size()},
                                   {"input", row.setting.input},
                                   {"rule", name_of(kNmsRuleNames, params.rule)},
                                   {"overlap", name_of(kOverlapNames, params.overlap)},
                                   {"theta", params.theta},
                                   {"kernels", name_of(kKernelNames, params.kernels)},
                                   {"k", params.paper_k},
                                   {"capacity", row.capacity},
                                   {"overflow", row.overflow},
                                   {"kept", row.kept},
                                   {"runs", row.times.total.size()},
                                   {"graph_replay", row.times.replayed},
                                   {"median_ms", percentile(row.times.total, 0.5)},
                                   {"p99_ms", percentile(row.times.total, 0.99)},
                                   {"stages_ms", nlohmann::json::object()},
                                   {"baselines", nlohmann::json::object()}};
            if (row.times.pair_tests) item["pair_tests"] = *row.times.pair_tests;
            for (const auto& [stage, samples] : row.times.stages) {
                item["stages_ms"][stage] = {{"median", percentile(samples, 0.5)}, {"p99", percentile(samples, 0.99)}};
            }
            for (const BaselineTime& baseline : row.baselines) {
                item["baselines"][baseline.name] = {
                    {"median_ms", baseline.median_ms},
                    {"kept", baseline.kept},
                    {"times_ours", baseline.median_ms / percentile(row.times.total, 0.5)}};
            }
            rows.push_back(std::move(item));
        }
        return {{"backend", backend_->name()},
                {"device", backend_->description()},
                {"seed", arguments_.seed},
                {"rows", rows}};
    }

    const NmsBenchArguments& arguments_;
    const CommonOptions& common_;
    std::shared_ptr<Backend> backend_;
    std::shared_ptr<Backend> cpu_;
    std::vector<std::pair<std::string, DetectionSet>> inputs_;
    std::vector<NmsRow> rows_;
    std::size_t kept_ = 0;  // boxes kept by the last measurement
};

}  // namespace

void add_bench_nms_command(CLI::App& bench, CommandContext& context) {
    CLI::App* command =
        bench.add_subcommand("nms", "Suppression over lists of sizes, rules and thresholds, compared with baselines");
    const auto arguments = std::make_shared<NmsBenchArguments>();
    NmsBenchArguments& a = *arguments;
    command->add_option("--input", a.input, "CSV file of boxes, as read by `throng nms`, instead of generated boxes")
        ->type_name("IN.csv");
    constexpr std::int32_t kMaxBoxes = 1 << 26;
    const auto numbers = [command](const std::string& option, auto& values, const std::string& type,
                                   const std::string& text, const CLI::Validator& range) {
        add_list(*command, option, values, text, range)->type_name(type);
    };
    const auto choices = [command](const std::string& option, std::vector<std::string>& values,
                                   const std::vector<std::string>& words, const std::string& text) {
        add_list(*command, option, values, text, CLI::IsMember(words))->type_name(CLI::detail::join(words, "|"));
    };
    numbers("--n", a.boxes, "N,...", "Numbers of boxes", whole_range(1, kMaxBoxes));
    numbers("--cluster", a.clusters, "N,...", "Boxes per cluster", whole_range(1, kMaxBoxes));
    command->add_flag("--dense", a.dense, "Overlapping clusters");
    command->add_option("--seed", a.seed, "Seed of the generated boxes")
        ->check(whole_range(std::uint64_t{0}))
        ->type_name("S")
        ->capture_default_str();
    choices("--rule", a.rules, words_of(kNmsRuleNames), "Rules");
    choices("--overlap", a.overlaps, words_of(kOverlapNames), "Overlaps");
    numbers("--theta", a.thetas, "T,...", "Thresholds", finite_range(0, 1));
    choices("--kernels", a.kernels, words_of(kKernelNames), "CUDA: kernels; the paper's with the one-pass rule only");
    numbers("--k", a.steps, "K,...", "Steps of the paper's reduction", whole_range(1, 64));
    numbers("--dmax", a.dmaxes, "N,...", "Capacities; 0: the number of boxes", whole_range(0, kMaxBoxes));
    command->add_option("--repeat", a.repeat, "Runs per setting; 0: as many as fit into about half a second")
        ->check(whole_range(0, 1000000))
        ->type_name("N");
    command->add_flag("--no-baselines", a.no_baselines, "Do not measure the baselines");
    command->add_flag("--no-peers", a.no_baselines, "Deprecated name of --no-baselines")->group("");
    command->add_option("--json", a.json, "Write the results as JSON; - for standard output")->type_name("FILE");
    command->add_option("--csv", a.csv, "Write the table as CSV; - for standard output")->type_name("FILE");
    command->footer(
        "Lists are separated by commas: --n 1027,16384 --theta 0.3,0.5. Times are in milliseconds; \"x plain\" is\n"
        "the time of the baseline divided by the median. On CUDA, median and p99 are of a replayed graph with boxes "
        "and\n"
        "kept boxes in device memory; stages are timed separately and add up to more. Pair tests: number of pairs of\n"
        "boxes whose overlap one run computes.");
    command->callback([arguments, &context] {
        context.run = [arguments, &context] { return NmsBench(*arguments, context.common).run(); };
    });
}

}  // namespace throng
