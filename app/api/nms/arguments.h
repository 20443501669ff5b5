// Checks of the arguments of throng_nms_run, and their translation to Throng's types.
#pragma once

#include "app/api/throng_nms.h"
#include "core/detect/nms.h"

namespace throng::api {

// Copy a caller's struct of any header, as read_struct does.
[[nodiscard]] throng_nms_params complete(const throng_nms_params* given);
[[nodiscard]] throng_nms_input complete(const throng_nms_input* given);
[[nodiscard]] throng_nms_output complete(const throng_nms_output* given);

// Throws Error(usage) with the name of the field.
[[nodiscard]] NmsParams checked_params(const throng_nms_params& params);
void check_arguments(const throng_nms_params& params, const throng_nms_input& input, const throng_nms_output& output);
void check_num_boxes(std::int64_t num_boxes);

}  // namespace throng::api
