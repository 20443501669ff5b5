// throng bench cascade: measures a cascade on an image next to OpenCV's on the same windows, in one interleaved run.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/core/ocl.hpp>
#include <opencv2/objdetect.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/commands/common_boxes.h"
#include "app/measure/cascade_ablation.h"
#include "app/measure/image_bench.h"
#include "app/measure/opencv_cuda_baseline.h"
#include "app/options/backend.h"
#include "app/options/command.h"
#include "app/options/detector_options.h"
#include "app/options/progress.h"
#include "app/options/standard_output.h"
#include "app/options/table.h"
#include "app/options/values.h"
#include "core/base/error.h"
#include "core/base/rolling.h"
#include "core/cpu/cascade_detector.h"
#include "core/model/model_finder.h"

namespace throng {
namespace {

struct CascadeBenchArguments {
    std::string image;
    std::string size = "1920x1080";
    int faces = 60;
    DetectorOptions detector;
    bool one_setting = false;  // detector options were given; otherwise the standard settings are measured
    bool ablation = false;
    ImageBenchOptions bench;
};

struct CascadeSetting {
    std::string name;
    DetectorParams params;
};

struct CascadeRow {
    CascadeSetting setting;
    std::string model;
    RunSamples ours;                      // frame in, raw detections out
    RunSamples opencv;                    // empty: not measured
    CudaBaselineTimes opencv_cuda;        // measured with the CUDA backend only
    std::optional<CascadeCounts> counts;  // of the CPU backend
    std::int64_t accepted = 0;
    std::int64_t common = 0;  // windows that OpenCV accepts too
    std::int64_t theirs = 0;
};

std::vector<CascadeSetting> standard_settings(const DetectorParams& base) {
    const auto make = [&](const char* name, const char* kind, const char* model, double factor, int least, int most) {
        DetectorParams params = base;
        params.kind = kind;
        params.model = model;
        params.scale_factor = factor;
        params.min_size = least;
        params.max_size = most;
        return CascadeSetting{name, params};
    };
    return {make("alt2, 1.25, 50 to 200 px", "haar", "haarcascade_frontalface_alt2", 1.25, 50, 200),
            make("alt2, 1.1, from 24 px", "haar", "haarcascade_frontalface_alt2", 1.1, 24, 0),
            make("lbp, 1.1, from 24 px", "lbp", "lbpcascade_frontalface", 1.1, 24, 0)};
}

// Returns a view of the frame, which must outlive it.
cv::Mat luma_of(const Frame& frame) {
    const PlaneView& plane = frame.plane(0);
    return cv::Mat(plane.height, frame.width(), frame.has_luma() ? CV_8UC1 : CV_8UC3,
                   const_cast<std::uint8_t*>(plane.data), static_cast<std::size_t>(plane.pitch));
}

class CascadeBench {
public:
    CascadeBench(const CascadeBenchArguments& arguments, const CommonOptions& common)
        : arguments_(arguments), common_(common), backend_(make_backend(common, &arguments.detector).backend) {}

    int run() {
        check_bench_files(common_, arguments_.bench, arguments_.image, arguments_.detector);
        check_params(arguments_.detector);
        std::vector<CascadeSetting> settings = standard_settings(arguments_.detector);
        if (arguments_.one_setting) settings = {own_setting()};
        const std::size_t steps = arguments_.ablation ? static_cast<std::size_t>(ablation_steps())
                                                      : runs_of_each() * (arguments_.bench.no_baselines ? 1 : 2);
        Progress progress(common_, "bench cascade", settings.size() * steps);
        progress.update(0, arguments_.image.empty() ? "drawing the crowd" : "reading the image");
        image_ =
            arguments_.image.empty() ? drawn_image(arguments_.size, arguments_.faces) : first_image(arguments_.image);
        cv::ocl::setUseOpenCL(false);
        if (arguments_.detector.threads > 0) cv::setNumThreads(arguments_.detector.threads);
        if (arguments_.ablation) return run_ablation(settings, progress);
        for (const CascadeSetting& setting : settings) rows_.push_back(measure(setting, progress));
        progress.finish();
        const TextTable shown = table();
        if (arguments_.bench.prints_table()) {
            standard_output::print("{}, OpenCV {} with {} threads\n{}", heading(), CV_VERSION, cv::getNumThreads(),
                                   shown.text());
            const std::string& reason = rows_.front().opencv_cuda.unavailable_reason;
            if (!reason.empty()) standard_output::print("OpenCV's CUDA cascade is not measured: {}\n", reason);
        }
        write_results(arguments_.bench, shown, json("rows", rows_json()));
        return 0;
    }

private:
    [[nodiscard]] std::size_t runs_of_each() const {
        return static_cast<std::size_t>(arguments_.bench.repeat) + 1;  // the first run is a warm-up and does not count
    }

