// Suppression of a caller's arrays in host memory, by the engines of core/cpu.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "app/api/nms/selection.h"
#include "app/api/throng_nms.h"
#include "core/cpu/corner_nms.h"
#include "core/cpu/stop_flag.h"
#include "core/detect/nms.h"

namespace throng::api {

// Not thread-safe. Keeps its work arrays.
class HostNms {
public:
    // 0: one per core.
    void set_threads(int threads);

    // Arguments are checked (check_arguments). params: Throng's rules; ignored in torchvision's mode. Throws
    // Error(interrupted) if arguments.stop asks to stop.
    void run(const throng_nms_params& arguments, const NmsParams& params, const throng_nms_input& input,
             const throng_nms_output& output);

private:
    struct Kept {
        std::uint32_t index;
        std::int32_t hits;
        float score;
    };

    void find_groups(const throng_nms_input& input);
    template <class Real>
    void run_corners(double theta, std::int32_t min_hits, const throng_nms_input& input);
    void run_rules(const NmsParams& params, const throng_nms_input& input);
    void run_group(const NmsParams& params, const throng_nms_input& input, const std::uint32_t* members,
                   std::uint32_t count);
    void load_boxes(const throng_nms_input& input);
    void order_by_image(const throng_nms_input& input);
    void limit_groups(std::int32_t max_output);
    void write(std::int64_t num_boxes, const throng_nms_output& output) const;

    int threads_ = 1;
    StopFlag stop_;             // of the current call
    std::unique_ptr<Nms> nms_;  // uses stop_
    Selection selection_;
    CornerNms<float> float_nms_;
    CornerNms<double> double_nms_;
    std::vector<std::uint32_t> groups_;  // of each box; empty: one group
    std::uint32_t num_groups_ = 1;
    std::vector<float> floats_;
    std::vector<double> doubles_;
    std::vector<float> float_scores_;
    std::vector<Box> boxes_;
    std::vector<std::uint32_t> members_;
    std::vector<std::uint32_t> starts_;
    DetectionBuffer raw_;
    DetectionBuffer kept_buffer_;
    OptionalFields fields_;
    std::vector<Kept> kept_;  // indices of the selection
    std::uint32_t invalid_ = 0;
};

}  // namespace throng::api
