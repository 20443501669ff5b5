// throng bench nms: measures suppression as the program runs it and in the settings of libraries, over lists of sizes,
// orders, rules and thresholds, and compares it with baselines.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "app/lab/measure/bench_run.h"
#include "app/lab/measure/nms_baselines.h"
#include "app/lab/measure/nms_clusters.h"
#include "app/lab/measure/nms_measurement.h"
#include "app/options/backend.h"
#include "app/options/command.h"
#include "app/options/command_line.h"
#include "app/options/interrupt.h"
#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/log.h"
#include "core/cpu/cpu_backend.h"
#include "core/detect/detection_csv.h"
#include "core/detect/detector_kinds.h"
#include "core/detect/nms_names.h"

namespace throng {
namespace {

constexpr std::uint64_t kMaxBoxes = std::uint64_t{1} << 30;  // bytes of a file

struct NmsBenchArguments {
    std::string input;
    std::vector<std::int32_t> boxes = {200, 1027, 2895, 4096, 16384, 65536};
    std::vector<std::int32_t> clusters = {20};
    std::vector<std::string> orders = {"cascade", "cluster"};
    bool dense = false;
    std::uint64_t seed = 1;
    std::vector<std::string> settings = {"program", "library"};
    DetectorId detector = DetectorId::haar;
    std::vector<std::string> rules = {"one-pass", "greedy"};
    std::vector<std::string> overlaps = {"iou"};
    std::vector<float> thetas = {0.3F};
    std::vector<std::string> kernels = {"fast"};
    std::vector<std::int32_t> steps = {32};
    std::vector<std::int32_t> capacities = {0};
    int threads = 0;
    int cold = 20;
    BenchOptions bench;
};

struct NmsInput {
    std::string name;   // "clusters of 20", or the file name
    std::string order;  // "cascade", …, or "file"
    DetectionSet boxes;
};

struct NmsSetting {
    std::string name;  // "program", "library", "custom"
    const NmsInput* input;
    NmsParams params;
    std::int32_t capacity;   // of the buffers: D_max
    std::int32_t requested;  // capacity; 0: automatic
};

class NmsBench {
public:
    NmsBench(const NmsBenchArguments& arguments, const CommonOptions& common, bool custom)
        : arguments_(arguments),
          custom_(custom),
          backend_(make_backend(common).backend),
          cpu_(make_cpu_backend(arguments.threads)),
          bench_(common, arguments.bench, "bench nms") {
        if (backend_->kind() == BackendKind::cpu) backend_ = cpu_;
    }

    int run() {
        bench_.files().add_input("the input", arguments_.input);
        make_inputs();
        const std::vector<NmsSetting> settings = all_settings();
        if (settings.empty()) {
            throw Error(ErrorKind::usage, {"the paper's kernels require %1 and CUDA", Setting{"rule", "one-pass"}},
                        Setting{"kernels", "paper"},
                        {"add fast, or use %1 to see why CUDA is unavailable", Setting{"backend", "cuda"}});
        }
        bench_.start(settings.size());
        std::optional<Error> first_error;
        bench_.for_each(settings, [&](const NmsSetting& setting) {
            const std::size_t boxes = setting.input->boxes.detections.size();
            bench_.step(fmt::format("{}, {} boxes, {} order", setting.name, boxes, setting.input->order));
            try {
                measure(setting);
            } catch (const Error& error) {
                // An impossible point of the sweep: too many boxes for k or for the device memory.
                if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::unavailable) throw;
                warn(fmt::format("{} boxes, k {}: skipped: {}", boxes, setting.params.paper_k, error.what()));
                if (!first_error) first_error = error;
            }
        });
        if (results_.empty() && first_error) throw Error(*first_error);
        return bench_.finish(
            results_, {{"backend", backend_->name()}, {"device", backend_->description()}, {"seed", arguments_.seed}},
            backend_->description(), notes_);
    }

private:
    void warn(const std::string& text) {
        bench_.pause();
        logger().warn("{}", text);
    }

