// A crowd video: detections and latency of every frame (figure 12 of the NMS paper).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/experiments/all.h"
#include "app/experiments/bench.h"
#include "core/base/rolling.h"
#include "core/base/secrets.h"
#include "core/detect/stage.h"
#include "core/video/source.h"

namespace throng {
namespace {

constexpr const char* kCrowd = "crowd:faces=80,size=1280x720,seed=3,frames=300";

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

std::string range_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return fmt::format("median {:.4g}, p99 {:.4g}", percentile(values, 0.5), percentile(values, 0.99));
}

}  // namespace

void run_crowd_video(ExperimentBench& bench, ExperimentResult& result) {
    const std::string spec = bench.options().source.empty() ? kCrowd : bench.options().source;
    const std::size_t max_frames = bench.has_cuda() ? 300 : 75;
    Backend& backend = bench.backend();
    const auto source = open_source(spec);
    const auto detector = backend.make_detector(bench.detector_params());
    const auto nms = backend.make_nms();
    const auto recorder = backend.make_recorder();
    DetectionBuffer raw = backend.make_buffer(16384);
    DetectionBuffer kept = backend.make_buffer(16384);
    DetectionSet raw_set, kept_set;
    result.settings = {{"input", mask_credentials(spec)},
                       {"detector", "Haar alt2, factor 1.1, from 24 pixels"},
                       {"suppression", "greedy, IoU, threshold 0.5"}};

    ResultTable table{"frames",
                      "Every frame",
                      {"frame", "raw detections", "kept", "suppression ms", "map ms", "reduce ms", "frame to boxes ms"},
                      {}};
    Series raw_line{"raw detections", {}, false}, kept_line{"kept", {}, false};
    Series nms_line{"suppression", {}, false}, frame_line{"frame to boxes", {}, false};
    std::vector<double> nms_all, frame_all;
    Frame frame;
    for (std::size_t n = 0; n < max_frames;) {
        const ReadStatus status = source->read(frame, {});
        if (status == ReadStatus::end) break;
        if (status == ReadStatus::timeout) continue;
        bench.step(fmt::format("frame {}", n));
        const auto start = std::chrono::steady_clock::now();
        detector->enqueue(frame, raw, *recorder);
        nms->enqueue(raw, kept, nms_rule(NmsRule::greedy), *recorder);
        backend.download(kept, kept_set);
        const double whole = milliseconds_since(start);
        backend.download(raw, raw_set);
        recorder->end_frame();
        // Times suppression alone, on the boxes in the buffer, after a frame that filled the caches with other data.
        const auto alone = std::chrono::steady_clock::now();
        nms->enqueue(raw, kept, nms_rule(NmsRule::greedy), *recorder);
        backend.download(kept, kept_set);
        const double suppression = milliseconds_since(alone);
        std::map<std::string, double> stages;
        for (const auto& [name, ms] : recorder->end_frame()) stages[std::string(name)] = ms;

        const auto at = static_cast<double>(n);
        raw_line.points.emplace_back(at, raw_set.total);
        kept_line.points.emplace_back(at, kept_set.total);
        if (n > 0) {  // the first frame warms up
            nms_line.points.emplace_back(at, suppression);
            frame_line.points.emplace_back(at, whole);
            nms_all.push_back(suppression);
            frame_all.push_back(whole);
        }
        table.rows.push_back({fmt::format("{}", n), fmt::format("{}", raw_set.total), fmt::format("{}", kept_set.total),
                              ms_cell(suppression), ms_cell(stages, stage::kNmsMap), ms_cell(stages, stage::kNmsReduce),
                              ms_cell(whole)});
        ++n;
    }
    result.findings.push_back(
        fmt::format("Milliseconds from frame to boxes: {}; of suppression with the download of the kept boxes: {}.",
                    range_of(frame_all), range_of(nms_all)));
    result.plots.push_back({"detections",
                            "Detections in each frame",
                            "frame",
                            "detections",
                            false,
                            false,
                            {},
                            {std::move(raw_line), std::move(kept_line)}});
    result.plots.push_back({"latency",
                            "Latency of each frame",
                            "frame",
                            "milliseconds",
                            false,
                            true,
                            {},
                            {std::move(nms_line), std::move(frame_line)}});
    result.tables.push_back(std::move(table));
}

}  // namespace throng
