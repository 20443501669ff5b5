// throng bench cascade: measures a cascade on an image next to OpenCV's on the same windows, in one interleaved run.
#include <fmt/format.h>

#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/objdetect.hpp>
#include <string>
#include <vector>

#include "app/lab/measure/image_bench.h"
#include "app/options/backend.h"
#include "app/options/command.h"
#include "app/options/command_line.h"
#include "core/base/error.h"
#include "core/cpu/cascade_detector.h"
#include "core/model/model_finder.h"

namespace throng {
namespace {

std::vector<DetectorSetting> settings_of_cascades(const ImageBenchArguments& arguments) {
    const DetectorParams& own = arguments.detector;
    if (arguments.one_setting) {
        const std::string sizes = own.max_size > 0 ? fmt::format("{} to {} px", own.min_size, own.max_size)
                                                   : fmt::format("from {} px", own.min_size);
        return {{fmt::format("{}, {:g}, {}", own.model.empty() ? detector_kind(own.kind).name : own.model,
                             own.scale_factor, sizes),
                 own}};
    }
    const auto make = [&](const char* name, DetectorId kind, const char* model, double factor, int min, int max) {
        DetectorSetting setting{name, own};
        setting.params.kind = kind;
        setting.params.model = model;
        setting.params.scale_factor = factor;
        setting.params.min_size = min;
        setting.params.max_size = max;
        return setting;
    };
    return {make("alt2, 1.25, 50 to 200 px", DetectorId::haar, "haarcascade_frontalface_alt2", 1.25, 50, 200),
            make("alt2, 1.1, from 24 px", DetectorId::haar, "haarcascade_frontalface_alt2", 1.1, 24, 0),
            make("lbp, 1.1, from 24 px", DetectorId::lbp, "lbpcascade_frontalface", 1.1, 24, 0)};
}

class CascadeBench final : public ImageBench {
public:
    CascadeBench(const ImageBenchArguments& arguments, const CommonOptions& common)
        : ImageBench(arguments, common, "bench cascade", {make_backend(common, &arguments.detector).backend}) {}

private:
    void measure(const DetectorSetting& setting) override {
        const DetectorParams& params = setting.params;
        const std::string model = find_model(params.model, params.kind).string();
        DetectorRun ours(backends_.front(), params);
        std::vector<BenchCase> cases{ours.bench_case(image_.frame)};
        cv::CascadeClassifier classifier;
        const cv::Mat image = luma_or_bgr(image_.frame);
        std::vector<cv::Rect> theirs;
        if (compares()) {
            if (!classifier.load(model)) {
                throw Error(ErrorKind::input, "OpenCV cannot read the cascade", model,
                            {"use %1 to leave OpenCV out", Setting{"no_baselines"}});
            }
            cases.push_back({"OpenCV", [&] {
                                 classifier.detectMultiScale(image, theirs, params.scale_factor, 0, 0,
                                                             {params.min_size, params.min_size},
                                                             {params.max_size, params.max_size});
                             }});
        }
        measure_in_turn(cases, setting);
        const double opencv = cases.back().times.total.median();
        const RunTimes& times = cases.front().times;
        const DetectionSet& found = ours.found();
        const auto* cpu = dynamic_cast<const CascadeDetector*>(&ours.detector());
        const CascadeCounts counts = cpu != nullptr ? cpu->counts() : CascadeCounts{};
        const auto if_compared = [&](auto value) { return value_if(compares(), value); };
        ResultRow& row = results_.row();
        row.fields(times).add("setting", "setting", setting.name);
        row.field("detector", std::string(detector_kind(params.kind).name))
            .field("model", model)
            .field("scale_factor", params.scale_factor);
        row.field("min_size", std::int64_t{params.min_size}).field("max_size", std::int64_t{params.max_size});
        row.cell("median ms", times.total.median(), 2);
        for (const auto stage : {stage::kPyramid, stage::kIntegral, stage::kCascade}) row.stage(times, stage, 2);
        row.add("OpenCV ms", "opencv/median_ms", if_compared(opencv), 2);
        row.add("x OpenCV", "opencv/ratio", if_compared(opencv / times.total.median()), 2);
        row.add("windows", "windows", value_if(cpu != nullptr, counts.candidates));
        row.add("evaluated", "looked_at", value_if(cpu != nullptr, counts.visited));
        row.add("accepted", "accepted", std::int64_t{found.total});
        row.add("OpenCV's", "opencv/accepted", if_compared(static_cast<std::int64_t>(theirs.size())));
        row.add("common", "opencv/common", if_compared(common_boxes(found, theirs)));
    }
};

}  // namespace

void add_bench_cascade_command(CLI::App& bench, CommandContext& context) {
    CLI::App& command = add_command(bench, "cascade", "Haar and LBP cascades on one image, compared with OpenCV's");
    const auto arguments = std::make_shared<ImageBenchArguments>();
    arguments->size = "1920x1080";
    arguments->faces = 60;
    add_value(command, "Options", "--faces", arguments->faces, "N", "Faces in the drawn crowd", whole_range(0, 5000));
    arguments->detection.kinds = {DetectorId::haar, DetectorId::lbp};
    add_image_bench_options(command, *arguments);
    set_footer(
        command,
        "Without --detector, --model, --min-size, --max-size or --scale-factor three standard settings are measured:\n"
        "alt2 with 1.25 and faces of 50 to 200 pixels, alt2 and LBP with 1.1 and faces from 24 pixels.");
    set_run(command, context, [&context, arguments] {
        for (const char* name : {"detector", "model", "min_size", "max_size", "scale_factor"}) {
            arguments->one_setting |= arguments->detection.chosen.contains(name);
        }
        arguments->detector = arguments->detection.params().detector;
        return CascadeBench(*arguments, context.common).run(settings_of_cascades(*arguments));
    });
}

}  // namespace throng