    void make_inputs() {
        if (!arguments_.input.empty()) {
            ReadOptions options;
            options.stop = InterruptGuard::token();
            options.what = "list of boxes";
            options.max_bytes = kMaxBoxes;
            std::istringstream stream(read_file(arguments_.input, options));
            inputs_.push_back({arguments_.input, "file", read_detections(stream, arguments_.input).detections});
            return;
        }
        for (const std::int32_t cluster : arguments_.clusters) {
            for (const std::int32_t boxes : arguments_.boxes) {
                for (const std::string& order : arguments_.orders) {
                    NmsInput input{fmt::format("{}clusters of {}", arguments_.dense ? "dense " : "", cluster), order,
                                   make_clusters({boxes, cluster, arguments_.seed, arguments_.dense})};
                    reorder(input.boxes, *choice_of(kBoxOrderNames, order), arguments_.seed);
                    inputs_.push_back(std::move(input));
                }
            }
        }
    }

    // Returns the program's setting and every combination of the sweep, per input.
    [[nodiscard]] std::vector<NmsSetting> all_settings() const {
        std::vector<NmsSetting> settings;
        for (const NmsInput& input : inputs_) {
            for (const std::string& name : arguments_.settings) {
                if (name == "program") {
                    settings.push_back({name, &input, detector_kind(arguments_.detector).nms,
                                        program_capacity(input.boxes.detections.size()), 0});
                } else {
                    add_sweep(input, settings);
                }
            }
        }
        return settings;
    }

    // Every combination of the sweep. k varies with the paper's kernels only.
    void add_sweep(const NmsInput& input, std::vector<NmsSetting>& settings) const {
        std::vector<NmsParams> all(1);
        const auto vary = [&all](const auto& values, const auto& set) {
            std::vector<NmsParams> varied;
            for (const NmsParams& params : all) {
                for (const auto& value : values) set(varied.emplace_back(params), value);
            }
            all = std::move(varied);
        };
        vary(arguments_.rules, [](NmsParams& p, const std::string& rule) { p.rule = *choice_of(kNmsRuleNames, rule); });
        vary(arguments_.overlaps,
             [](NmsParams& p, const std::string& overlap) { p.overlap = *choice_of(kOverlapNames, overlap); });
        vary(arguments_.thetas, [](NmsParams& p, float theta) { p.theta = theta; });
        vary(arguments_.kernels,
             [](NmsParams& p, const std::string& kernels) { p.kernels = *choice_of(kKernelNames, kernels); });
        vary(arguments_.steps, [](NmsParams& p, std::int32_t k) { p.paper_k = k; });
        std::erase_if(all, [this](const NmsParams& params) {
            if (params.kernels != NmsKernels::paper) return params.paper_k != arguments_.steps.front();
            return params.rule != NmsRule::one_pass || backend_->kind() == BackendKind::cpu;
        });
        const auto exact = std::max(static_cast<std::int32_t>(input.boxes.detections.size()), 1);
        for (const NmsParams& params : all) {
            for (const std::int32_t capacity : arguments_.capacities) {
                settings.push_back(
                    {custom_ ? "custom" : "library", &input, params, capacity > 0 ? capacity : exact, capacity});
            }
        }
    }

