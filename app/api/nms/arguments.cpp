#include "app/api/nms/arguments.h"

#include <limits>
#include <string>

#include "app/api/structs.h"
#include "core/base/error.h"
#include "core/base/value_text.h"
#include "core/detect/detection_params.h"

namespace throng::api {
namespace {

[[noreturn]] void fail(const Message& field, const Message& problem) {
    throw Error(ErrorKind::usage, problem, field);
}

template <class Field>
void require_choice(std::int32_t value, std::int32_t last, const Field& field) {
    if (value < 0 || value > last) fail(field, {"has no value %1", value});
}

}  // namespace

throng_nms_params complete(const throng_nms_params* given) {
    return read_struct(given, throng_nms_params_default(), "params");
}
throng_nms_input complete(const throng_nms_input* given) {
    const throng_nms_input input = read_struct(given, throng_nms_input_default(), "input");
    require(input.reserved == 0, "input.reserved", "must be 0");
    return input;
}
throng_nms_output complete(const throng_nms_output* given) {
    return read_struct(given, throng_nms_output_default(), "output");
}

NmsParams checked_params(const throng_nms_params& params) {
    require_choice(params.rule, THRONG_NMS_SOFT_GAUSSIAN, Setting{"rule"});
    require_choice(params.overlap, THRONG_NMS_MIN, Setting{"overlap"});
    require_choice(params.pair, THRONG_NMS_PAIR_FEATURE, Setting{"pair"});
    require_choice(params.ties, THRONG_NMS_TIES_INDEX, Setting{"ties"});
    require_choice(params.compare, THRONG_NMS_ABOVE, Setting{"compare"});
    require_choice(params.invalid, THRONG_NMS_KEEP_INVALID, Setting{"invalid"});
    require_choice(params.pixels, 1, Setting{"pixels"});
    // A value slightly out of range may be in it as a float.
    for (const SettingRow& row : nms_settings()) {
        if (row.name != "theta" || (params.theta >= row.min && params.theta <= row.max)) continue;
        fail(Setting{row.name}, row.problem(exact_text(params.theta)));
    }
    NmsParams result;
    result.rule = static_cast<NmsRule>(params.rule);
    result.overlap = static_cast<Overlap>(params.overlap);
    result.pair = static_cast<PairRule>(params.pair);
    result.ties = static_cast<Ties>(params.ties);
    result.compare = static_cast<Compare>(params.compare);
    result.pixels = static_cast<PixelConvention>(params.pixels);
    result.min_hits = params.min_hits;
    result.theta = static_cast<float>(params.theta);
    result.sigma = static_cast<float>(params.sigma);
    result.score_min = static_cast<float>(params.score_min);
    result.feature_low = static_cast<float>(params.feature_low);
    result.feature_high = static_cast<float>(params.feature_high);
    result.feature_distance = static_cast<float>(params.feature_distance);
    check_params(result);
    require(params.max_output >= 0, Setting{"max_output"}, "is negative");
    if (params.invalid == THRONG_NMS_KEEP_INVALID) {
        constexpr const char* kNeeds = "must be as throng_nms_params_torchvision() sets it if invalid boxes are kept";
        require(params.rule == THRONG_NMS_GREEDY, Setting{"rule"}, kNeeds);
        require(params.overlap == THRONG_NMS_IOU, Setting{"overlap"}, kNeeds);
        require(params.pair == THRONG_NMS_PAIR_OVERLAP, Setting{"pair"}, kNeeds);
        require(params.ties == THRONG_NMS_TIES_INDEX, Setting{"ties"}, kNeeds);
        require(params.compare == THRONG_NMS_ABOVE, Setting{"compare"}, kNeeds);
        require(params.pixels == 0, Setting{"pixels"}, kNeeds);
    }
    return result;
}

void check_num_boxes(std::int64_t num_boxes) {
    require(num_boxes >= 0, "num_boxes", "is negative");
    require(num_boxes <= std::numeric_limits<std::int32_t>::max(), "num_boxes", "exceeds 2^31 - 1");
}

void check_arguments(const throng_nms_params& params, const throng_nms_input& input, const throng_nms_output& output) {
    check_num_boxes(input.num_boxes);
    require_choice(input.dtype, THRONG_FLOAT64, "input.dtype");
    require_choice(input.box_format, THRONG_XYWH, "input.box_format");
    require(input.id_dtype == THRONG_INT32 || input.id_dtype == THRONG_INT64, "input.id_dtype",
            "must be THRONG_INT32 or THRONG_INT64");
    require(output.index_dtype == THRONG_INT32 || output.index_dtype == THRONG_INT64, "output.index_dtype",
            "must be THRONG_INT32 or THRONG_INT64");
    require(output.capacity >= 0, "output.capacity", "is negative");
    require(output.indices != nullptr || output.mask != nullptr || output.count != nullptr, "output",
            "names no array: set indices, mask or count");
    if (input.num_boxes == 0) return;
    require(input.boxes != nullptr, "input.boxes", "is NULL");
    require(input.scores != nullptr, "input.scores", "is NULL");
    const auto require_array = [&](const float* array, const char* name, throng_nms_pair pair, const char* word) {
        if (params.pair != pair || array != nullptr) return;
        fail(Setting{name}, {"is required by %1", Setting{"pair", word}});
    };
    require_array(input.density, "density", THRONG_NMS_PAIR_ADAPTIVE, "adaptive");
    require_array(input.features, "features", THRONG_NMS_PAIR_FEATURE, "feature");
    require(params.pair != THRONG_NMS_PAIR_FEATURE || input.feature_size > 0, Setting{"feature_size"},
            "must be at least 1");
}

}  // namespace throng::api
