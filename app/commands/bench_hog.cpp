// throng bench hog: measures the people detector on an image, on every available backend, next to OpenCV's on the same
// windows, in one interleaved run.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/core/ocl.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>
#include <string>
#include <vector>

#include "app/commands/common_boxes.h"
#include "app/measure/hog_ablation.h"
#include "app/measure/image_bench.h"
#include "app/options/command.h"
#include "app/options/detector_options.h"
#include "app/options/progress.h"
#include "app/options/standard_output.h"
#include "app/options/table.h"
#include "core/algo/hog_levels.h"
#include "core/base/error.h"

namespace throng {
namespace {

struct HogBenchArguments {
    std::string image;
    std::string size = "640x480";
    DetectorOptions detector;
    bool one_setting = false;  // sizes or factor were given; otherwise the standard settings are measured
    bool ablation = false;
    ImageBenchOptions bench;
};

struct HogSetting {
    std::string name;
    DetectorParams params;
};

struct HogRow {
    std::string setting;
    std::string backend;
    RunSamples times;  // frame in, raw detections on the host
    std::int64_t windows = 0;
    std::int64_t raw = 0;
    std::int64_t common = 0;  // boxes that OpenCV finds, too
};

// OpenCV's detector on the same levels: detectMultiScale where it uses the same levels, otherwise detect() per level.
class Baseline {
public:
    Baseline(const cv::Mat& luma, const DetectorParams& params) : luma_(luma), params_(params) {
        hog_.setSVMDetector(cv::HOGDescriptor::getDefaultPeopleDetector());
        levels_ = hog_levels(luma.cols, luma.rows, params.scale_factor, params.min_size, params.max_size);
    }

    void run() {
        boxes_.clear();
        const double threshold = static_cast<double>(params_.score_threshold.value_or(kHogMargin));
        const cv::Size stride(kHogCell, kHogCell);
        if (has_opencv_levels()) {
            std::vector<double> margins;
            hog_.detectMultiScale(luma_, boxes_, margins, threshold, stride, {0, 0}, params_.scale_factor, 0.0);
            return;
        }
        cv::Mat resized;
        std::vector<cv::Point> positions;
        for (const HogLevel& level : levels_) {
            const cv::Size size(level.width, level.height);
            const bool same = size == luma_.size();
            if (!same) cv::resize(luma_, resized, size, 0, 0, cv::INTER_LINEAR_EXACT);
            hog_.detect(same ? luma_ : resized, positions, threshold, stride, {0, 0});
            for (const cv::Point& p : positions) {
                const Box box = hog_box(level.scale, level.box_width, level.box_height, p.x / kHogCell, p.y / kHogCell);
                boxes_.emplace_back(static_cast<int>(box.x), static_cast<int>(box.y), static_cast<int>(box.w),
                                    static_cast<int>(box.h));
            }
        }
    }

    [[nodiscard]] const std::vector<cv::Rect>& boxes() const { return boxes_; }
    [[nodiscard]] std::int64_t windows() const {
        std::int64_t count = 0;
        for (const HogLevel& level : levels_) count += std::int64_t{level.columns} * level.rows;
        return count;
    }

private:
    // Returns whether detectMultiScale uses the same levels. It stops after 64 levels, does not upscale, and reads out
    // of bounds of an image that is smaller than a window.
    [[nodiscard]] bool has_opencv_levels() const {
        if (luma_.cols < kHogWindowWidth || luma_.rows < kHogWindowHeight) return false;
        return params_.max_size == 0 && params_.min_size == kHogWindowHeight && levels_.size() < 64;
    }

    const cv::Mat& luma_;
    const DetectorParams& params_;
    cv::HOGDescriptor hog_;
    std::vector<HogLevel> levels_;
    std::vector<cv::Rect> boxes_;
};

// Returns the gray image that all detectors get.
cv::Mat gray_of(const Frame& frame) {
    const PlaneView& plane = frame.plane(0);
    const cv::Mat view(plane.height, frame.width(), frame.has_luma() ? CV_8UC1 : CV_8UC3,
                       const_cast<std::uint8_t*>(plane.data), static_cast<std::size_t>(plane.pitch));
    if (frame.has_luma()) return view.clone();
    cv::Mat gray;
    cv::cvtColor(view, gray, cv::COLOR_BGR2GRAY);
    return gray;
}

class HogBench {
public:
    HogBench(const HogBenchArguments& arguments, const CommonOptions& common)
        : arguments_(arguments), common_(common), backends_(backends_to_compare(common, arguments.detector)) {}