    void measure(const NmsSetting& setting) {
        const NmsParams& params = setting.params;
        const DetectionSet& boxes = setting.input->boxes;
        const auto count = static_cast<std::int64_t>(boxes.detections.size());
        check_params({{}, params, 0, setting.requested});  // throws for contradictory settings
        const NmsMeasurement times = measure_on(*backend_, setting, params, arguments_.cold);
        const std::int64_t overflow = std::max<std::int64_t>(count - setting.capacity, 0);
        if (overflow > 0)
            warn(fmt::format("{} boxes exceed the capacity of {} and are ignored", overflow, setting.capacity));

        const bool paper = params.kernels == NmsKernels::paper;
        const bool replayed = !times.replays.empty();
        const Samples& total = times.total();
        ResultRow& row = results_.row();
        row.add("boxes", "boxes", count).add("input", "input", setting.input->name);
        row.add("box order", "order", setting.input->order).add("setting", "setting", setting.name);
        row.add("rule", "rule", std::string(name_of(kNmsRuleNames, params.rule)));
        row.add("overlap", "overlap", std::string(name_of(kOverlapNames, params.overlap)));
        row.cell("theta", fmt::format("{}", params.theta)).field("theta", static_cast<double>(params.theta));
        row.add("kernels", "kernels", std::string(name_of(kKernelNames, params.kernels)));
        row.cell("k", value_if(paper, std::int64_t{params.paper_k})).field("k", std::int64_t{params.paper_k});
        row.add("capacity", "capacity", std::int64_t{setting.capacity}).field("overflow", overflow);
        row.add("kept", "kept", std::int64_t{times.kept.total});
        row.field("runs", static_cast<std::int64_t>(total.size())).field("graph_replay", replayed);
        row.add("median ms", "median_ms", total.median()).add("p99 ms", "p99_ms", total.p99());
        row.cell("eager ms", value_if(replayed, times.calls.total.median()));
        row.field("eager_ms", times.calls.total.median());
        row.add("cold ms", "cold_ms", value_if(!times.cold.empty(), times.cold.median()));
        for (const auto& [stage, samples] : times.calls.stages) {
            row.add(stage.starts_with("nms_") ? stage.substr(4) : stage, "stages_ms/" + stage + "/median",
                    samples.median());
            row.field("stages_ms/" + stage + "/p99", samples.p99());
        }
        row.add("pair tests", "pair_tests",
                value_if(times.pair_tests.has_value(), static_cast<std::int64_t>(times.pair_tests.value_or(0))));
        if (!arguments_.bench.no_baselines) measure_baselines(setting, total.median(), row);
    }

    void measure_baselines(const NmsSetting& setting, double ours_ms, ResultRow& row) {
        const auto add = [&](const std::string& name, double ms, std::int64_t kept) {
            const std::string key = "baselines/" + name;
            row.add(name + " ms", key + "/median_ms", ms).field(key + "/kept", kept);
            row.add("x " + name, key + "/times_ours", ms / ours_ms, 1);
        };
        const auto add_engine = [&](const std::string& name, Backend& backend, const NmsParams& params) {
            try {
                const NmsMeasurement times = measure_on(backend, setting, params, 0);
                add(name, times.total().median(), times.kept.total);
            } catch (const Error& error) {
                warn(fmt::format("{}: skipped: {}", name, error.what()));
            }
        };
        if (backend_->kind() != BackendKind::cpu) {
            add_engine("cpu", *cpu_, setting.params);
            NmsParams paper = setting.params;
            paper.rule = NmsRule::one_pass;
            paper.kernels = NmsKernels::paper;
            // The paper's design does not support the byte matrix of more boxes.
            const bool is_paper = setting.params.kernels == NmsKernels::paper;
            if (!is_paper && setting.capacity <= 16384) add_engine("paper", *backend_, paper);
        }
        for (const BaselineTime& baseline : time_baselines(setting.input->boxes, setting.params)) {
            add(baseline.name, baseline.times.median(), static_cast<std::int64_t>(baseline.kept.size()));
            if (baseline.name == "opencv") {
                add_note(
                    "opencv: cv::dnn::NMSBoxes always uses the IoU, orders equal scores by index and counts no "
                    "hits\n");
            }
        }
    }

    NmsMeasurement measure_on(Backend& backend, const NmsSetting& setting, const NmsParams& params, int cold) {
        return measure_nms(backend, setting.input->boxes, setting.capacity, params,
                           {.runs = arguments_.bench.repeat, .cold = cold});
    }

    void add_note(std::string_view note) {
        if (notes_.find(note) == std::string::npos) notes_ += note;
    }

    const NmsBenchArguments& arguments_;
    const bool custom_;  // the sweep is not that of the library rows
    std::shared_ptr<Backend> backend_;
    std::shared_ptr<Backend> cpu_;
    BenchRun bench_;
    std::vector<NmsInput> inputs_;
    ResultList results_;
    std::string notes_;
};

}  // namespace

