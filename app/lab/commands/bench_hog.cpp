// throng bench hog: measures the people detector on an image, on every available backend, next to OpenCV's on the same
// windows, in one interleaved run.
#include <fmt/format.h>

#include <deque>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>
#include <string>
#include <vector>

#include "app/lab/measure/image_bench.h"
#include "app/options/command.h"
#include "app/options/command_line.h"
#include "core/algo/hog_levels.h"

namespace throng {
namespace {

// OpenCV's detector on the same levels: detectMultiScale where it uses the same levels, otherwise detect() per level.
class HogBaseline {
public:
    HogBaseline(const cv::Mat& luma, const DetectorParams& params) : luma_(luma), params_(params) {
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

std::vector<DetectorSetting> settings_of_hog(const ImageBenchArguments& arguments) {
    const DetectorParams& own = arguments.detector;
    if (arguments.one_setting) {
        const std::string max = own.max_size > 0 ? fmt::format(" to {}", own.max_size) : std::string(" px and more");
        return {{fmt::format("{:g}, {}{}", own.scale_factor, own.min_size, max), own}};
    }
    DetectorSetting one{"one scale", own};
    one.params.min_size = one.params.max_size = kHogWindowHeight;
    DetectorSetting all{"all scales, 1.05", own};
    all.params.min_size = kHogWindowHeight;
    all.params.max_size = 0;
    all.params.scale_factor = 1.05;
    return {one, all};
}

class HogBench final : public ImageBench {
public:
    HogBench(const ImageBenchArguments& arguments, const CommonOptions& common)
        : ImageBench(arguments, common, "bench hog", backends_to_compare(common, arguments.detector)) {}

private:
    void measure(const DetectorSetting& setting) override {
        const cv::Mat luma = gray_of(image_.frame);
        HogBaseline baseline(luma, setting.params);
        std::deque<DetectorRun> ours;
        std::vector<BenchCase> cases;
        for (const auto& backend : backends_) {
            cases.push_back(ours.emplace_back(backend, setting.params).bench_case(image_.frame));
        }
        // Where no window fits, there is nothing to compare.
        const bool compared = compares() && baseline.windows() > 0;
        if (compared) cases.push_back({"OpenCV", [&] { baseline.run(); }});
        measure_in_turn(cases, setting);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const RunTimes& times = cases[i].times;
            const bool own = i < ours.size();
            const auto theirs = static_cast<std::int64_t>(baseline.boxes().size());
            ResultRow& row = results_.row();
            row.fields(times).add("setting", "setting", setting.name).add("backend", "backend", cases[i].name);
            row.cell("median ms", times.total.median(), 3).cell("min ms", times.total.min(), 3);
            for (const auto stage :
                 {stage::kPyramid, stage::kGradient, stage::kHistogram, stage::kNormalize, stage::kSvm}) {
                row.stage(times, stage, 3);
            }
            row.add("x OpenCV", "ratio", value_if(compared, cases.back().times.total.median() / times.total.median()),
                    2);
            row.add("windows", "windows", baseline.windows());
            row.add("raw", "raw", own ? ours[i].raw_count() : theirs);
            row.add("common", "common",
                    value_if(compared, own ? common_boxes(ours[i].found(), baseline.boxes()) : theirs));
        }
    }
};

}  // namespace

void add_bench_hog_command(CLI::App& bench, CommandContext& context) {
    CLI::App& command = add_command(bench, "hog", "HOG people detector on one image, compared with OpenCV's");
    const auto arguments = std::make_shared<ImageBenchArguments>();
    arguments->size = "640x480";
    arguments->detection.kinds = {DetectorId::hog};
    add_image_bench_options(command, *arguments);
    set_footer(
        command,
        "Without --min-size, --max-size or --scale-factor two settings are measured: windows of 128 pixels only, and\n"
        "the whole pyramid with a factor of 1.05. Times include the download of the raw detections to the host.");
    set_run(command, context, [&context, arguments] {
        for (const char* name : {"min_size", "max_size", "scale_factor"}) {
            arguments->one_setting |= arguments->detection.chosen.contains(name);
        }
        arguments->detector = arguments->detection.params().detector;
        return HogBench(*arguments, context.common).run(settings_of_hog(*arguments));
    });
}

}  // namespace throng
