// bench_accuracy: measures how well cascades find the faces of annotated photographs and of the drawn crowd. Compares
// OpenCV's grouping with Throng's scores and suppression in many settings. Prints one table; requires the test data.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/objdetect.hpp>
#include <string>
#include <vector>

#include "app/lab/measure/image_bench.h"
#include "core/base/error.h"
#include "core/cpu/cpu_backend.h"
#include "core/detect/nms_names.h"
#include "core/eval/average_precision.h"
#include "core/synth/crowd.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr int kMinSize = 20;
constexpr double kFactor = 1.1;
constexpr double kIou = 0.35;
constexpr double kStrictIou = 0.5;

struct Image {
    Frame frame;
    std::vector<TruthFace> truth;
};

struct Model {
    DetectorId kind;
    const char* file;
};
constexpr Model kModels[] = {{DetectorId::haar, "haarcascades/haarcascade_frontalface_alt2.xml"},
                             {DetectorId::lbp, "lbpcascades/lbpcascade_frontalface.xml"}};

std::vector<Image> photographs(const fs::path& dir) {
    FramePool pool;
    std::vector<Image> images;
    for (const TruthLabels& labels : read_truth(dir / "truth_wider.txt")) {
        const fs::path path = dir / labels.source;
        const cv::Mat gray = cv::imread(path.string(), cv::IMREAD_GRAYSCALE);
        if (gray.empty()) throw Error(ErrorKind::input, "cannot be decoded as an image", path.string());
        WritableFrame frame = pool.take(PixelFormat::gray8, gray.cols, gray.rows);
        for (int y = 0; y < gray.rows; ++y) {
            std::memcpy(frame.data(0) + y * frame.plane(0).pitch, gray.ptr(y), static_cast<std::size_t>(gray.cols));
        }
        images.push_back({std::move(frame).finish(), labels.entries});
    }
    return images;
}

std::vector<Image> crowds() {
    std::vector<Image> images;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        CrowdOptions options;
        options.seed = seed;
        const Crowd crowd(options);
        for (const std::int64_t n : {0, 60}) {
            Image image{crowd.frame(n), {}};
            for (const CrowdFace& face : crowd.truth(n)) image.truth.push_back({face.box, face.visible, face.ignore});
            images.push_back(std::move(image));
        }
    }
    return images;
}

// The boxes found in each image of a set.
using Found = std::vector<std::vector<ScoredBox>>;

MatchResult judged(const std::vector<Image>& images, const Found& found, double iou) {
    MatchOptions options;
    options.iou = iou;
    MatchResult total;
    for (std::size_t i = 0; i < images.size(); ++i) total += match(images[i].truth, found[i], options);
    return total;
}

Found opencv_found(const std::vector<Image>& images, const fs::path& model, int min_neighbors) {
    cv::CascadeClassifier cascade(model.string());
    Found found;
    for (const Image& image : images) {
        std::vector<cv::Rect> boxes;
        std::vector<int> levels;
        std::vector<double> weights;
        cascade.detectMultiScale(gray_of(image.frame), boxes, levels, weights, kFactor, min_neighbors, 0,
                                 cv::Size(kMinSize, kMinSize), cv::Size(), true);
        std::vector<ScoredBox>& scored = found.emplace_back();
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            scored.push_back({{static_cast<float>(boxes[i].x), static_cast<float>(boxes[i].y),
                               static_cast<float>(boxes[i].width), static_cast<float>(boxes[i].height)},
                              weights[i],
                              1});
        }
    }
    return found;
}

std::vector<DetectionSet> raw_windows(const std::shared_ptr<Backend>& backend, const std::vector<Image>& images,
                                      const Model& model, const fs::path& models) {
    DetectorParams params;
    params.kind = model.kind;
    params.model = (models / model.file).string();
    params.min_size = kMinSize;
    params.scale_factor = kFactor;
    DetectorRun run(backend, params);
    std::vector<DetectionSet> sets;
    for (const Image& image : images) {
        run.run(image.frame);
        static_cast<void>(run.stages());
        if (run.found().overflow() > 0) throw Error(ErrorKind::internal, "more windows than the buffer holds");
        sets.push_back(run.found());
    }
    return sets;
}

Found suppressed(Backend& backend, const std::vector<DetectionSet>& raw, const NmsParams& params) {
    const auto nms = backend.make_nms();
    const auto recorder = backend.make_recorder();
    Found found;
    for (const DetectionSet& set : raw) {
        const auto capacity = static_cast<std::int32_t>(std::max<std::size_t>(1, set.detections.size()));
        DetectionBuffer in = backend.make_buffer(capacity);
        DetectionBuffer out = backend.make_buffer(capacity);
        backend.upload(set, in);
        nms->enqueue(in, out, params, *recorder);
        DetectionSet kept;
        backend.download(out, kept);
        static_cast<void>(recorder->end_frame());
        std::vector<ScoredBox>& scored = found.emplace_back();
        for (const Detection& d : kept.detections) scored.push_back({d.box, static_cast<double>(d.score), d.hits});
    }
    return found;
}

