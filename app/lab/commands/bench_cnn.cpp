// throng bench cnn: measures face detection with a convolutional network, on every available backend, next to OpenCV's
// detector in the same interleaved run. Times are from the frame to suppressed boxes on the host.
#include <fmt/format.h>

#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/core/utility.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/lab/measure/cnn_baseline.h"
#include "app/lab/measure/image_bench.h"
#include "app/options/command.h"
#include "app/options/command_line.h"
#include "app/options/detection_options.h"
#include "core/base/log.h"
#include "core/detect/detector_kinds.h"
#include "core/model/cnn_plan.h"
#include "core/model/model_finder.h"
#include "core/model/onnx_reader.h"
#include "core/video/convert.h"

namespace throng {
namespace {

struct CnnBenchArguments {
    std::string image;
    std::vector<std::string> sizes{"320x320", "640x640", "1920x1080"};
    DetectionOptions detection{.kinds = {DetectorId::cnn, DetectorId::person}};
    BenchOptions bench;
};

class CnnBench {
public:
    CnnBench(const CnnBenchArguments& arguments, const CommonOptions& common)
        : arguments_(arguments),
          detector_(arguments.detection.params().detector),
          bench_(common, arguments_.bench, "bench cnn"),
          backends_(backends_to_compare(common, detector_)) {}

    int run() {
        if (!arguments_.image.empty()) bench_.files().add_source(arguments_.image);
        bench_.files().add_model(detector_);
        bench_.start(std::nullopt);
        cv::setNumThreads(detector_.threads > 0 ? detector_.threads : -1);  // -1: all cores
        model_ = find_model(detector_.model, detector_.kind).string();
        network_ = read_network(detector_);
        bench_.step(arguments_.image.empty() ? "drawing the crowds" : "reading the image");
        const std::vector<BenchImage> images = read_images();
        bench_.for_each(images, [&](const BenchImage& image) { measure(image.frame); });
        const std::string heading =
            fmt::format("{}{}, {}, {}, medians of {} runs, OpenCV {} with {} threads", describe(backends_),
                        family_name(network_.head.family), model_, images.back().source, arguments_.bench.repeat,
                        CV_VERSION, cv::getNumThreads());
        return bench_.finish(results_,
                             {{"image", images.back().source}, {"model", model_}, {"devices", devices_json(backends_)}},
                             heading);
    }

private:
    static constexpr int kWarmUp = 3;  // rounds that do not count

    [[nodiscard]] std::vector<BenchImage> read_images() const {
        if (!arguments_.image.empty()) return {first_image(arguments_.image)};
        std::vector<BenchImage> images;
        for (const std::string& size : arguments_.sizes) images.push_back(drawn_image(size));
        return images;
    }

    // OpenCV cannot read every file that Throng reads. The same network with another input size is equivalent.
    [[nodiscard]] std::unique_ptr<CnnBaseline> make_baseline(cv::Size size) {
        if (arguments_.bench.no_baselines || network_.head.family != HeadFamily::yunet) return nullptr;
        const float threshold = cnn_score_threshold(detector_, network_.head.family);
        CnnBaselineChoice choice = make_cnn_baseline(model_, size, threshold);
        if (choice.baseline == nullptr && model_.find("dynamic") != std::string::npos) {
            std::string fixed = model_;
            fixed.replace(fixed.find("dynamic"), 7, "640_640");
            choice = make_cnn_baseline(fixed, size, threshold);
        }
        if (choice.baseline == nullptr) {
            bench_.pause();
            logger().warn("no comparison: OpenCV cannot read the model: {}", choice.why_not);
        }
        return std::move(choice.baseline);
    }