    int run() {
        check_bench_files(common_, arguments_.bench, arguments_.image, arguments_.detector);
        const std::vector<HogSetting> settings = chosen_settings();
        const std::size_t detectors = backends_.size() + (arguments_.bench.no_baselines ? 0 : 1);
        Progress progress(common_, "bench hog",
                          arguments_.ablation ? settings.size() : settings.size() * detectors * runs_of_each());
        progress.update(0, arguments_.image.empty() ? "drawing the crowd" : "reading the image");
        image_ = arguments_.image.empty() ? drawn_image(arguments_.size) : first_image(arguments_.image);
        cv::ocl::setUseOpenCL(false);
        if (arguments_.detector.threads > 0) cv::setNumThreads(arguments_.detector.threads);
        for (std::size_t i = 0; i < settings.size(); ++i) {
            if (arguments_.ablation) {
                progress.update(i, settings[i].name);
                const auto rows = measure_hog_ablation(image_.frame, settings[i].name, settings[i].params,
                                                       common_.device, arguments_.bench.repeat);
                ablation_.insert(ablation_.end(), rows.begin(), rows.end());
            } else {
                measure(settings[i], progress);
            }
        }
        progress.finish();
        const TextTable shown = arguments_.ablation ? hog_ablation_table(ablation_) : table();
        if (arguments_.bench.prints_table()) {
            for (const auto& backend : backends_)
                standard_output::print("{}: {}\n", backend->name(), backend->description());
            standard_output::print("{}, {}x{}, medians of {} runs, OpenCV {} with {} threads\n{}", image_.source,
                                   image_.frame.width(), image_.frame.height(), arguments_.bench.repeat, CV_VERSION,
                                   cv::getNumThreads(), shown.text());
        }
        write_results(arguments_.bench, shown, json());
        return 0;
    }

private:
    // The first runs of each detector are a warm-up and do not count.
    static constexpr int kWarmUp = 2;
    [[nodiscard]] std::size_t runs_of_each() const {
        return static_cast<std::size_t>(arguments_.bench.repeat + kWarmUp);
    }

    [[nodiscard]] std::vector<HogSetting> chosen_settings() const {
        const DetectorParams& own = arguments_.detector;
        if (arguments_.one_setting) {
            const std::string most =
                own.max_size > 0 ? fmt::format(" to {}", own.max_size) : std::string(" px and more");
            return {{fmt::format("{:g}, {}{}", own.scale_factor, own.min_size, most), own}};
        }
        HogSetting one{"one scale", own};
        one.params.min_size = one.params.max_size = kHogWindowHeight;
        HogSetting all{"all scales, 1.05", own};
        all.params.min_size = kHogWindowHeight;
        all.params.max_size = 0;
        all.params.scale_factor = 1.05;
        return {one, all};
    }

    void measure(const HogSetting& setting, Progress& progress) {
        const cv::Mat luma = gray_of(image_.frame);
        Baseline baseline(luma, setting.params);
        // Where no window fits, there is nothing to compare.
        const bool compares = !arguments_.bench.no_baselines && baseline.windows() > 0;
        struct Run {
            std::unique_ptr<Detector> detector;
            std::unique_ptr<StageRecorder> recorder;
            DetectionBuffer raw;
            DetectionSet found;
            HogRow row;
        };
        std::vector<Run> runs;
        for (const auto& backend : backends_) {
            runs.push_back({backend->make_detector(setting.params),
                            backend->make_recorder(),
                            backend->make_buffer(1 << 18),
                            {},
                            {}});
            runs.back().row.setting = setting.name;
            runs.back().row.backend = backend->name();
            runs.back().row.windows = baseline.windows();
        }
        HogRow opencv;
        opencv.setting = setting.name;
        opencv.backend = "OpenCV";
        opencv.windows = baseline.windows();
        const auto show_run = [&](const std::string& who, int run) {
            progress.update(steps_++, fmt::format("{}, {}, run {} of {}", setting.name, who, run + 1, runs_of_each()));
        };
        for (int i = 0; i < arguments_.bench.repeat + kWarmUp; ++i) {
            for (std::size_t b = 0; b < backends_.size(); ++b) {
                Run& r = runs[b];
                show_run(r.row.backend, i);
                const double ms = milliseconds_of([&] {
                    r.detector->enqueue(image_.frame, r.raw, *r.recorder);
                    backends_[b]->download(r.raw, r.found);
                });
                const StageTimes& times = r.recorder->end_frame();
                if (i >= kWarmUp) r.row.times.add(ms, times);
            }
            if (!compares) continue;
            show_run(opencv.backend, i);
            const double ms = milliseconds_of([&] { baseline.run(); });
            if (i >= kWarmUp) opencv.times.add(ms);
        }
        for (Run& r : runs) {
            r.row.raw = r.found.total;
            r.row.common = common_boxes(r.found, baseline.boxes());
            rows_.push_back(std::move(r.row));
        }
        if (!compares) return;
        opencv.raw = opencv.common = static_cast<std::int64_t>(baseline.boxes().size());
        rows_.push_back(std::move(opencv));
    }