    int run_ablation(const std::vector<CascadeSetting>& settings, Progress& progress) {
        if (backend_->name() != "cuda") {
            throw Error(ErrorKind::unavailable, "requires the CUDA backend, which is not in use", "--ablation",
                        "use --backend cuda to see why");
        }
        std::vector<AblationRow> rows;
        std::uint64_t steps = 0;
        for (const CascadeSetting& setting : settings) {
            const auto more =
                measure_ablation(image_.frame, setting.name, setting.params, common_.device, arguments_.bench.repeat,
                                 [&] { progress.update(++steps, setting.name); });
            rows.insert(rows.end(), more.begin(), more.end());
        }
        progress.finish();
        const TextTable table = ablation_table(rows);
        if (arguments_.bench.prints_table()) standard_output::print("{}\n{}", heading(), table.text());
        write_results(arguments_.bench, table, json("ablation", ablation_json(rows)));
        return 0;
    }

    [[nodiscard]] CascadeSetting own_setting() const {
        const DetectorParams& p = arguments_.detector;
        const std::string most =
            p.max_size > 0 ? fmt::format("{} to {} px", p.min_size, p.max_size) : fmt::format("from {} px", p.min_size);
        return {fmt::format("{}, {:g}, {}", p.model.empty() ? p.kind : p.model, p.scale_factor, most), p};
    }

    CascadeRow measure(const CascadeSetting& setting, Progress& progress) {
        CascadeRow row;
        row.setting = setting;
        const auto file = find_model(setting.params.model, setting.params.kind);
        row.model = file.string();
        const auto detector = backend_->make_detector(setting.params);
        const auto recorder = backend_->make_recorder();
        DetectionBuffer raw = backend_->make_buffer(1 << 20);
        DetectionSet found;
        cv::CascadeClassifier classifier;
        if (!arguments_.bench.no_baselines && !classifier.load(row.model)) {
            throw Error(ErrorKind::input, "OpenCV cannot read the cascade", row.model,
                        "use --no-baselines to leave OpenCV out");
        }
        const cv::Mat luma = luma_of(image_.frame);
        std::vector<cv::Rect> theirs;
        const cv::Size least(setting.params.min_size, setting.params.min_size);
        const cv::Size most(setting.params.max_size, setting.params.max_size);

        const auto show_run = [&](std::string_view who, int run) {
            progress.update(steps_++, fmt::format("{}, {}, run {} of {}", setting.name, who, run + 2, runs_of_each()));
        };
        // The first run of each detector is a warm-up and does not count.
        for (int i = -1; i < arguments_.bench.repeat; ++i) {
            show_run(backend_->name(), i);
            const double ours = milliseconds_of([&] {
                detector->enqueue(image_.frame, raw, *recorder);
                backend_->download(raw, found);
            });
            const StageTimes& times = recorder->end_frame();
            if (i >= 0) row.ours.add(ours, times);
            if (!arguments_.bench.no_baselines) {
                show_run("OpenCV", i);
                const double opencv = milliseconds_of(
                    [&] { classifier.detectMultiScale(luma, theirs, setting.params.scale_factor, 0, 0, least, most); });
                if (i >= 0) row.opencv.add(opencv);
            }
        }
        if (!arguments_.bench.no_baselines && backend_->name() == "cuda") {
            row.opencv_cuda = measure_opencv_cuda(row.model, luma, setting.params, arguments_.bench.repeat);
        }
        if (const auto* cpu = dynamic_cast<const CascadeDetector*>(detector.get())) row.counts = cpu->counts();
        row.accepted = found.total;
        row.theirs = static_cast<std::int64_t>(theirs.size());
        row.common = common_boxes(found, theirs);
        return row;
    }

