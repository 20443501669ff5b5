#include "core/cpu/cpu_backend.h"

#include <fstream>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/cpu/cascade_detector.h"
#include "core/cpu/cnn_detector.h"
#include "core/cpu/cpu_recorder.h"
#include "core/cpu/hog_detector.h"
#include "core/cpu/nms.h"
#include "core/cpu/shared_models.h"
#include "core/detect/detector_kinds.h"
#include "core/model/cascade_xml.h"
#include "core/model/hog_model.h"
#include "core/model/model_finder.h"
#include "core/model/onnx_reader.h"

namespace throng {
namespace {

int thread_count(int requested) {
    return requested > 0 ? requested : cpu_cores();
}

// Returns the processor's marketing name if the system reports it, else "CPU".
std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("model name", 0) != 0) continue;
        const auto colon = line.find(": ");
        if (colon != std::string::npos) return line.substr(colon + 2);
    }
    return "CPU";
}

struct CpuModels {
    SharedModels<CascadeModel> cascades;
    SharedModels<CnnModel> networks;
};

std::unique_ptr<Detector> make_cascade_detector(CpuModels& models, const DetectorParams& params, int threads) {
    const std::shared_ptr<const CascadeModel> model =
        models.cascades.get(params, [&] { return read_cascade(find_model(params.model, params.kind)); });
    const bool lbp = model->kind == CascadeKind::lbp;
    if (lbp != (params.kind == DetectorId::lbp)) {
        throw Error(ErrorKind::usage, lbp ? "is an LBP cascade, not a Haar one" : "is a Haar cascade, not an LBP one",
                    model->name, {"use %1", Setting{"detector", lbp ? "lbp" : "haar"}});
    }
    return std::make_unique<CascadeDetector>(model, params, threads);
}

// Its model is small and built in.
std::unique_ptr<Detector> make_hog_detector(CpuModels&, const DetectorParams& params, int threads) {
    return std::make_unique<HogDetector>(read_hog_model(params.model), params, threads);
}

std::unique_ptr<Detector> make_cnn_detector(CpuModels& models, const DetectorParams& params, int threads) {
    return std::make_unique<CnnDetector>(models.networks.get(params, [&] { return read_network(params); }), params,
                                         threads);
}

// Factories of detector_kinds(). A new detector needs one line here.
struct DetectorFactory {
    DetectorId kind;
    std::unique_ptr<Detector> (*make)(CpuModels& models, const DetectorParams& params, int threads);
};

constexpr DetectorFactory kFactories[] = {
    {DetectorId::haar, make_cascade_detector}, {DetectorId::lbp, make_cascade_detector},
    {DetectorId::hog, make_hog_detector},      {DetectorId::cnn, make_cnn_detector},
    {DetectorId::person, make_cnn_detector},   {DetectorId::face_and_person, make_cnn_detector},
};

class CpuBackend final : public Backend {
public:
    explicit CpuBackend(int threads) : threads_(thread_count(threads)) {}

    [[nodiscard]] BackendKind kind() const override { return BackendKind::cpu; }

    [[nodiscard]] std::string description() const override {
        return processor_name() + ", " + std::to_string(threads_) + (threads_ == 1 ? " thread, " : " threads, ") +
               simd_name();
    }

    [[nodiscard]] std::unique_ptr<Detector> make_detector(const DetectorParams& params) override {
        check_params(params);
        for (const DetectorFactory& factory : kFactories) {
            if (factory.kind == params.kind) return factory.make(models_, params, threads_);
        }
        throw Error(ErrorKind::unavailable, "detector not available on the CPU backend",
                    std::string(detector_kind(params.kind).name));
    }

    [[nodiscard]] std::unique_ptr<Nms> make_nms() override { return make_cpu_nms(threads_); }

    [[nodiscard]] DetectionBuffer make_buffer(std::int32_t capacity, const OptionalFields& optional_fields) override {
        return make_host_buffer(capacity, optional_fields);
    }

    [[nodiscard]] std::unique_ptr<StageRecorder> make_recorder() override { return std::make_unique<CpuRecorder>(); }

    void download(const DetectionBuffer& buffer, DetectionSet& out) override {
        copy_from_host_buffer(buffer.span(), out);
    }
    void upload(const DetectionSet& in, DetectionBuffer& buffer) override { copy_to_host_buffer(in, buffer.span()); }

private:
    int threads_;
    CpuModels models_;
};

}  // namespace

std::shared_ptr<Backend> make_cpu_backend(int threads) {
    return std::make_shared<CpuBackend>(threads);
}

}  // namespace throng