void add_bench_nms_command(CLI::App& bench, CommandContext& context) {
    CLI::App& command =
        add_command(bench, "nms", "Suppression as the program runs it and as libraries do, compared with baselines");
    const auto arguments = std::make_shared<NmsBenchArguments>();
    NmsBenchArguments& a = *arguments;
    add_value(command, "Options", "--input", a.input, "IN.csv",
              "CSV file of boxes, as read by `throng nms`, instead of generated boxes");
    constexpr std::int32_t kMaxBoxes = 1 << 26;
    const auto numbers = [&command](const std::string& option, auto& values, const std::string& type,
                                    const std::string& text, const ValueCheck& range) {
        return add_list(command, "Options", option, values, type, text, range);
    };
    const auto choices = [&numbers](const std::string& option, std::vector<std::string>& values,
                                    const std::vector<std::string>& words, const std::string& text) {
        return numbers(option, values, fmt::format("{}", fmt::join(words, "|")), text, one_of(words));
    };
    numbers("--n", a.boxes, "N,...", "Numbers of boxes", whole_range(1, kMaxBoxes));
    numbers("--cluster", a.clusters, "N,...", "Boxes per cluster", whole_range(1, kMaxBoxes));
    choices("--order", a.orders, words_of(kBoxOrderNames),
            "Orders of the boxes: by level, row and column; face by face; random");
    add_flag(command, "Options", "--dense", a.dense, "Overlapping clusters");
    add_value(command, "Options", "--seed", a.seed, "S", "Seed of the generated boxes", whole_range(std::uint64_t{0}));
    // Any of these selects other settings than those of the library rows.
    const std::vector<AddedOption> sweep{
        choices("--rule", a.rules, words_of(kNmsRuleNames), "Rules"),
        choices("--overlap", a.overlaps, words_of(kOverlapNames), "Overlaps"),
        numbers("--theta", a.thetas, "T,...", "Thresholds", finite_range(0, 1)),
        choices("--kernels", a.kernels, words_of(kKernelNames),
                "CUDA: kernels; the paper's with the one-pass rule only"),
        numbers("--paper-k", a.steps, "K,...", "Steps of the paper's reduction", whole_range(1, 64)),
        numbers("--capacity", a.capacities, "N,...", "Capacities; 0: the number of boxes", whole_range(0, kMaxBoxes))};
    const AddedOption setting =
        numbers("--setting", a.settings, "program|library",
                "Settings: the program's defaults; those of libraries (IoU, capacity for the boxes alone)",
                one_of({"program", "library"}));
    add_choice(command, "Options", "--detector", a.detector, kDetectorNames,
               "Detector whose defaults the program's setting has");
    add_value(command, "Options", "--threads", a.threads, "N", "CPU threads; 0: one per core", whole_range(0, 1024))
        .show_default("");
    add_value(command, "Options", "--cold", a.cold, "N", "Calls after 30 ms without work, for the column \"cold ms\"",
              whole_range(0, 1000));
    a.bench.repeat = 0;
    add_bench_options(command, a.bench);
    set_footer(
        command,
        "Without --rule, --overlap, --theta, --kernels, --paper-k and --capacity, each input is measured as the "
        "program runs it\n"
        "(the detector's overlap and threshold, buffers of 16384 boxes or more) and as a library would. With one of\n"
        "them, only every combination of their values is measured, unless --setting names others. Lists are separated\n"
        "by commas: --n 1027,16384 --theta 0.3,0.5.\n"
        "Times are in milliseconds; \"x plain\" is the time of the baseline divided by the median. On CUDA, median "
        "and\n"
        "p99 are of a replayed graph with boxes and kept boxes in device memory, \"eager ms\" of calls with the "
        "download\n"
        "of the kept boxes; stages are timed separately and add up to more. Pair tests: number of pairs of boxes "
        "whose\n"
        "overlap one run computes.");
    set_action(command, [arguments, sweep, setting, &context] {
        const bool custom =
            std::any_of(sweep.begin(), sweep.end(), [](const AddedOption& each) { return each.given(); });
        if (custom && !setting.given()) arguments->settings = {"library"};
        context.run = [arguments, custom, &context] { return NmsBench(*arguments, context.common, custom).run(); };
    });
}

}  // namespace throng
