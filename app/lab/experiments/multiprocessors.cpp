// Latency over the number of cores: the NMS paper claims that its kernels scale with it.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/cuda_module/load.h"
#include "app/lab/experiments/all.h"
#include "app/lab/experiments/bench.h"
#include "app/lab/measure/nms_clusters.h"
#include "core/base/error.h"

namespace throng {
namespace {

std::vector<int> shares_of(int all) {
    std::vector<int> shares;
    for (const int share : {8, 16, 24, 32, 48, 64, 96, 128, 160, 192}) {
        if (share < all) shares.push_back(share);
    }
    shares.push_back(all);
    return shares;
}

int multiprocessors_of(const CudaModule& cuda, int device) {
    for (const gpu::DeviceInfo& found : cuda.probe().devices) {
        if (found.index == device) return found.multiprocessors;
    }
    throw Error(ErrorKind::unavailable, "device " + std::to_string(device) + " does not exist", Setting{"device"});
}

}  // namespace

std::vector<ShareTimes> time_shares(ExperimentBench& bench, const std::vector<std::size_t>& sizes) {
    const CudaModule& cuda = require_cuda_module("experiments");
    const int device = bench.common().device;
    const int all = multiprocessors_of(cuda, device);
    std::vector<ShareTimes> times;
    std::set<int> done;
    for (const int share : shares_of(all)) {
        bench.step(fmt::format("{} of {} multiprocessors", share, all));
        const auto measured_before = [&](int multiprocessors) { return done.count(multiprocessors) > 0; };
        int multiprocessors = 0;
        for (const std::size_t n : sizes) {
            const DetectionSet boxes = make_clusters({static_cast<std::int32_t>(n), 20, 1, false});
            struct Variant {
                const char* name;
                NmsParams params;
                std::int32_t capacity;
            };
            const auto exact = static_cast<std::int32_t>(n);
            const Variant engines[] = {{"paper's kernels", paper_kernels(32), dmax_for(std::max<std::size_t>(n, 4096))},
                                       {"one-pass", nms_rule(NmsRule::one_pass), exact},
                                       {"greedy", nms_rule(NmsRule::greedy), exact}};
            for (const Variant& engine : engines) {
                if (engine.params.kernels == NmsKernels::paper && n > 4096) continue;
                const PartialDeviceTime time =
                    cuda.time_partial_nms(device, share, boxes, engine.params, engine.capacity);
                multiprocessors = time.multiprocessors;
                if (measured_before(multiprocessors)) break;  // another share was rounded up to the same number
                times.push_back({engine.name, n, multiprocessors, time.median_ms, time.kept});
            }
            if (measured_before(multiprocessors)) break;
        }
        done.insert(multiprocessors);
    }
    return times;
}

void add_shares(const std::vector<ShareTimes>& times, Plot& plot, ResultTable& table) {
    for (const ShareTimes& time : times) {
        plot.add(fmt::format("{}, {}", time.engine, time.detections), time.multiprocessors, time.ms);
        ResultRow& row = table.rows.row().cell("detections", static_cast<std::int64_t>(time.detections));
        row.cell("engine", time.engine).cell("multiprocessors", std::int64_t{time.multiprocessors});
        row.cell("milliseconds", time.ms).cell("kept", static_cast<std::int64_t>(time.kept));
    }
}

void run_multiprocessors(ExperimentBench& bench, ExperimentResult& result) {
    result.settings = {
        {"input", "1027, 2895 and 16384 boxes in clusters of 20, seed 1"},
        {"suppression", "IoU, threshold 0.5; the paper's kernels with k = 32 and D_max 4096"},
        {"multiprocessors", "partitions of the device (green contexts), calls enqueued one after another"}};
    if (!bench.has_cuda()) {
        result.missing.emplace_back("The number of multiprocessors cannot be varied without a GPU: " + bench.why() +
                                    ".");
        return;
    }
    ResultTable table{"multiprocessors", "Milliseconds, medians", {}};
    Plot plot{"multiprocessors", "Latency over multiprocessors", "multiprocessors in use", "milliseconds", true, true};
    add_shares(time_shares(bench, {1027, 2895, 16384}), plot, table);
    for (const Series& line : plot.series) {
        const auto& [few, slow] = line.points.front();
        const auto& [many, fast] = line.points.back();
        result.findings.push_back(
            fmt::format("{} detections: {:.1f} times as fast with {:.1f} times the multiprocessors.", line.name,
                        slow / fast, many / few));
    }
    result.add(std::move(table), std::move(plot));
}

}  // namespace throng
