// throng bench cnn: measures face detection with a convolutional network, on every available backend, next to OpenCV's
// detector in the same interleaved run. Times are from the frame to suppressed boxes on the host.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/core/utility.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/measure/cnn_baseline.h"
#include "app/measure/image_bench.h"
#include "app/options/command.h"
#include "app/options/detector_options.h"
#include "app/options/progress.h"
#include "app/options/standard_output.h"
#include "app/options/table.h"
#include "app/options/values.h"
#include "core/base/error.h"
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
    DetectorOptions detector;
    ImageBenchOptions bench;
};

struct CnnRow {
    std::string size;
    std::string who;
    RunSamples times;
    std::uint64_t multiply_adds = 0;
    std::int64_t raw = -1;  // -1: a baseline, which does not report it
    std::int64_t kept = 0;
};

// Detector and suppression of one backend.
struct BackendRun {
    std::shared_ptr<Backend> backend;
    std::unique_ptr<Detector> detector;
    std::unique_ptr<Nms> nms;
    std::unique_ptr<StageRecorder> recorder;
    DetectionBuffer raw, kept;
    DetectionSet found;
    CnnRow row;

    BackendRun(const std::shared_ptr<Backend>& made_by, const DetectorParams& params)
        : backend(made_by),
          detector(made_by->make_detector(params)),
          nms(made_by->make_nms()),
          recorder(made_by->make_recorder()),
          raw(made_by->make_buffer(1 << 16, detector->optional_fields())),
          kept(made_by->make_buffer(1 << 16, detector->optional_fields())) {}

    void run(const Frame& frame) {
        detector->enqueue(frame, raw, *recorder);
        nms->enqueue(raw, kept, detector_kind("cnn").nms, *recorder);
        backend->download(kept, found);
    }
};

class CnnBench {
public:
    CnnBench(const CnnBenchArguments& arguments, const CommonOptions& common) : arguments_(arguments), common_(common) {
        finalize_detector_options(arguments_.detector);
        backends_ = backends_to_compare(common, arguments_.detector);
    }

    int run() {
        check_bench_files(common_, arguments_.bench, arguments_.image, arguments_.detector);
        model_ = find_model(arguments_.detector.model, "cnn").string();
        network_ = read_onnx(model_);
        Progress progress(common_, "bench cnn", std::nullopt);
        progress.update(0, arguments_.image.empty() ? "drawing the crowds" : "reading the image");
        const std::vector<BenchImage> images = read_images();
        source_ = images.back().source;
        for (const BenchImage& image : images) measure(image.frame, progress);
        progress.finish();
        const TextTable shown = table();
        if (arguments_.bench.prints_table()) {
            for (const auto& backend : backends_)
                standard_output::print("{}: {}\n", backend->name(), backend->description());
            standard_output::print("{}, {}, {}, medians of {} runs, OpenCV {} with {} threads\n{}",
                                   family_name(network_.head.family), model_, source_, arguments_.bench.repeat,
                                   CV_VERSION, cv::getNumThreads(), shown.text());
        }
        write_results(arguments_.bench, shown, json());
        return 0;
    }

private:
    [[nodiscard]] std::vector<BenchImage> read_images() const {
        if (!arguments_.image.empty()) return {first_image(arguments_.image)};
        std::vector<BenchImage> images;
        for (const std::string& size : arguments_.sizes) images.push_back(drawn_image(size));
        return images;
    }

    // OpenCV cannot read every file that Throng reads. The same network with another input size is equivalent.
    [[nodiscard]] std::unique_ptr<CnnBaseline> make_baseline(cv::Size size) const {
        if (arguments_.bench.no_baselines || network_.head.family != HeadFamily::yunet) return nullptr;
        const float threshold = cnn_score_threshold(arguments_.detector, network_.head.family);
        CnnBaselineChoice choice = make_cnn_baseline(model_, size, threshold);
        if (choice.baseline == nullptr && model_.find("dynamic") != std::string::npos) {
            std::string fixed = model_;
            fixed.replace(fixed.find("dynamic"), 7, "640_640");
            choice = make_cnn_baseline(fixed, size, threshold);
        }
        if (choice.baseline == nullptr) spdlog::warn("no comparison: OpenCV cannot read the model: {}", choice.why_not);
        return std::move(choice.baseline);
    }

