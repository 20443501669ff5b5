#include "app/api/throng_nms.h"

#include <cmath>
#include <memory>
#include <utility>

#include "app/api/nms/arguments.h"
#include "app/api/nms/device_nms.h"
#include "app/api/nms/host_nms.h"
#include "app/api/structs.h"
#include "core/base/message.h"

using throng::Error;
using throng::ErrorKind;
namespace api = throng::api;

struct throng_nms : api::Handle {
    explicit throng_nms(std::unique_ptr<api::DeviceNms> made) : device(std::move(made)) {
        set_survives_fork(device == nullptr);
    }
    std::unique_ptr<api::DeviceNms> device;  // null: host
    api::HostNms host;
};

namespace {

// The fields of the structs that hold them.
std::string spell_field(const throng::Setting& setting) {
    const bool of_input = setting.name == "density" || setting.name == "features" || setting.name == "feature_size";
    const std::string field = (of_input ? "input." : "params.") + std::string(setting.name);
    return setting.value.empty() ? field : field + "=" + setting.value;
}

[[maybe_unused]] const bool kSpellsFields = (throng::set_spelling(spell_field), true);

throng_nms_params default_params() {
    const throng::NmsParams defaults;
    throng_nms_params params{};
    params.rule = THRONG_NMS_GREEDY;
    params.min_hits = defaults.min_hits;
    params.theta = 0.3;
    params.sigma = 0.5;
    params.score_min = 0.001;
    params.feature_low = 0.1;
    params.feature_high = 0.9;
    params.feature_distance = 1.0;
    params.score_threshold = std::nan("");
    return params;
}

}  // namespace

#ifndef TH_WITH_CUDA
std::unique_ptr<api::DeviceNms> api::make_device_nms(int) {
    throw Error(ErrorKind::unavailable, "the library is built without CUDA", "memory", "use THRONG_HOST");
}
#endif

extern "C" {

void throng_nms_params_init(throng_nms_params* params, size_t size) {
    api::init_struct(params, size, default_params());
}

void throng_nms_params_init_torchvision(throng_nms_params* params, size_t size) {
    throng_nms_params defaults = default_params();
    defaults.theta = 0.5;
    defaults.ties = THRONG_NMS_TIES_INDEX;
    defaults.compare = THRONG_NMS_ABOVE;
    defaults.invalid = THRONG_NMS_KEEP_INVALID;
    api::init_struct(params, size, defaults);
}

void throng_nms_input_init(throng_nms_input* input, size_t size) {
    throng_nms_input defaults{};
    defaults.dtype = THRONG_FLOAT32;
    defaults.box_format = THRONG_CORNERS;
    defaults.id_dtype = THRONG_INT64;
    api::init_struct(input, size, defaults);
}

void throng_nms_output_init(throng_nms_output* output, size_t size) {
    throng_nms_output defaults{};
    defaults.index_dtype = THRONG_INT64;
    api::init_struct(output, size, defaults);
}

throng_status throng_nms_create(throng_nms** nms, int32_t abi, int32_t memory, int32_t device) {
    if (nms != nullptr) *nms = nullptr;
    return api::guarded(api::creation_error(), [&] {
        if (nms == nullptr) throw Error(ErrorKind::usage, "is NULL", "nms");
        if (abi != THRONG_NMS_ABI) {
            throw Error(ErrorKind::usage,
                        "is " + std::to_string(abi) + ", but the library has " + std::to_string(THRONG_NMS_ABI), "abi",
                        "compile with the header of the installed library");
        }
        if (memory != THRONG_HOST && memory != THRONG_DEVICE) {
            throw Error(ErrorKind::usage, "must be THRONG_HOST or THRONG_DEVICE", "memory");
        }
        *nms = new throng_nms(memory == THRONG_DEVICE ? api::make_device_nms(device) : nullptr);
    });
}

void throng_nms_destroy(throng_nms* nms) {
    api::Handle::destroy(nms);
}

throng_status throng_nms_set_threads(throng_nms* nms, int32_t threads) {
    if (const throng_status status = api::check_handle(nms, "nms"); status != THRONG_OK) return status;
    return nms->call([&] {
        if (threads < 0 || threads > 1024) throw Error(ErrorKind::usage, "must lie in [0, 1024]", "threads");
        nms->host.set_threads(threads);
    });
}

throng_status throng_nms_workspace_size(throng_nms* nms, const throng_nms_params* params, int64_t num_boxes,
                                        size_t* bytes) {
    if (const throng_status status = api::check_handle(nms, "nms"); status != THRONG_OK) return status;
    return nms->call([&] {
        const throng_nms_params checked = api::complete(params);
        const throng::NmsParams rules = api::checked_params(checked);
        api::check_num_boxes(num_boxes);
        if (bytes == nullptr) throw Error(ErrorKind::usage, "is NULL", "bytes");
        *bytes = nms->device != nullptr ? nms->device->workspace_bytes(checked, rules, num_boxes) : 0;
    });
}

throng_status throng_nms_run(throng_nms* nms, const throng_nms_params* params, const throng_nms_input* input,
                             const throng_nms_output* output, void* workspace, size_t workspace_bytes, void* stream) {
    if (const throng_status status = api::check_handle(nms, "nms"); status != THRONG_OK) return status;
    return nms->call([&] {
        const throng_nms_params checked = api::complete(params);
        const throng::NmsParams rules = api::checked_params(checked);
        const throng_nms_input in = api::complete(input);
        const throng_nms_output out = api::complete(output);
        api::check_arguments(checked, in, out);
        if (nms->device != nullptr) {
            nms->device->run(checked, rules, in, out, workspace, workspace_bytes, stream);
        } else {
            nms->host.run(checked, rules, in, out);
        }
    });
}

const char* throng_nms_error(const throng_nms* nms) {
    return api::error_text(nms);
}

const char* throng_nms_version(void) {
    return THRONG_VERSION;
}

}  // extern "C"
