#ifdef TH_WITH_CUDA

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "app/api/nms/device_nms.h"
#include "core/base/error.h"
#include "gpu/caller_nms/caller_nms.h"
#include "gpu/runtime/probe_kernel.h"

namespace throng::api {
namespace {

void check(int status, const char* what) {
    if (status == cudaSuccess) return;
    const auto error = static_cast<cudaError_t>(status);
    // The second one: in a process that was forked after CUDA was used.
    const bool unavailable = error == cudaErrorMemoryAllocation || error == cudaErrorInitializationError;
    throw Error(unavailable ? ErrorKind::unavailable : ErrorKind::internal,
                std::string(what) + ": " + cudaGetErrorString(error), "CUDA");
}

// Selects a device for the calling thread and restores the previous one.
class DeviceScope {
public:
    explicit DeviceScope(int device) {
        check(cudaGetDevice(&previous_), "cudaGetDevice");
        if (previous_ != device) check(cudaSetDevice(device), "cudaSetDevice");
        changed_ = previous_ != device;
    }
    ~DeviceScope() {
        if (changed_) static_cast<void>(cudaSetDevice(previous_));
    }
    DeviceScope(const DeviceScope&) = delete;
    DeviceScope& operator=(const DeviceScope&) = delete;

private:
    int previous_ = 0;
    bool changed_ = false;
};

class CudaDeviceNms final : public DeviceNms {
public:
    explicit CudaDeviceNms(int device) : checks_pointers_(std::getenv("THRONG_CHECK_POINTERS") != nullptr) {
        int count = 0;
        const cudaError_t status = cudaGetDeviceCount(&count);
        if (status != cudaSuccess) {
            throw Error(ErrorKind::unavailable, std::string("no CUDA device: ") + cudaGetErrorString(status), "device");
        }
        if (device < 0 || device >= count) {
            throw Error(ErrorKind::unavailable, "there is no CUDA device " + std::to_string(device), "device");
        }
        device_.index = device;
        const DeviceScope scope(device);
        check(cudaDeviceGetAttribute(&device_.multiprocessors, cudaDevAttrMultiProcessorCount, device),
              "cudaDeviceGetAttribute");
        const auto found = static_cast<cudaError_t>(gpu::find_probe_kernel(device_.code));
        static_cast<void>(cudaGetLastError());
        if (found != cudaSuccess) {
            throw Error(ErrorKind::unavailable,
                        "the library has no code for this device: " + std::string(cudaGetErrorString(found)), "device");
        }
    }

    [[nodiscard]] std::size_t workspace_bytes(const throng_nms_params& arguments, const NmsParams& params,
                                              std::int64_t num_boxes) override {
        const DeviceScope scope(device_.index);
        return bytes_of(rules_of(arguments, params), size_of(num_boxes));
    }

    void run(const throng_nms_params& arguments, const NmsParams& params, const throng_nms_input& input,
             const throng_nms_output& output, void* workspace, std::size_t workspace_bytes, void* stream) override {
        const DeviceScope scope(device_.index);
        gpu::CallerNmsTask task;
        task.rules = rules_of(arguments, params);
        task.size = size_of(input.num_boxes);
        const std::size_t needed = bytes_of(task.rules, task.size);
        if (workspace == nullptr || workspace_bytes < needed) {
            throw Error(ErrorKind::usage,
                        "has " + std::to_string(workspace == nullptr ? 0 : workspace_bytes) + " bytes, but " +
                            std::to_string(needed) + " are needed",
                        "workspace", "call throng_nms_workspace_size");
        }
        if (reinterpret_cast<std::uintptr_t>(workspace) % gpu::kCallerNmsAlignment != 0) {
            throw Error(ErrorKind::usage, "is not aligned to 256 bytes", "workspace");
        }
        if (checks_pointers_) check_pointers(input, output, workspace);
        task.type = input.dtype == THRONG_FLOAT64   ? gpu::CallerType::float64
                    : input.dtype == THRONG_FLOAT16 ? gpu::CallerType::float16
                                                    : gpu::CallerType::float32;
        task.xywh = input.box_format == THRONG_XYWH;
        task.ids_are_int64 = input.id_dtype == THRONG_INT64;
        task.results_are_int64 = output.index_dtype == THRONG_INT64;
        task.boxes = input.boxes;
        task.scores = input.scores;
        task.class_ids = input.class_ids;
        task.image_ids = input.image_ids;
        task.density = input.density;
        task.features = input.features;
        task.feature_size = input.feature_size;
        task.score_threshold = arguments.score_threshold;
        task.max_output = arguments.max_output;
        task.capacity = output.capacity;
        task.indices = output.indices;
        task.mask = output.mask;
        task.hits = output.hits;
        task.kept_scores = output.scores;
        task.count = output.count;
        task.invalid = output.invalid;
        gpu::launch_caller_nms(device_, task, workspace, workspace_bytes, static_cast<cudaStream_t>(stream));
    }

private:
    static gpu::CallerNmsRules rules_of(const throng_nms_params& arguments, const NmsParams& params) {
        return {arguments.invalid == THRONG_NMS_KEEP_INVALID, arguments.theta, params};
    }

    static std::int32_t size_of(std::int64_t num_boxes) {
        if (num_boxes > gpu::kCallerNmsLimit) {
            throw Error(ErrorKind::unavailable, "exceeds 2^24, the most in device memory", "num_boxes",
                        "use a host handle");
        }
        return static_cast<std::int32_t>(num_boxes);
    }

    // Callers mostly repeat a size; measuring it takes longer than a call.
    std::size_t bytes_of(const gpu::CallerNmsRules& rules, std::int32_t size) {
        if (size != measured_size_ || rules.torchvision != measured_.torchvision || rules.params != measured_.params) {
            bytes_ = gpu::caller_nms_workspace(device_, rules, size);
            measured_ = rules;
            measured_size_ = size;
        }
        return bytes_;
    }

    // Debug mode: a pointer to ordinary host memory is an error instead of a fault of a kernel.
    static void check_pointers(const throng_nms_input& input, const throng_nms_output& output, const void* workspace) {
        const auto require_device = [](const void* pointer, const char* name) {
            if (pointer == nullptr) return;
            cudaPointerAttributes attributes{};
            check(cudaPointerGetAttributes(&attributes, pointer), "cudaPointerGetAttributes");
            if (attributes.type == cudaMemoryTypeUnregistered) {
                throw Error(ErrorKind::usage, "is in host memory that the device cannot read", name);
            }
        };
        require_device(input.boxes, "input.boxes");
        require_device(input.scores, "input.scores");
        require_device(input.class_ids, "input.class_ids");
        require_device(input.image_ids, "input.image_ids");
        require_device(input.density, "input.density");
        require_device(input.features, "input.features");
        require_device(output.indices, "output.indices");
        require_device(output.mask, "output.mask");
        require_device(output.hits, "output.hits");
        require_device(output.scores, "output.scores");
        require_device(output.count, "output.count");
        require_device(output.invalid, "output.invalid");
        require_device(workspace, "workspace");
    }

    gpu::DeviceInfo device_;
    bool checks_pointers_;
    gpu::CallerNmsRules measured_;
    std::int32_t measured_size_ = -1;
    std::size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<DeviceNms> make_device_nms(int device) {
    return std::make_unique<CudaDeviceNms>(device);
}

}  // namespace throng::api

// libthrong_nms has no log. Failures in destructors are not reported; the next call reports them.
void throng::gpu::warn_cuda(int, const char*) noexcept {}

#endif
