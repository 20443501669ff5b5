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

struct CnnBenchArguments : ImageBenchArguments {
    std::vector<std::string> sizes{"320x320", "640x640", "1920x1080"};
};

class CnnBench final : public ImageBench {
public:
    CnnBench(const ImageBenchArguments& arguments, const CommonOptions& common)
        : ImageBench(arguments, common, "bench cnn", backends_to_compare(common, arguments.detector)),
          model_(find_model(arguments.detector.model, arguments.detector.kind).string()),
          network_(read_network(arguments.detector)) {
        set_model(std::string(family_name(network_.head.family)), model_);
    }

private:
    // OpenCV cannot read every file that Throng reads. The same network with another input size is equivalent.
    [[nodiscard]] CnnBaseline make_baseline(cv::Size size) {
        if (!compares() || network_.head.family != HeadFamily::yunet) return {};
        const float threshold = cnn_score_threshold(arguments_.detector, network_.head.family);
        CnnBaseline baseline = make_cnn_baseline(model_, size, threshold);
        if (!baseline.run && model_.find("dynamic") != std::string::npos) {
            std::string fixed = model_;
            fixed.replace(fixed.find("dynamic"), 7, "640_640");
            baseline = make_cnn_baseline(fixed, size, threshold);
        }
        if (!baseline.run) {
            bench_.pause();
            logger().warn("no comparison: OpenCV cannot read the model: {}", baseline.why_not);
        }
        return baseline;
    }

    void measure(const DetectorSetting& setting) override {
        const Frame& frame = image_.frame;
        const DetectorParams& detector = setting.params;
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
            cases.push_back(ours.emplace_back(backend, detector, &detector_kind(detector.kind).nms).bench_case(frame));
        }
        const CnnBaseline baseline = make_baseline(bgr.size());
        std::int64_t theirs = 0;
        if (baseline.run) cases.push_back({baseline.name, [&] { theirs = baseline.run(bgr); }});
        measure_in_turn(cases, setting);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const RunTimes& times = cases[i].times;
            const bool own = i < ours.size();
            const std::int64_t macs = own ? multiply_adds_of_passes(frame) : multiply_adds_of_one_pass(frame);
            ResultRow& row = results_.row();
            row.fields(times).add("frame", "frame", size).add("who", "who", cases[i].name);
            row.cell("median ms", times.total.median(), 3).cell("min ms", times.total.min(), 3);
            for (const auto stage : {stage::kPreprocess, stage::kNetwork, stage::kBoxes}) row.stage(times, stage, 3);
            row.add("x OpenCV", "ratio",
                    value_if(baseline.run != nullptr, cases.back().times.total.median() / times.total.median()), 2);
            row.cell("multiply-adds", fmt::format("{:.0f} M", static_cast<double>(macs) / 1e6));
            row.field("multiply_adds", macs);
            row.add("raw", "raw", own ? ResultValue(ours[i].raw_count()) : ResultValue());
            row.add("kept", "kept", own ? static_cast<std::int64_t>(ours[i].found().detections.size()) : theirs);
        }
    }

    [[nodiscard]] std::int64_t multiply_adds_of_passes(const Frame& frame) const {
        std::uint64_t sum = 0;
        const CnnPlan plan = plan_passes(network_, frame.width(), frame.height(), arguments_.detector, input_choice());
        for (const CnnPass& pass : plan.passes) sum += multiply_adds(network_, pass.width, pass.height);
        return static_cast<std::int64_t>(sum);
    }

    [[nodiscard]] std::int64_t multiply_adds_of_one_pass(const Frame& frame) const {
        return static_cast<std::int64_t>(
            multiply_adds(network_, (frame.width() + 31) / 32 * 32, (frame.height() + 31) / 32 * 32));
    }

    // Reads the switch that all backends have. Each backend checks the switches that only it has.
    [[nodiscard]] CnnInput input_choice() const {
        const auto& switches = arguments_.detector.switches;
        const auto found = switches.find(std::string(kCnnInputSwitch));
        return found != switches.end() && found->second == "letterbox" ? CnnInput::letterbox : CnnInput::native;
    }

    const std::string model_;
    const Network network_;
};

}  // namespace

void add_bench_cnn_command(CLI::App& bench, CommandContext& context) {
    CLI::App& command =
        add_command(bench, "cnn", "Detection with a convolutional network, compared with OpenCV's detector");
    auto arguments = std::make_shared<CnnBenchArguments>();
    CnnBenchArguments& a = *arguments;
    a.detection.kinds = {DetectorId::cnn, DetectorId::person};
    add_value(command, "Options", "image", a.image, "FILE",
              "Image or video (first frame) to detect in; default: a drawn crowd");
    add_list(command, "Options", "--size", a.sizes, "WxH,...", "Sizes of the drawn crowd, one row per size");
    add_settings(command, a.detection, detector_settings());
    add_bench_options(command, a.bench);
    set_footer(command,
               "Example: throng bench cnn --size 320x320 --switch input=letterbox --model yunet_n_320_320\n"
               "--switch input=letterbox runs the network once in the model's own size; native runs all scales.");
    set_run(command, context, [&context, arguments] {
        arguments->detector = arguments->detection.params().detector;
        std::vector<DetectorSetting> settings;
        for (const std::string& size : arguments->sizes) settings.push_back({size, arguments->detector, size});
        if (!arguments->image.empty()) settings.resize(1);
        return CnnBench(*arguments, context.common).run(settings);
    });
}

}  // namespace throng