    // Returns OpenCV's median for the setting of the row; 0: not measured.
    [[nodiscard]] double opencv_median(const HogRow& row) const {
        for (const HogRow& other : rows_) {
            if (other.setting == row.setting && other.backend == "OpenCV") return other.times.median();
        }
        return 0;
    }

    [[nodiscard]] TextTable table() const {
        TextTable table({"setting", "backend", "median ms", "min ms", "pyramid", "gradient", "histogram", "normalize",
                         "svm", "x OpenCV", "windows", "raw", "common"});
        for (const HogRow& row : rows_) {
            const auto stage = [&](std::string_view name) { return row.times.stage(name, 3); };
            const double median = row.times.median();
            const double opencv = opencv_median(row);
            table.add({row.setting, row.backend, fmt::format("{:.3f}", median),
                       fmt::format("{:.3f}", row.times.least()), stage(stage::kPyramid), stage(stage::kGradient),
                       stage(stage::kHistogram), stage(stage::kNormalize), stage(stage::kSvm),
                       opencv > 0 ? fmt::format("{:.2f}", opencv / median) : "-", fmt::format("{}", row.windows),
                       fmt::format("{}", row.raw), opencv > 0 ? fmt::format("{}", row.common) : "-"});
        }
        return table;
    }

    [[nodiscard]] nlohmann::json json() const {
        nlohmann::json all = {
            {"image", image_.source}, {"width", image_.frame.width()}, {"height", image_.frame.height()}};
        for (const auto& backend : backends_) all["devices"][backend->name()] = backend->description();
        if (arguments_.ablation) {
            all["ablation"] = hog_ablation_json(ablation_);
            return all;
        }
        all["rows"] = nlohmann::json::array();
        for (const HogRow& row : rows_) {
            nlohmann::json item = row.times.json();
            item.update(
                {{"setting", row.setting}, {"backend", row.backend}, {"windows", row.windows}, {"raw", row.raw}});
            if (const double opencv = opencv_median(row); opencv > 0) {
                item["common"] = row.common;
                item["ratio"] = opencv / row.times.median();
            }
            all["rows"].push_back(std::move(item));
        }
        return all;
    }

    const HogBenchArguments& arguments_;
    const CommonOptions& common_;
    std::vector<std::shared_ptr<Backend>> backends_;
    BenchImage image_;
    std::vector<HogRow> rows_;
    std::vector<HogAblationRow> ablation_;
    std::uint64_t steps_ = 0;  // runs started
};

}  // namespace

void add_bench_hog_command(CLI::App& bench, CommandContext& context) {
    CLI::App* command = bench.add_subcommand("hog", "HOG people detector on one image, compared with OpenCV's");
    const auto arguments = std::make_shared<HogBenchArguments>();
    HogBenchArguments& a = *arguments;
    command->add_option("--image", a.image, "Image or video (first frame) to use instead of the drawn crowd")
        ->type_name("FILE");
    command->add_option("--size", a.size, "Size of the drawn crowd")->type_name("WxH")->capture_default_str();
    add_detector_options(*command, a.detector, {"hog"});
    add_image_bench_options(*command, a.bench);
    command->add_flag("--ablation", a.ablation,
                      "Measure the optimizations of the CUDA backend, added one by one, instead of the comparison");
    command->add_flag("--ladder", a.ablation, "Deprecated name of --ablation")->group("");
    command->footer(
        "Without --min-size, --max-size or --scale-factor two settings are measured: windows of 128 pixels only, and\n"
        "the whole pyramid with a factor of 1.05. Times include the download of the raw detections to the host.");
    command->callback([&context, arguments, command] {
        for (const char* option : {"--min-size", "--max-size", "--scale-factor"}) {
            arguments->one_setting |= command->count(option) > 0;
        }
        context.run = [&context, arguments] {
            finalize_detector_options(arguments->detector);
            return HogBench(*arguments, context.common).run();
        };
    });
}

}  // namespace throng