    void measure(const Frame& frame, Progress& progress) {
        const std::string size = fmt::format("{}x{}", frame.width(), frame.height());
        FramePool pool;
        PixelConverter converter;
        const WritableFrame image = converter.bgr_copy(frame, pool);
        const PlaneView plane = image.plane(0);
        const cv::Mat bgr(frame.height(), frame.width(), CV_8UC3, const_cast<std::uint8_t*>(plane.data),
                          static_cast<std::size_t>(plane.pitch));
        std::vector<BackendRun> runs;
        for (const auto& backend : backends_) runs.emplace_back(backend, arguments_.detector);
        progress.finish();  // make_baseline may log a warning
        const std::unique_ptr<CnnBaseline> baseline = make_baseline(bgr.size());
        CnnRow theirs;
        constexpr int kWarmUp = 3;
        const auto show_run = [&](std::string_view who, int run) {
            progress.update(steps_++,
                            fmt::format("{}, {}, run {} of {}", size, who, run + 1, arguments_.bench.repeat + kWarmUp));
        };
        for (int i = 0; i < arguments_.bench.repeat + kWarmUp; ++i) {
            for (BackendRun& backend_run : runs) {
                show_run(backend_run.backend->name(), i);
                const double ms = milliseconds_of([&] { backend_run.run(frame); });
                const StageTimes& times = backend_run.recorder->end_frame();
                if (i >= kWarmUp) backend_run.row.times.add(ms, times);
            }
            if (baseline == nullptr) continue;
            show_run(baseline->name(), i);
            const double ms = milliseconds_of([&] { theirs.kept = baseline->run(bgr); });
            if (i >= kWarmUp) theirs.times.add(ms);
        }
        for (BackendRun& backend_run : runs) {
            CnnRow& row = backend_run.row;
            row.who = backend_run.backend->name();
            row.kept = static_cast<std::int64_t>(backend_run.found.detections.size());
            backend_run.backend->download(backend_run.raw, backend_run.found);
            row.raw = backend_run.found.total;
            add(size, frame, std::move(row));
        }
        if (baseline == nullptr) return;
        theirs.who = baseline->name();
        add(size, frame, std::move(theirs));
    }

    void add(const std::string& size, const Frame& frame, CnnRow row) {
        row.size = size;
        if (row.raw >= 0) {
            const CnnPlan plan = plan_passes(network_, frame.width(), frame.height(), arguments_.detector,
                                             cnn_input_choice_of(arguments_.detector));
            for (const CnnPass& pass : plan.passes)
                row.multiply_adds += multiply_adds(network_, pass.width, pass.height);
        } else {
            row.multiply_adds =
                multiply_adds(network_, (frame.width() + 31) / 32 * 32, (frame.height() + 31) / 32 * 32);
        }
        rows_.push_back(std::move(row));
    }

    // Reads the switch that all backends have. Each backend checks the switches that only it has.
    static CnnInput cnn_input_choice_of(const DetectorParams& params) {
        const auto found = params.switches.find(std::string(kCnnInputSwitch));
        return found != params.switches.end() && found->second == "letterbox" ? CnnInput::letterbox : CnnInput::native;
    }

    [[nodiscard]] double baseline_median(const CnnRow& row) const {
        for (const CnnRow& other : rows_) {
            if (other.size == row.size && other.raw < 0) return other.times.median();
        }
        return 0;
    }

    [[nodiscard]] TextTable table() const {
        TextTable table({"frame", "who", "median ms", "min ms", "preprocess", "network", "boxes", "x OpenCV",
                         "multiply-adds", "raw", "kept"});
        for (const CnnRow& row : rows_) {
            const auto stage = [&](std::string_view name) { return row.times.stage(name, 3); };
            const double median = row.times.median();
            const double baseline = baseline_median(row);
            table.add({row.size, row.who, fmt::format("{:.3f}", median), fmt::format("{:.3f}", row.times.least()),
                       stage(stage::kPreprocess), stage(stage::kNetwork), stage(stage::kBoxes),
                       baseline > 0 ? fmt::format("{:.2f}", baseline / median) : "-",
                       fmt::format("{:.0f} M", static_cast<double>(row.multiply_adds) / 1e6),
                       row.raw < 0 ? "-" : std::to_string(row.raw), std::to_string(row.kept)});
        }
        return table;
    }

    [[nodiscard]] nlohmann::json json() const {
        nlohmann::json all = {{"image", source_}, {"model", model_}};
        for (const auto& backend : backends_) all["devices"][backend->name()] = backend->description();
        all["rows"] = nlohmann::json::array();
        for (const CnnRow& row : rows_) {
            nlohmann::json item = row.times.json();
            item.update(
                {{"frame", row.size}, {"who", row.who}, {"multiply_adds", row.multiply_adds}, {"kept", row.kept}});
            if (row.raw >= 0) item["raw"] = row.raw;
            if (const double baseline = baseline_median(row); baseline > 0)
                item["ratio"] = baseline / row.times.median();
            all["rows"].push_back(std::move(item));
        }
        return all;
    }

    CnnBenchArguments arguments_;
    const CommonOptions& common_;
    std::vector<std::shared_ptr<Backend>> backends_;
    std::string model_;
    Network network_;
    std::string source_;
    std::vector<CnnRow> rows_;
    std::uint64_t steps_ = 0;  // runs started
};

}  // namespace

void add_bench_cnn_command(CLI::App& bench, CommandContext& context) {
    CLI::App* command =
        bench.add_subcommand("cnn", "Face detection with a convolutional network, compared with OpenCV's detector");
    auto arguments = std::make_shared<CnnBenchArguments>();
    CnnBenchArguments& a = *arguments;
    command->add_option("image", a.image, "Image or video (first frame) to detect in; default: a drawn crowd")
        ->type_name("FILE");
    add_list(*command, "--size", a.sizes, "Sizes of the drawn crowd, one row per size", CLI::Validator())
        ->type_name("WxH,...");
    add_detector_options(*command, a.detector, {"cnn"});
    add_image_bench_options(*command, a.bench);
    command->footer(
        "Example: throng bench cnn --size 320x320 --switch input=letterbox --model yunet_n_320_320\n"
        "--switch input=letterbox runs the network once in the model's own size; native runs all scales.");
    command->callback([&context, arguments] {
        context.run = [&context, arguments] { return CnnBench(*arguments, context.common).run(); };
    });
}

}  // namespace throng
