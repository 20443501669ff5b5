// bench_cnn_accuracy: measures how well the convolutional networks find the faces of annotated photographs, and what
// they find in images without faces. Compares Throng's detector, with its defaults and letterboxed, with OpenCV's DNN
// on the whole image. Prints one table; requires the test data.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "app/lab/measure/result_list.h"
#include "core/base/error.h"
#include "core/cpu/cpu_backend.h"
#include "core/detect/detector_kinds.h"
#include "core/eval/average_precision.h"
#include "core/model/cnn_plan.h"
#include "core/model/onnx_reader.h"
#include "core/video/source.h"
#include "tests/support/cnn_oracle.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr double kIou = 0.35;
constexpr double kStrictIou = 0.5;
constexpr double kCertain = 0.6;      // score that nothing in an image without faces should exceed
constexpr double kCurveFloor = 0.05;  // lowest threshold of the precision/recall curve

struct Image {
    std::string name;
    cv::Mat bgr;
    std::vector<TruthFace> truth;
};

Frame frame_of(const cv::Mat& bgr) {
    FrameInfo info;
    info.width = bgr.cols;
    info.height = bgr.rows;
    info.format = PixelFormat::bgr24;
    info.range = ColorRange::full;
    const PlaneView planes[Frame::kMaxPlanes] = {
        {bgr.data, static_cast<std::ptrdiff_t>(bgr.step[0]), bgr.cols * 3, bgr.rows}, {}, {}};
    return Frame(info, planes, std::make_shared<cv::Mat>(bgr));
}

cv::Mat read_image(const fs::path& path) {
    cv::Mat bgr = cv::imread(path.string(), cv::IMREAD_COLOR);
    if (bgr.empty()) throw Error(ErrorKind::input, "cannot be decoded as an image", path.string());
    return bgr;
}

// Returns the suppressed boxes of an image.
using Finder = std::function<std::vector<ScoredBox>(const Frame&, const cv::Mat&)>;

class OurFinder {
public:
    OurFinder(Backend& backend, const DetectorParams& params)
        : backend_(backend),
          detector_(backend.make_detector(params)),
          nms_(backend.make_nms()),
          recorder_(backend.make_recorder()),
          raw_(backend.make_buffer(1 << 21)),
          kept_(backend.make_buffer(1 << 21)) {}

    std::vector<ScoredBox> operator()(const Frame& frame) {
        detector_->enqueue(frame, raw_, *recorder_);
        nms_->enqueue(raw_, kept_, detector_kind("cnn").nms, *recorder_);
        DetectionSet set;
        backend_.download(kept_, set);
        static_cast<void>(recorder_->end_frame());
        std::vector<ScoredBox> found;
        for (const Detection& d : set.detections) found.push_back({d.box, static_cast<double>(d.score), d.hits});
        return found;
    }

private:
    Backend& backend_;
    std::unique_ptr<Detector> detector_;
    std::unique_ptr<Nms> nms_;
    std::unique_ptr<StageRecorder> recorder_;
    DetectionBuffer raw_;
    DetectionBuffer kept_;
};

// Runs OpenCV on the image at its own size or, if `input` is not empty, stretched to that size.
std::vector<ScoredBox> opencv_found(test::CnnOracle& oracle, const cv::Mat& bgr, cv::Size input) {
    cv::Mat image = bgr;
    if (input.area() > 0) cv::resize(bgr, image, input);
    const double sx = static_cast<double>(bgr.cols) / image.cols;
    const double sy = static_cast<double>(bgr.rows) / image.rows;
    std::vector<ScoredBox> found;
    for (const test::OracleFace& face : oracle.faces(image, kCurveFloor, 0.3)) {
        found.push_back({{static_cast<float>(face.x * sx), static_cast<float>(face.y * sy),
                          static_cast<float>(face.w * sx), static_cast<float>(face.h * sy)},
                         face.score,
                         1});
    }
    return found;
}

struct Data {
    std::vector<Image> photos;
    cv::Mat without_faces;
    std::vector<Frame> clips;  // frames without faces
};

std::int64_t above(const std::vector<ScoredBox>& found, double score) {
    return std::count_if(found.begin(), found.end(), [score](const ScoredBox& box) { return box.score > score; });
}

// Returns the lowest threshold with fewer than one false face per 100 frames.
double certain_score(std::vector<double> false_scores, std::size_t frames) {
    const std::size_t allowed = (frames + 99) / 100 - 1;
    if (false_scores.size() <= allowed) return 0;
    std::sort(false_scores.begin(), false_scores.end(), std::greater<>());
    return std::nextafter(false_scores[allowed], 2.0);
}

MatchResult match_all(const Data& data, const std::vector<std::vector<ScoredBox>>& found, double iou,
                      double min_score) {
    MatchResult all;
    MatchOptions options;
    options.iou = iou;
    for (std::size_t k = 0; k < found.size(); ++k) {
        std::vector<ScoredBox> kept;
        std::copy_if(found[k].begin(), found[k].end(), std::back_inserter(kept),
                     [&](const ScoredBox& box) { return static_cast<double>(box.score) >= min_score; });
        all += match(data.photos[k].truth, kept, options);
    }
    return all;
}

