#include "core/cpu/cpu_backend.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <thread>

#include "core/base/error.h"
#include "core/cpu/cascade_detector.h"
#include "core/cpu/cpu_recorder.h"
#include "core/cpu/nms.h"
#include "core/model/cascade_xml.h"
#include "core/model/model_finder.h"

namespace throng {
namespace {

int thread_count(int wanted) {
    return wanted > 0 ? wanted : static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
}

// The marketing name where the system tells it, else "CPU".
std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("model name", 0) != 0) continue;
        const auto colon = line.find(": ");
        if (colon != std::string::npos) return line.substr(colon + 2);
    }
    return "CPU";
}

class CpuBackend final : public Backend {
public:
    explicit CpuBackend(int threads) : threads_(thread_count(threads)) {}

    [[nodiscard]] std::string name() const override { return "cpu"; }

    [[nodiscard]] std::string description() const override {
        return processor_name() + ", " + std::to_string(threads_) + (threads_ == 1 ? " thread, " : " threads, ") +
               simd_name();
    }

    [[nodiscard]] std::unique_ptr<Detector> make_detector(const DetectorParams& params) override {
        check_params(params);
        if (params.kind != "haar" && params.kind != "lbp") {
            throw Error(ErrorKind::unavailable, "the CPU backend has no such detector", params.kind, "use haar or lbp");
        }
        CascadeModel model = read_cascade(find_cascade(params.model, params.kind));
        const bool lbp = model.kind == CascadeKind::lbp;
        if (lbp != (params.kind == "lbp")) {
            throw Error(ErrorKind::usage,
                        lbp ? "is an LBP cascade, not a Haar one" : "is a Haar cascade, not an LBP one", model.name,
                        lbp ? "use --detector lbp" : "use --detector haar");
        }
        return std::make_unique<CascadeDetector>(std::move(model), params, threads_);
    }

    [[nodiscard]] std::unique_ptr<Nms> make_nms() override { return make_cpu_nms(); }

    [[nodiscard]] DetectionBuffer make_buffer(std::int32_t capacity, const DetectionExtras& extras) override {
        return make_host_buffer(capacity, extras);
    }

    [[nodiscard]] std::unique_ptr<StageRecorder> make_recorder() override { return std::make_unique<CpuRecorder>(); }

    void download(const DetectionBuffer& buffer, DetectionSet& out) override {
        const DetectionSpan& span = buffer.span();
        out.wanted = span.count->wanted;
        out.invalid = span.count->invalid;
        const auto stored = static_cast<std::size_t>(
            std::min<std::uint32_t>(span.count->wanted, static_cast<std::uint32_t>(span.capacity)));
        out.detections.resize(stored);
        for (std::size_t i = 0; i < stored; ++i) {
            out.detections[i] = {span.boxes[i], span.scores[i], span.hits[i], span.source[i]};
        }
        out.landmarks.resize(span.landmarks != nullptr ? stored : 0);
        for (std::size_t i = 0; i < out.landmarks.size(); ++i) {
            std::copy_n(span.landmarks + 10 * i, 10, out.landmarks[i].xy);
        }
    }

    void upload(const DetectionSet& in, DetectionBuffer& buffer) override {
        const DetectionSpan& span = buffer.span();
        const std::size_t stored = std::min(in.detections.size(), static_cast<std::size_t>(span.capacity));
        for (std::size_t i = 0; i < stored; ++i) {
            const Detection& d = in.detections[i];
            span.boxes[i] = d.box;
            span.scores[i] = d.score;
            span.hits[i] = d.hits;
            span.source[i] = d.source;
        }
        if (span.landmarks != nullptr) {
            for (std::size_t i = 0; i < std::min(stored, in.landmarks.size()); ++i) {
                std::copy_n(in.landmarks[i].xy, 10, span.landmarks + 10 * i);
            }
        }
        *span.count = {static_cast<std::uint32_t>(in.detections.size()), 0};
    }

private:
    int threads_;
};

}  // namespace

std::shared_ptr<Backend> make_cpu_backend(int threads) {
    return std::make_shared<CpuBackend>(threads);
}

}  // namespace throng
