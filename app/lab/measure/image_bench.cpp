#include "app/lab/measure/image_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <opencv2/core/ocl.hpp>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>
#include <tuple>
#include <utility>

#include "app/lab/measure/ablation.h"
#include "app/options/backend.h"
#include "app/options/command_line.h"
#include "core/base/error.h"
#include "core/base/secrets.h"
#include "core/pipeline/pipeline_settings.h"
#include "core/synth/crowd.h"
#include "core/video/source.h"

namespace throng {
namespace {

constexpr std::int32_t kRawCapacity = 1 << 18;  // more windows than a cascade accepts in a 4K frame
constexpr int kWarmUpRounds = 3;

}  // namespace

BenchImage first_image(const std::string& file) {
    BenchImage image{{}, mask_credentials(file)};
    const auto source = open_source(file);
    ReadStatus status = ReadStatus::timeout;
    while (status == ReadStatus::timeout) status = source->read(image.frame, {});
    if (status == ReadStatus::end) throw Error(ErrorKind::input, "contains no image", file);
    return image;
}

BenchImage drawn_image(const std::string& size, int faces) {
    CrowdOptions options;
    if (faces >= 0) options.faces = faces;
    parse_crowd_size(size, options);
    return {Crowd(options).frame(0), fmt::format("crowd of {}", options.faces)};
}

cv::Mat luma_or_bgr(const Frame& frame) {
    const PlaneView& plane = frame.plane(0);
    return cv::Mat(plane.height, frame.width(), frame.has_luma() ? CV_8UC1 : CV_8UC3,
                   const_cast<std::uint8_t*>(plane.data), static_cast<std::size_t>(plane.pitch));
}

cv::Mat gray_of(const Frame& frame) {
    const cv::Mat pixels = luma_or_bgr(frame);
    if (pixels.channels() == 1) return pixels;
    cv::Mat gray;
    cv::cvtColor(pixels, gray, cv::COLOR_BGR2GRAY);
    return gray;
}

std::vector<std::shared_ptr<Backend>> backends_to_compare(const CommonOptions& common, const DetectorParams& detector) {
    std::vector<std::shared_ptr<Backend>> backends{make_backend(common, &detector).backend};
    if (common.backend == BackendKind::automatic && backends.front()->kind() != BackendKind::cpu) {
        CommonOptions cpu = common;
        cpu.backend = BackendKind::cpu;
        backends.push_back(make_backend(cpu, &detector).backend);
    }
    return backends;
}

std::string describe(const std::vector<std::shared_ptr<Backend>>& backends) {
    std::string text;
    for (const auto& backend : backends) text += fmt::format("{}: {}\n", backend->name(), backend->description());
    return text;
}

nlohmann::ordered_json devices_json(const std::vector<std::shared_ptr<Backend>>& backends) {
    auto json = nlohmann::ordered_json::object();
    for (const auto& backend : backends) json[backend->name()] = backend->description();
    return json;
}

DetectorRun::DetectorRun(const std::shared_ptr<Backend>& backend, const DetectorParams& params, const NmsParams* nms)
    : backend_(backend), detector_(backend->make_detector(params)), recorder_(backend->make_recorder()) {
    const std::int32_t capacity = nms == nullptr ? kRawCapacity : PipelineSettings{}.capacity;
    raw_ = backend->make_buffer(capacity, detector_->optional_fields());
    if (nms == nullptr) return;
    params_ = *nms;
    nms_ = backend->make_nms();
    kept_ = backend->make_buffer(capacity, detector_->optional_fields());
}

void DetectorRun::run(const Frame& frame) {
    do {
        detector_->enqueue(frame, raw_, *recorder_);
        if (nms_) nms_->enqueue(raw_, kept_, *params_, *recorder_);
        backend_->download(nms_ ? kept_ : raw_, found_);
    } while (detector_->reserve(found_.candidates));  // suppression is measured with networks, which need no more
}

BenchCase DetectorRun::bench_case(const Frame& frame) {
    return {std::string(backend_->name()), [this, &frame] { run(frame); }, [this] { return stages(); }};
}

std::int64_t DetectorRun::raw_count() const {
    if (!nms_) return found_.total;
    DetectionSet raw;
    backend_->download(raw_, raw);
    return raw.total;
}

void add_image_bench_options(CLI::App& command, ImageBenchArguments& arguments) {
    add_value(command, "Options", "--image", arguments.image, "FILE",
              "Image or video (first frame) to use instead of the drawn crowd");
    add_value(command, "Options", "--size", arguments.size, "WxH", "Size of the drawn crowd");
    add_settings(command, arguments.detection, detector_settings());
    add_bench_options(command, arguments.bench);
    add_flag(command, "Options", "--ablation", arguments.ablation,
             "Measure the optimizations of the CUDA backend, added one by one, instead of the comparison");
}

ImageBench::ImageBench(const ImageBenchArguments& arguments, const CommonOptions& common, const std::string& label,
                       std::vector<std::shared_ptr<Backend>> backends)
    : arguments_(arguments), backends_(std::move(backends)), bench_(common, arguments.bench, label), common_(common) {}

int ImageBench::run(const std::vector<DetectorSetting>& settings) {
    if (!arguments_.image.empty()) bench_.files().add_source(arguments_.image);
    bench_.files().add_model(arguments_.detector);
    const std::size_t cases = backends_.size() + (compares() ? 1 : 0);
    const std::size_t steps =
        settings.size() * cases * static_cast<std::size_t>(kWarmUpRounds + arguments_.bench.repeat);
    bench_.start(arguments_.ablation ? std::nullopt : std::optional<std::uint64_t>(1 + steps));
    if (arguments_.ablation && backends_.front()->kind() != BackendKind::cuda) {
        throw Error(ErrorKind::unavailable, "requires the CUDA backend, which is not in use", Setting{"ablation"},
                    {"use %1 to see why", Setting{"backend", "cuda"}});
    }
    bench_.step(arguments_.image.empty() ? "drawing the crowd" : "reading the image");
    read_image(settings.front().size);
    cv::ocl::setUseOpenCL(false);
    cv::setNumThreads(arguments_.detector.threads > 0 ? arguments_.detector.threads : -1);  // -1: all cores
    bench_.for_each(settings, [&](const DetectorSetting& setting) {
        read_image(setting.size);
        if (!arguments_.ablation) return measure(setting);
        const auto step = [&](const std::string& note) { bench_.step(note); };
        add_ablation(results_, measure_ablation(image_.frame, setting.name, setting.params, common_.device,
                                                arguments_.bench.repeat, step));
    });
    nlohmann::ordered_json document{{"backend", backends_.front()->name()},
                                    {"device", backends_.front()->description()},
                                    {"image", image_.source},
                                    {"devices", devices_json(backends_)}};
    if (model_) document["model"] = *model_;
    std::string image = image_.source;
    if (settings.front().size == settings.back().size) {  // of several sizes, each row has its own
        document["width"] = image_.frame.width();
        document["height"] = image_.frame.height();
        image += fmt::format(", {}x{}", image_.frame.width(), image_.frame.height());
    }
    const std::string heading =
        fmt::format("{}{}{}, medians of {} runs, OpenCV {} with {} threads", describe(backends_), model_title_, image,
                    arguments_.bench.repeat, CV_VERSION, cv::getNumThreads());
    return bench_.finish(results_, std::move(document), heading, notes_, arguments_.ablation ? "ablation" : "rows");
}

void ImageBench::read_image(const std::string& size) {
    if (image_.frame && (size.empty() || !arguments_.image.empty())) return;
    image_ = arguments_.image.empty() ? drawn_image(size.empty() ? arguments_.size : size, arguments_.faces)
                                      : first_image(arguments_.image);
}

void ImageBench::set_model(const std::string& title, const std::string& path) {
    model_title_ = fmt::format("{}, {}, ", title, path);
    model_ = path;
}

void ImageBench::measure_in_turn(std::vector<BenchCase>& cases, const DetectorSetting& setting) {
    measure_interleaved(cases, kWarmUpRounds, arguments_.bench.repeat, setting.name,
                        [&](const std::string& note) { bench_.step(note); });
}

std::int64_t common_boxes(const DetectionSet& ours, std::vector<cv::Rect> theirs) {
    const auto before = [](const cv::Rect& a, const cv::Rect& b) {
        return std::tuple(a.x, a.y, a.width, a.height) < std::tuple(b.x, b.y, b.width, b.height);
    };
    std::vector<cv::Rect> mine;
    for (const Detection& d : ours.detections) {
        mine.emplace_back(static_cast<int>(d.box.x), static_cast<int>(d.box.y), static_cast<int>(d.box.w),
                          static_cast<int>(d.box.h));
    }
    std::sort(mine.begin(), mine.end(), before);
    std::sort(theirs.begin(), theirs.end(), before);
    std::vector<cv::Rect> both;
    std::set_intersection(mine.begin(), mine.end(), theirs.begin(), theirs.end(), std::back_inserter(both), before);
    return static_cast<std::int64_t>(both.size());
}

}  // namespace throng
