// A crowd video: detections and latency of every frame (figure 12 of the NMS paper).
#include <fmt/format.h>

#include "app/lab/experiments/all.h"
#include "app/lab/experiments/bench.h"
#include "core/base/secrets.h"
#include "core/detect/stage.h"
#include "core/video/source.h"

namespace throng {
namespace {

constexpr const char* kCrowd = "crowd:faces=80,size=1280x720,seed=3,frames=300";

std::string range_of(const Samples& samples) {
    return fmt::format("median {:.4g}, p99 {:.4g}", samples.median(), samples.p99());
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

    ResultTable table{"frames", "Every frame", {}};
    Plot detections{"detections", "Detections in each frame", "frame", "detections"};
    Plot latency{"latency", "Latency of each frame", "frame", "milliseconds", false, true};
    Samples nms_all, frame_all;
    Frame frame;
    for (std::size_t n = 0; n < max_frames;) {
        const ReadStatus status = source->read(frame, {});
        if (status == ReadStatus::end) break;
        if (status == ReadStatus::timeout) continue;
        bench.step(fmt::format("frame {}", n));
        double whole = 0;
        do {
            whole = milliseconds_of([&] {
                detector->enqueue(frame, raw, *recorder);
                nms->enqueue(raw, kept, nms_rule(NmsRule::greedy), *recorder);
                backend.download(kept, kept_set);
            });
            backend.download(raw, raw_set);
        } while (detector->reserve(raw_set.candidates));
        recorder->end_frame();
        // Times suppression alone, on the boxes in the buffer, after a frame that filled the caches with other data.
        RunTimes suppression;
        const double alone = milliseconds_of([&] {
            nms->enqueue(raw, kept, nms_rule(NmsRule::greedy), *recorder);
            backend.download(kept, kept_set);
        });
        suppression.add(alone, recorder->end_frame());

        const auto at = static_cast<double>(n);
        detections.add("raw detections", at, raw_set.total);
        detections.add("kept", at, kept_set.total);
        if (n > 0) {  // the first frame warms up
            latency.add("suppression", at, alone);
            latency.add("frame to boxes", at, whole);
            nms_all.add(alone);
            frame_all.add(whole);
        }
        ResultRow& row = table.rows.row().cell("frame", static_cast<std::int64_t>(n));
        row.cell("raw detections", std::int64_t{raw_set.total}).cell("kept", std::int64_t{kept_set.total});
        row.cell("suppression ms", alone).cell("map ms", value_of(suppression.stage_median(stage::kNmsMap)));
        row.cell("reduce ms", value_of(suppression.stage_median(stage::kNmsReduce))).cell("frame to boxes ms", whole);
        ++n;
    }
    result.findings.push_back(
        fmt::format("Milliseconds from frame to boxes: {}; of suppression with the download of the kept boxes: {}.",
                    range_of(frame_all), range_of(nms_all)));
    result.plots.push_back(std::move(detections));
    result.add(std::move(table), std::move(latency));
}

}  // namespace throng
