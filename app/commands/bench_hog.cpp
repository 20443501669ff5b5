// throng bench hog: how long the people detector takes on a picture, on every backend there is, beside OpenCV's on the
// same windows, in one interleaved run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/core/ocl.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "app/commands/command.h"
#include "app/commands/common_boxes.h"
#include "app/commands/hog_ladder.h"
#include "app/options/backend.h"
#include "app/options/detector_options.h"
#include "app/options/progress.h"
#include "app/options/table.h"
#include "app/options/text_file.h"
#include "core/algo/hog_levels.h"
#include "core/base/error.h"
#include "core/base/rolling.h"
#include "core/synth/crowd.h"
#include "core/video/source.h"

namespace throng {
namespace {

struct BenchArguments {
    std::string image;
    std::string size = "640x480";
    DetectorOptions detector;
    bool one_setting = false;  // sizes or factor were named; else the standard ones
    int repeat = 15;
    bool no_peers = false;
    bool ladder = false;
    std::string json;
    std::string csv;
};

struct Setting {
    std::string name;
    DetectorParams params;
};

struct Row {
    std::string setting;
    std::string backend;
    std::vector<double> ms;                             // ascending: frame in, raw detections on the host
    std::map<std::string, std::vector<double>> stages;  // ascending
    std::int64_t windows = 0;
    std::int64_t raw = 0;
    std::int64_t common = 0;  // with OpenCV's
};

// OpenCV's own detector on the same levels: the whole of detectMultiScale where that has the same, else level by level.
class Peer {
public:
    Peer(const cv::Mat& luma, const DetectorParams& params) : luma_(luma), params_(params) {
        hog_.setSVMDetector(cv::HOGDescriptor::getDefaultPeopleDetector());
        levels_ = hog_levels(luma.cols, luma.rows, params.scale_factor, params.min_size, params.max_size);
    }