void add_row(ResultList& results, const Data& data, const std::string& model, const std::string& how, double threshold,
             bool clips, const Finder& find) {
    std::vector<std::vector<ScoredBox>> found;
    for (const Image& image : data.photos) found.push_back(find(frame_of(image.bgr), image.bgr));
    const MatchResult working = match_all(data, found, kIou, threshold);
    ResultRow& row = results.row().cell("model", model).cell("how", how);
    row.cell("AP", value_of(average_precision(match_all(data, found, kIou, 0))));
    row.cell("AP at 0.5", value_of(average_precision(match_all(data, found, kStrictIou, 0))));
    row.cell("threshold", threshold, 3).cell("precision", value_of(precision(working)), 3);
    row.cell("recall", value_of(recall(working)), 3);
    row.cell("false above 0.6", above(find(frame_of(data.without_faces), data.without_faces), kCertain));
    if (!clips || data.clips.empty()) return;
    std::vector<double> scores;
    for (const Frame& frame : data.clips) {
        for (const ScoredBox& box : find(frame, {})) scores.push_back(static_cast<double>(box.score));
    }
    const auto wrong = std::count_if(scores.begin(), scores.end(), [&](double score) { return score >= threshold; });
    row.cell("false per 100 frames", 100.0 * static_cast<double>(wrong) / static_cast<double>(data.clips.size()), 2);
    const double certain = certain_score(scores, data.clips.size());
    row.cell("score for < 1", certain, 3);
    row.cell("recall at it", value_of(recall(match_all(data, found, kIou, certain))), 3);
}

int run(const fs::path& dir, const std::vector<std::string>& models) {
    Data data;
    for (const TruthLabels& labels : read_truth(dir / "photos/truth_wider.txt")) {
        data.photos.push_back({labels.source, read_image(dir / "photos" / labels.source), labels.entries});
    }
    data.without_faces = read_image(dir / "photos/det_34501842524_3c858b3080_k.jpg");
    for (const char* clip : {"one-by-one-person-detection.mp4", "store-aisle-detection.gif"}) {
        const auto source = open_source((dir / "videos" / clip).string());
        Frame frame;
        for (std::stop_token stop; source->read(frame, stop) != ReadStatus::end;) {
            if (frame.info().index % 3 == 0) data.clips.push_back(frame);
        }
    }
    const auto backend = make_cpu_backend();
    ResultList results;
    const DetectorParams& defaults = detector_kind("cnn").params;
    for (const std::string& model : models) {
        DetectorParams params = defaults;
        params.model = (dir / "models" / (model + ".onnx")).string();
        const Network network = read_onnx(params.model);
        const auto threshold = static_cast<double>(cnn_score_threshold(params, network.head.family));
        params.score_threshold = static_cast<float>(kCurveFloor);
        OurFinder ours(*backend, params);
        add_row(results, data, model, "Throng, defaults", threshold, true,
                [&](const Frame& frame, const cv::Mat&) { return ours(frame); });
        params.switches["input"] = "letterbox";
        OurFinder letterboxed(*backend, params);
        add_row(results, data, model, "Throng, letterboxed", threshold, true,
                [&](const Frame& frame, const cv::Mat&) { return letterboxed(frame); });
        // OpenCV 4.6 cannot read YuNet with a dynamic input. The fixed one has the same layers and accepts any size,
        // too.
        const bool is_dynamic = model.find("dynamic") != std::string::npos;
        const bool yunet = model.find("yunet") != std::string::npos;
        test::CnnOracle oracle(is_dynamic ? dir / "models/yunet_n_640_640.onnx" : fs::path(params.model));
        const cv::Size input = yunet ? cv::Size() : cv::Size(network.input.width, network.input.height);
        add_row(results, data, model, yunet ? "OpenCV's DNN, whole image" : "OpenCV's DNN, stretched", threshold, false,
                [&](const Frame&, const cv::Mat& bgr) { return opencv_found(oracle, bgr, input); });
    }
    std::size_t faces = 0;
    for (const Image& image : data.photos) faces += image.truth.size();
    std::printf(
        "%zu photographs with %zu faces, IoU %.2f; %zu frames without faces; \"threshold\" is the "
        "model's own\n\n%s",
        data.photos.size(), faces, kIou, data.clips.size(), results.table().text().c_str());
    return 0;
}

}  // namespace
}  // namespace throng

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs("usage: bench_cnn_accuracy DATA [MODEL...]\n  DATA: a folder with photos/, videos/ and models/\n",
                   stderr);
        return 2;
    }
    std::vector<std::string> models(argv + 2, argv + argc);
    if (models.empty()) models = {"yunet_n_dynamic", "yunet_s_320_320", "version-RFB-640", "version-RFB-320"};
    try {
        return throng::run(argv[1], models);
    } catch (const throng::Error& error) {
        std::fprintf(stderr, "bench_cnn_accuracy: %s\n", error.what());
        return throng::exit_status(error.kind());
    }
}