std::vector<NmsParams> settings() {
    std::vector<NmsParams> all;
    const auto add = [&all](NmsRule rule, Overlap overlap, float theta, std::int32_t min_hits, Merge merge) {
        NmsParams params;
        params.rule = rule;
        params.overlap = overlap;
        params.theta = theta;
        params.min_hits = min_hits;
        params.merge = merge;
        all.push_back(params);
    };
    for (const NmsRule rule : {NmsRule::greedy, NmsRule::one_pass}) {
        for (const float theta : {0.2F, 0.3F, 0.4F}) add(rule, Overlap::iou, theta, 1, Merge::none);
        for (const float theta : {0.2F, 0.3F}) add(rule, Overlap::suppressor, theta, 1, Merge::none);
        for (const float theta : {0.4F, 0.5F, 0.6F}) add(rule, Overlap::min, theta, 1, Merge::none);
    }
    for (const Merge merge : {Merge::mean, Merge::weighted}) {
        add(NmsRule::greedy, Overlap::iou, 0.3F, 1, merge);
        add(NmsRule::greedy, Overlap::min, 0.5F, 1, merge);
    }
    for (const std::int32_t min_hits : {2, 3}) {
        add(NmsRule::greedy, Overlap::iou, 0.3F, min_hits, Merge::none);
        add(NmsRule::greedy, Overlap::min, 0.5F, min_hits, Merge::none);
    }
    return all;
}

void add_row(ResultList& results, const std::string& model, const std::string& how, const std::vector<Image>& photos,
             const Found& in_photos, const std::vector<Image>& crowd, const Found& in_crowd) {
    const MatchResult p = judged(photos, in_photos, kIou);
    const MatchResult c = judged(crowd, in_crowd, kIou);
    ResultRow& row = results.row().cell("cascade", model).cell("grouping", how);
    row.cell("AP", value_of(average_precision(p))).cell("precision", value_of(precision(p)), 3);
    row.cell("recall", value_of(recall(p)), 3);
    row.cell("AP at 0.5", value_of(average_precision(judged(photos, in_photos, kStrictIou))));
    row.cell("crowd AP", value_of(average_precision(c))).cell("crowd precision", value_of(precision(c)), 3);
    row.cell("crowd recall", value_of(recall(c)), 3);
}

int run(const fs::path& dir, const fs::path& models) {
    const std::vector<Image> photos = photographs(dir);
    const std::vector<Image> crowd = crowds();
    const auto backend = make_cpu_backend();
    ResultList results;
    for (const Model& model : kModels) {
        const std::string name = fs::path(model.file).stem().string();
        for (const int min_neighbors : {1, 3}) {
            add_row(results, name, fmt::format("OpenCV, minNeighbors {}", min_neighbors), photos,
                    opencv_found(photos, models / model.file, min_neighbors), crowd,
                    opencv_found(crowd, models / model.file, min_neighbors));
        }
        const auto raw_photos = raw_windows(backend, photos, model, models);
        const auto raw_crowd = raw_windows(backend, crowd, model, models);
        for (const NmsParams& params : settings()) {
            const std::string how =
                fmt::format("{} {} {:.1f}, min-hits {}, merge {}", name_of(kNmsRuleNames, params.rule),
                            name_of(kOverlapNames, params.overlap), params.theta, params.min_hits,
                            name_of(kMergeNames, params.merge));
            add_row(results, name, how, photos, suppressed(*backend, raw_photos, params), crowd,
                    suppressed(*backend, raw_crowd, params));
        }
    }
    std::size_t faces = 0;
    for (const Image& image : photos) faces += image.truth.size();
    std::printf("%zu photographs with %zu faces, IoU %.2f; 6 images of the crowd; faces from %d px, factor %.1f\n\n%s",
                photos.size(), faces, kIou, kMinSize, kFactor, results.table().text().c_str());
    return 0;
}

}  // namespace
}  // namespace throng

int main(int argc, char** argv) {
    if (argc != 2 && argc != 3) {
        std::fputs(
            "usage: bench_accuracy PHOTOS [MODELS]\n  PHOTOS: a folder with truth_wider.txt and its photographs\n"
            "  MODELS: the folder of OpenCV's cascades; default: /usr/share/opencv4\n",
            stderr);
        return 2;
    }
    try {
        return throng::run(argv[1], argc == 3 ? argv[2] : "/usr/share/opencv4");
    } catch (const throng::Error& error) {
        std::fprintf(stderr, "bench_accuracy: %s\n", error.what());
        return throng::exit_status(error.kind());
    }
}