    void run() {
        boxes_.clear();
        const double threshold = static_cast<double>(params_.score_threshold.value_or(kHogMargin));
        const cv::Size stride(kHogCell, kHogCell);
        if (whole_pyramid()) {
            std::vector<double> margins;
            hog_.detectMultiScale(luma_, boxes_, margins, threshold, stride, {0, 0}, params_.scale_factor, 0.0);
            return;
        }
        cv::Mat resized;
        std::vector<cv::Point> places;
        for (const HogLevel& level : levels_) {
            const cv::Size size(level.width, level.height);
            const bool same = size == luma_.size();
            if (!same) cv::resize(luma_, resized, size, 0, 0, cv::INTER_LINEAR_EXACT);
            hog_.detect(same ? luma_ : resized, places, threshold, stride, {0, 0});
            for (const cv::Point& p : places) {
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
    // OpenCV stops after 64 levels.
    [[nodiscard]] bool whole_pyramid() const {
        return params_.max_size == 0 && params_.min_size == kHogWindowHeight && levels_.size() < 64;
    }

    const cv::Mat& luma_;
    const DetectorParams& params_;
    cv::HOGDescriptor hog_;
    std::vector<HogLevel> levels_;
    std::vector<cv::Rect> boxes_;
};

double milliseconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// The grey picture that every detector is given.
cv::Mat grey_of(const Frame& frame) {
    const PlaneView& plane = frame.plane(0);
    const cv::Mat view(plane.height, frame.width(), frame.has_luma() ? CV_8UC1 : CV_8UC3,
                       const_cast<std::uint8_t*>(plane.data), static_cast<std::size_t>(plane.pitch));
    if (frame.has_luma()) return view.clone();
    cv::Mat grey;
    cv::cvtColor(view, grey, cv::COLOR_BGR2GRAY);
    return grey;
}

class HogBench {
public:
    HogBench(const BenchArguments& arguments, const CommonOptions& common) : arguments_(arguments), common_(common) {
        const BackendChoice choice = make_backend(common, &arguments.detector);
        backends_.push_back(choice.backend);
        if (common.backend != "auto" || choice.backend->name() == "cpu") return;
        CommonOptions cpu = common;
        cpu.backend = "cpu";
        backends_.push_back(make_backend(cpu, &arguments.detector).backend);
    }

    int run() {
        frame_ = read_frame();
        cv::ocl::setUseOpenCL(false);
        if (arguments_.detector.threads > 0) cv::setNumThreads(arguments_.detector.threads);
        const std::vector<Setting> settings = chosen_settings();
        Progress progress(common_, "bench hog", settings.size());
        for (std::size_t i = 0; i < settings.size(); ++i) {
            if (arguments_.ladder) {
                const auto rows =
                    measure_hog_ladder(frame_, settings[i].name, settings[i].params, common_.device, arguments_.repeat);
                ladder_.insert(ladder_.end(), rows.begin(), rows.end());
            } else {
                measure(settings[i]);
            }
            progress.update(i + 1, settings[i].name);
        }
        progress.finish();
        const TextTable shown = arguments_.ladder ? hog_ladder_table(ladder_) : table();
        if (arguments_.json != "-" && arguments_.csv != "-") {
            for (const auto& backend : backends_) fmt::print("{}: {}\n", backend->name(), backend->description());
            fmt::print("{}, {}x{}, medians of {} runs, OpenCV {} with {} threads\n{}", source_, frame_.width(),
                       frame_.height(), arguments_.repeat, CV_VERSION, cv::getNumThreads(), shown.text());
        }
        if (!arguments_.csv.empty()) write_text(arguments_.csv, shown.csv());
        if (!arguments_.json.empty()) write_text(arguments_.json, json().dump(2) + "\n");
        return 0;
    }

private:
    Frame read_frame() {
        if (arguments_.image.empty()) {
            CrowdOptions options;
            parse_crowd_size(arguments_.size, options);
            source_ = fmt::format("crowd of {}", options.faces);
            return Crowd(options).frame(0);
        }
        source_ = arguments_.image;
        Frame frame;
        const auto source = open_source(arguments_.image);
        while (true) {
            const ReadStatus status = source->read(frame, {});
            if (status == ReadStatus::end) throw Error(ErrorKind::input, "has no picture", arguments_.image);
            if (status != ReadStatus::timeout) return frame;
        }
    }

    [[nodiscard]] std::vector<Setting> chosen_settings() const {
        const DetectorParams& own = arguments_.detector;
        if (arguments_.one_setting) {
            const std::string most =
                own.max_size > 0 ? fmt::format(" to {}", own.max_size) : std::string(" px and more");
            return {{fmt::format("{:g}, {}{}", own.scale_factor, own.min_size, most), own}};
        }
        Setting one{"one scale", own};
        one.params.min_size = one.params.max_size = kHogWindowHeight;
        Setting all{"all scales, 1.05", own};
        all.params.min_size = kHogWindowHeight;
        all.params.max_size = 0;
        all.params.scale_factor = 1.05;
        return {one, all};
    }

    void measure(const Setting& setting) {
        const cv::Mat luma = grey_of(frame_);
        Peer peer(luma, setting.params);
        struct Run {
            std::unique_ptr<Detector> detector;
            std::unique_ptr<StageRecorder> recorder;
            DetectionBuffer raw;
            DetectionSet found;
            Row row;
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
            runs.back().row.windows = peer.windows();
        }
        Row opencv;
        opencv.setting = setting.name;
        opencv.backend = "OpenCV";
        opencv.windows = peer.windows();
        // The first runs of each warm up and do not count.
        constexpr int kWarmUp = 2;
        for (int i = 0; i < arguments_.repeat + kWarmUp; ++i) {
            for (std::size_t b = 0; b < backends_.size(); ++b) {
                Run& r = runs[b];
                const double ms = milliseconds_of([&] {
                    r.detector->enqueue(frame_, r.raw, *r.recorder);
                    backends_[b]->download(r.raw, r.found);
                });
                const StageTimes& times = r.recorder->end_frame();
                if (i < kWarmUp) continue;
                r.row.ms.push_back(ms);
                for (const StageTime& t : times) r.row.stages[std::string(t.name)].push_back(t.ms);
            }
            if (arguments_.no_peers) continue;
            const double ms = milliseconds_of([&] { peer.run(); });
            if (i >= kWarmUp) opencv.ms.push_back(ms);
        }
        for (Run& r : runs) {
            std::sort(r.row.ms.begin(), r.row.ms.end());
            for (auto& [stage, samples] : r.row.stages) std::sort(samples.begin(), samples.end());
            r.row.raw = r.found.wanted;
            r.row.common = common_boxes(r.found, peer.boxes());
            rows_.push_back(std::move(r.row));
        }
        if (arguments_.no_peers) return;
        std::sort(opencv.ms.begin(), opencv.ms.end());
        opencv.raw = opencv.common = static_cast<std::int64_t>(peer.boxes().size());
        rows_.push_back(std::move(opencv));
    }

    // Of the row's setting; 0: not measured.
    [[nodiscard]] double opencv_median(const Row& row) const {
        for (const Row& other : rows_) {
            if (other.setting == row.setting && other.backend == "OpenCV") return percentile(other.ms, 0.5);
        }
        return 0;
    }

    [[nodiscard]] TextTable table() const {
        TextTable table({"setting", "backend", "median ms", "least ms", "pyramid", "gradient", "histogram", "normalise",
                         "svm", "x OpenCV", "windows", "raw", "common"});
        for (const Row& row : rows_) {
            const auto stage = [&](std::string_view name) {
                const auto found = row.stages.find(std::string(name));
                return found == row.stages.end() ? "-" : fmt::format("{:.3f}", percentile(found->second, 0.5));
            };
            const double median = percentile(row.ms, 0.5);
            const double opencv = opencv_median(row);
            table.add({row.setting, row.backend, fmt::format("{:.3f}", median), fmt::format("{:.3f}", row.ms.front()),
                       stage(stage::kPyramid), stage(stage::kGradient), stage(stage::kHistogram),
                       stage(stage::kNormalise), stage(stage::kSvm),
                       opencv > 0 ? fmt::format("{:.2f}", opencv / median) : "-", fmt::format("{}", row.windows),
                       fmt::format("{}", row.raw), opencv > 0 ? fmt::format("{}", row.common) : "-"});
        }
        return table;
    }

    [[nodiscard]] nlohmann::json json() const {
        nlohmann::json all = {{"image", source_}, {"width", frame_.width()}, {"height", frame_.height()}};
        for (const auto& backend : backends_) all["devices"][backend->name()] = backend->description();
        if (arguments_.ladder) {
            all["ladder"] = hog_ladder_json(ladder_);
            return all;
        }
        all["rows"] = nlohmann::json::array();
        for (const Row& row : rows_) {
            nlohmann::json item = {{"setting", row.setting},
                                   {"backend", row.backend},
                                   {"runs", row.ms.size()},
                                   {"median_ms", percentile(row.ms, 0.5)},
                                   {"least_ms", row.ms.front()},
                                   {"p99_ms", percentile(row.ms, 0.99)},
                                   {"stages_ms", nlohmann::json::object()},
                                   {"windows", row.windows},
                                   {"raw", row.raw}};
            for (const auto& [stage, samples] : row.stages) item["stages_ms"][stage] = percentile(samples, 0.5);
            if (const double opencv = opencv_median(row); opencv > 0) {
                item["common"] = row.common;
                item["ratio"] = opencv / percentile(row.ms, 0.5);
            }
            all["rows"].push_back(std::move(item));
        }
        return all;
    }

    const BenchArguments& arguments_;
    const CommonOptions& common_;
    std::vector<std::shared_ptr<Backend>> backends_;
    Frame frame_;
    std::string source_;
    std::vector<Row> rows_;
    std::vector<HogLadderRow> ladder_;
};

}  // namespace

void add_bench_hog_command(CLI::App& bench, CommandContext& context) {
    CLI::App* command = bench.add_subcommand("hog", "The people detector on one picture, beside OpenCV's");
    const auto arguments = std::make_shared<BenchArguments>();
    BenchArguments& a = *arguments;
    command->add_option("--image", a.image, "A picture or video (its first frame) in place of the drawn crowd")
        ->type_name("FILE");
    command->add_option("--size", a.size, "Size of the drawn crowd")->type_name("WxH")->capture_default_str();
    add_detector_options(*command, a.detector, {"hog"});
    command->add_option("--repeat", a.repeat, "Measured runs of each")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    command->add_flag("--no-peers", a.no_peers, "Leave OpenCV out");
    command->add_flag("--ladder", a.ladder,
                      "The optimisations of the CUDA backend one on top of the other, in place of the comparison");
    command->add_option("--json", a.json, "Write the measurements as JSON ('-': standard output)")->type_name("FILE");
    command->add_option("--csv", a.csv, "Write the table as CSV ('-': standard output)")->type_name("FILE");
    command->footer(
        "Without --min-size, --max-size or --scale-factor two settings are measured: windows of 128 pixels alone, and\n"
        "the whole pyramid with a factor of 1.05. Times end with the raw detections on the host.");
    command->callback([&context, arguments, command] {
        for (const char* option : {"--min-size", "--max-size", "--scale-factor"}) {
            arguments->one_setting |= command->count(option) > 0;
        }
        context.run = [&context, arguments] {
            settle_detector_options(arguments->detector);
            return HogBench(*arguments, context.common).run();
        };
    });
}

}  // namespace throng
