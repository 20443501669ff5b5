// Accuracy of the rules on annotated crowds: table 7 of the NMS paper.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/lab/experiments/all.h"
#include "app/lab/experiments/bench.h"
#include "app/lab/measure/image_bench.h"
#include "core/base/error.h"
#include "core/base/extension.h"
#include "core/eval/average_precision.h"
#include "core/synth/crowd.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

struct Image {
    std::vector<TruthFace> truth;
    DetectionSet raw;
};

struct ImageSet {
    std::string name;
    std::vector<Image> images;
    double iou = 0.5;
};

struct Rule {
    std::string name;
    NmsParams params;
};

std::vector<Rule> rules() {
    const auto make = [](const char* name, NmsRule rule, Overlap overlap, float theta, Merge merge = Merge::none,
                         std::int32_t min_hits = 1) {
        NmsParams params = nms_rule(rule, theta);
        params.overlap = overlap;
        params.merge = merge;
        params.min_hits = min_hits;
        return Rule{name, params};
    };
    std::vector<Rule> all = {
        make("one-pass, IoU 0.3", NmsRule::one_pass, Overlap::iou, 0.3F),
        make("greedy, IoU 0.3", NmsRule::greedy, Overlap::iou, 0.3F),
        make("one-pass, IoU 0.5", NmsRule::one_pass, Overlap::iou, 0.5F),
        make("greedy, IoU 0.5", NmsRule::greedy, Overlap::iou, 0.5F),
        make("soft-linear, 0.3", NmsRule::soft_linear, Overlap::iou, 0.3F),
        make("soft-gaussian, sigma 0.5", NmsRule::soft_gaussian, Overlap::iou, 0.3F),
        make("adaptive greedy, IoU 0.3", NmsRule::greedy, Overlap::iou, 0.3F),
        make("greedy, smaller box 0.5", NmsRule::greedy, Overlap::min, 0.5F),
        make("the same, merged by mean", NmsRule::greedy, Overlap::min, 0.5F, Merge::mean),
        make("the same, 3 hits or more", NmsRule::greedy, Overlap::min, 0.5F, Merge::mean, 3),
    };
    all[6].params.pair = PairRule::adaptive;
    return all;
}

double iou(const Box& a, const Box& b) {
    return intersection_over_union(a, b);
}

// Sets the density of each box, which adaptive suppression requires. The paper's method predicts it with a separate
// network. Here it comes from the ground truth: the largest overlap of the nearest face with another face.
void add_density(Image& image) {
    image.raw.density.assign(image.raw.detections.size(), 0.0F);
    for (std::size_t i = 0; i < image.raw.detections.size(); ++i) {
        const TruthFace* nearest = nullptr;
        double best = 0;
        for (const TruthFace& face : image.truth) {
            const double overlap = iou(face.box, image.raw.detections[i].box);
            if (overlap <= best) continue;
            best = overlap;
            nearest = &face;
        }
        if (nearest == nullptr) continue;
        double density = 0;
        for (const TruthFace& face : image.truth) {
            if (&face != nearest) density = std::max(density, iou(face.box, nearest->box));
        }
        image.raw.density[i] = static_cast<float>(std::min(density, 1.0));
    }
}

ImageSet drawn_crowds(ExperimentBench& bench) {
    ImageSet set{"drawn crowds", {}, 0.5};
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        bench.step(fmt::format("drawn crowd {}", seed));
        CrowdOptions options;
        options.faces = 120;
        options.width = 1280;
        options.height = 720;
        options.seed = seed;
        const Crowd crowd(options);
        Image image;
        for (const CrowdFace& face : crowd.truth(0)) image.truth.push_back({face.box, face.visible, face.ignore});
        image.raw = bench.detect(crowd.frame(0));
        set.images.push_back(std::move(image));
    }
    return set;
}

fs::path truth_file(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        const std::string extension = lower_extension(entry.path());
        if (name.rfind("truth", 0) == 0 && (extension == ".txt" || extension == ".jsonl"))
            found.push_back(entry.path());
    }
    if (found.empty()) {
        throw Error(ErrorKind::input, "contains no ground truth", folder.string(),
                    "add a file truth*.txt (WIDER FACE format) or truth*.jsonl with the faces");
    }
    return *std::min_element(found.begin(), found.end());
}

// Annotators draw boxes slightly differently, so an IoU of 0.35 is sufficient.
ImageSet photographs(ExperimentBench& bench, const fs::path& folder) {
    ImageSet set{"photographs", {}, 0.35};
    for (const TruthLabels& labels : read_truth(truth_file(folder))) {
        bench.step(labels.source);
        const Frame frame = first_image((folder / labels.source).string()).frame;
        set.images.push_back({labels.entries, bench.detect(frame)});
    }
    return set;
}

}  // namespace

void run_accuracy(ExperimentBench& bench, ExperimentResult& result) {
    std::vector<ImageSet> sets;
    sets.push_back(drawn_crowds(bench));
    if (bench.options().photos.empty()) {
        result.missing.emplace_back("No photographs were given: use --photos FOLDER to measure annotated ones, too.");
    } else {
        sets.push_back(photographs(bench, bench.options().photos));
    }
    result.settings = {
        {"drawn crowds", "4 crowds of 120 faces, 1280x720; a face counts as found from an overlap (IoU) of 0.5"},
        {"photographs", "those of --photos; a face counts as found from an overlap (IoU) of 0.35"},
        {"detector", "Haar alt2, factor 1.1, from 24 pixels"},
        {"ranking", "by score; every detection counts, including those with one hit"},
        {"density", "adaptive: taken from the ground truth, as an ideal density network would predict it"}};
    ResultTable table{"rules", "Accuracy", {}};
    Plot plot{"ap", "Average precision of each rule", "", "average precision"};
    for (ImageSet& set : sets) {
        for (Image& image : set.images) add_density(image);
        std::pair<double, std::string> best{-1, ""};
        std::map<std::string, double> by_name;
        for (const Rule& rule : rules()) {
            bench.step(fmt::format("{}: {}", set.name, rule.name));
            MatchOptions options;
            options.iou = set.iou;
            MatchResult total;
            for (const Image& image : set.images) {
                std::vector<ScoredBox> boxes;
                for (const Detection& d : bench.suppress(bench.cpu(), image.raw, rule.params).detections)
                    boxes.push_back({d.box, d.score, d.hits});
                total += match(image.truth, boxes, options);
            }
            const double ap = average_precision(total).value_or(0);
            plot.add_bar(set.name, rule.name, ap);
            by_name[rule.name] = ap;
            if (ap > best.first) best = {ap, rule.name};
            ResultRow& row = table.rows.row().cell("images", set.name).cell("rule", rule.name).cell("AP", ap, 3);
            row.cell("precision", value_of(precision(total)), 3).cell("recall", value_of(recall(total)), 3);
            row.cell("faces", std::int64_t{total.faces}).cell("correct", std::int64_t{total.correct});
            row.cell("wrong", std::int64_t{total.wrong});
        }
        result.findings.push_back(
            fmt::format("{}: highest AP {:.3f} by {}; one-pass and greedy at IoU 0.3: {:.3f} and {:.3f}.", set.name,
                        best.first, best.second, by_name["one-pass, IoU 0.3"], by_name["greedy, IoU 0.3"]));
    }
    result.add(std::move(table), std::move(plot));
}

}  // namespace throng