    [[nodiscard]] TextTable table() const {
        TextTable table({"setting", "median ms", "pyramid", "integral", "cascade", "OpenCV ms", "x OpenCV",
                         "OpenCV CUDA ms", "windows", "evaluated", "accepted", "OpenCV's", "common"});
        for (const CascadeRow& row : rows_) {
            const double median = row.ours.median();
            const bool baseline = !row.opencv.empty();
            table.add({row.setting.name, fmt::format("{:.2f}", median), row.ours.stage(stage::kPyramid, 2),
                       row.ours.stage(stage::kIntegral, 2), row.ours.stage(stage::kCascade, 2),
                       baseline ? fmt::format("{:.2f}", row.opencv.median()) : "-",
                       baseline ? fmt::format("{:.2f}", row.opencv.median() / median) : "-",
                       row.opencv_cuda.ms.empty() ? "-" : fmt::format("{:.2f}", percentile(row.opencv_cuda.ms, 0.5)),
                       row.counts ? fmt::format("{}", row.counts->candidates) : "-",
                       row.counts ? fmt::format("{}", row.counts->visited) : "-", fmt::format("{}", row.accepted),
                       baseline ? fmt::format("{}", row.theirs) : "-", baseline ? fmt::format("{}", row.common) : "-"});
        }
        return table;
    }

    [[nodiscard]] std::string heading() const {
        return fmt::format("{}\n{}, {}x{}, medians of {} runs", backend_->description(), image_.source,
                           image_.frame.width(), image_.frame.height(), arguments_.bench.repeat);
    }

    [[nodiscard]] nlohmann::json json(const char* what, nlohmann::json rows) const {
        return {{"backend", backend_->name()},   {"device", backend_->description()}, {"image", image_.source},
                {"width", image_.frame.width()}, {"height", image_.frame.height()},   {what, std::move(rows)}};
    }

    [[nodiscard]] nlohmann::json rows_json() const {
        nlohmann::json rows = nlohmann::json::array();
        for (const CascadeRow& row : rows_) {
            const DetectorParams& p = row.setting.params;
            nlohmann::json item = row.ours.json();
            item.update({{"setting", row.setting.name},
                         {"detector", p.kind},
                         {"model", row.model},
                         {"scale_factor", p.scale_factor},
                         {"min_size", p.min_size},
                         {"max_size", p.max_size},
                         {"accepted", row.accepted}});
            if (row.counts) {
                item["windows"] = row.counts->candidates;
                item["looked_at"] = row.counts->visited;
            }
            if (!row.opencv.empty()) {
                item["opencv"] = {{"median_ms", row.opencv.median()},
                                  {"ratio", row.opencv.median() / row.ours.median()},
                                  {"accepted", row.theirs},
                                  {"common", row.common}};
            }
            if (!row.opencv_cuda.ms.empty()) {
                item["opencv_cuda"] = {{"median_ms", percentile(row.opencv_cuda.ms, 0.5)},
                                       {"accepted", row.opencv_cuda.accepted}};
            } else if (!row.opencv_cuda.unavailable_reason.empty()) {
                item["opencv_cuda"] = {{"error", row.opencv_cuda.unavailable_reason}};
            }
            rows.push_back(std::move(item));
        }
        return rows;
    }

    const CascadeBenchArguments& arguments_;
    const CommonOptions& common_;
    std::shared_ptr<Backend> backend_;
    BenchImage image_;
    std::vector<CascadeRow> rows_;
    std::uint64_t steps_ = 0;  // runs started
};

}  // namespace

void add_bench_cascade_command(CLI::App& bench, CommandContext& context) {
    CLI::App* command = bench.add_subcommand("cascade", "Haar and LBP cascades on one image, compared with OpenCV's");
    const auto arguments = std::make_shared<CascadeBenchArguments>();
    CascadeBenchArguments& a = *arguments;
    command->add_option("--image", a.image, "Image or video (first frame) to use instead of the drawn crowd")
        ->type_name("FILE");
    command->add_option("--size", a.size, "Size of the drawn crowd")->type_name("WxH")->capture_default_str();
    command->add_option("--faces", a.faces, "Faces in the drawn crowd")
        ->check(whole_range(0, 5000))
        ->capture_default_str();
    add_detector_options(*command, a.detector, {"haar", "lbp"});
    add_image_bench_options(*command, a.bench);
    command->add_flag("--ablation", a.ablation,
                      "Measure the optimizations of the CUDA backend, added one by one, instead of the comparison");
    command->add_flag("--ladder", a.ablation, "Deprecated name of --ablation")->group("");
    command->footer(
        "Without --detector, --model, --min-size, --max-size or --scale-factor three standard settings are measured:\n"
        "alt2 with 1.25 and faces of 50 to 200 pixels, alt2 and LBP with 1.1 and faces from 24 pixels.");
    command->callback([&context, arguments, command] {
        for (const char* option : {"--detector", "--model", "--min-size", "--max-size", "--scale-factor"}) {
            arguments->one_setting |= command->count(option) > 0;
        }
        context.run = [&context, arguments] { return CascadeBench(*arguments, context.common).run(); };
    });
}

}  // namespace throng