    void measure(const Frame& frame) {
        const std::string size = fmt::format("{}x{}", frame.width(), frame.height());
        FramePool pool;
        PixelConverter converter;
        const WritableFrame image = converter.bgr_copy(frame, pool);
        const PlaneView plane = image.plane(0);
        const cv::Mat bgr(frame.height(), frame.width(), CV_8UC3, const_cast<std::uint8_t*>(plane.data),
                          static_cast<std::size_t>(plane.pitch));
        std::deque<DetectorRun> ours;
        std::vector<BenchCase> cases;
        for (const auto& backend : backends_) {
            cases.push_back(
                ours.emplace_back(backend, detector_, &detector_kind(detector_.kind).nms).bench_case(frame));
        }
        const std::unique_ptr<CnnBaseline> baseline = make_baseline(bgr.size());
        std::int64_t theirs = 0;
        if (baseline != nullptr) cases.push_back({baseline->name(), [&] { theirs = baseline->run(bgr); }});
        measure_interleaved(cases, kWarmUp, arguments_.bench.repeat, size,
                            [&](const std::string& note) { bench_.step(note); });
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const RunTimes& times = cases[i].times;
            const bool own = i < ours.size();
            const std::int64_t macs = own ? multiply_adds_of_passes(frame) : multiply_adds_of_one_pass(frame);
            ResultRow& row = results_.row();
            row.fields(times).add("frame", "frame", size).add("who", "who", cases[i].name);
            row.cell("median ms", times.total.median(), 3).cell("min ms", times.total.min(), 3);
            for (const auto stage : {stage::kPreprocess, stage::kNetwork, stage::kBoxes}) row.stage(times, stage, 3);
            row.add("x OpenCV", "ratio",
                    value_if(baseline != nullptr, cases.back().times.total.median() / times.total.median()), 2);
            row.cell("multiply-adds", fmt::format("{:.0f} M", static_cast<double>(macs) / 1e6));
            row.field("multiply_adds", macs);
            row.add("raw", "raw", own ? ResultValue(ours[i].raw_count()) : ResultValue());
            row.add("kept", "kept", own ? static_cast<std::int64_t>(ours[i].found().detections.size()) : theirs);
        }
    }

    [[nodiscard]] std::int64_t multiply_adds_of_passes(const Frame& frame) const {
        std::uint64_t sum = 0;
        const CnnPlan plan = plan_passes(network_, frame.width(), frame.height(), detector_, input_choice());
        for (const CnnPass& pass : plan.passes) sum += multiply_adds(network_, pass.width, pass.height);
        return static_cast<std::int64_t>(sum);
    }

    [[nodiscard]] std::int64_t multiply_adds_of_one_pass(const Frame& frame) const {
        return static_cast<std::int64_t>(
            multiply_adds(network_, (frame.width() + 31) / 32 * 32, (frame.height() + 31) / 32 * 32));
    }

    // Reads the switch that all backends have. Each backend checks the switches that only it has.
    [[nodiscard]] CnnInput input_choice() const {
        const auto& switches = detector_.switches;
        const auto found = switches.find(std::string(kCnnInputSwitch));
        return found != switches.end() && found->second == "letterbox" ? CnnInput::letterbox : CnnInput::native;
    }

    CnnBenchArguments arguments_;
    DetectorParams detector_;
    BenchRun bench_;
    std::vector<std::shared_ptr<Backend>> backends_;
    std::string model_;
    Network network_;
    ResultList results_;
};

}  // namespace

void add_bench_cnn_command(CLI::App& bench, CommandContext& context) {
    CLI::App& command =
        add_command(bench, "cnn", "Detection with a convolutional network, compared with OpenCV's detector");
    auto arguments = std::make_shared<CnnBenchArguments>();
    CnnBenchArguments& a = *arguments;
    add_value(command, "Options", "image", a.image, "FILE",
              "Image or video (first frame) to detect in; default: a drawn crowd");
    add_list(command, "Options", "--size", a.sizes, "WxH,...", "Sizes of the drawn crowd, one row per size");
    add_settings(command, a.detection, detector_settings());
    add_bench_options(command, a.bench);
    set_footer(command,
               "Example: throng bench cnn --size 320x320 --switch input=letterbox --model yunet_n_320_320\n"
               "--switch input=letterbox runs the network once in the model's own size; native runs all scales.");
    set_run(command, context, [&context, arguments] { return CnnBench(*arguments, context.common).run(); });
}

}  // namespace throng
