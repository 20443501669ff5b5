#include "core/model/cnn_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/detect/network_thresholds.h"

namespace throng {
namespace {

constexpr float kUnlimited = std::numeric_limits<float>::max();
constexpr int kMaxSamples = 8;

std::int32_t round_up(std::int32_t value, std::int32_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

std::int32_t scaled(std::int32_t pixels, double scale) {
    return std::max(static_cast<std::int32_t>(std::lround(pixels * scale)), 1);
}

// One tile along an axis of the input: [begin, begin + extent), with the core [core_begin, core_end).
struct Piece {
    std::int32_t begin, extent;
    float core_begin, core_end;  // relative to begin; unlimited at the edges of the frame
};

std::vector<Piece> cut(std::int32_t length, std::int32_t limit, std::int32_t overlap, std::int32_t multiple) {
    if (length <= limit) return {{0, length, -kUnlimited, kUnlimited}};
    const std::int32_t max_extent = limit / multiple * multiple;
    // The minimum number of tiles, of equal size as far as the multiple allows.
    const std::int32_t count = (length - overlap + (max_extent - overlap) - 1) / (max_extent - overlap);
    const std::int32_t extent =
        std::min(max_extent, round_up((length - overlap + count - 1) / count + overlap, multiple));
    std::vector<Piece> pieces;
    for (std::int32_t begin = 0;; begin += extent - overlap) {
        const bool last = begin + extent >= length;
        const float half = static_cast<float>(overlap) * 0.5F;
        pieces.push_back({begin, last ? length - begin : extent, begin == 0 ? -kUnlimited : half,
                          last ? kUnlimited : static_cast<float>(extent) - half});
        if (last) return pieces;
    }
}

void add_scale(std::vector<CnnPass>& passes, std::int32_t width, std::int32_t height, double scale,
               std::int32_t overlap, std::int32_t multiple) {
    const std::int32_t whole_width = scaled(width, scale);
    const std::int32_t whole_height = scaled(height, scale);
    // Exact ratio: the scaled image ends where the frame does.
    const float scale_x = static_cast<float>(width) / static_cast<float>(whole_width);
    const float scale_y = static_cast<float>(height) / static_cast<float>(whole_height);
    for (const Piece& rows : cut(whole_height, kMaxTileHeight, overlap, multiple)) {
        for (const Piece& columns : cut(whole_width, kMaxTileWidth, overlap, multiple)) {
            CnnPass pass;
            pass.content_width = columns.extent;
            pass.content_height = rows.extent;
            pass.width = round_up(columns.extent, multiple);
            pass.height = round_up(rows.extent, multiple);
            pass.placement = {static_cast<float>(columns.begin) * scale_x, static_cast<float>(rows.begin) * scale_y,
                              scale_x, scale_y};
            pass.core = {columns.core_begin, rows.core_begin, columns.core_end, rows.core_end};
            passes.push_back(pass);
        }
    }
}

CnnPass letterbox(const Network& network, std::int32_t width, std::int32_t height) {
    CnnPass pass;
    pass.width = network.input.width > 0 ? network.input.width : kLetterboxSide;
    pass.height = network.input.height > 0 ? network.input.height : kLetterboxSide;
    const double scale = std::min(static_cast<double>(pass.width) / width, static_cast<double>(pass.height) / height);
    pass.content_width = std::min(scaled(width, scale), pass.width);
    pass.content_height = std::min(scaled(height, scale), pass.height);
    pass.placement = {0.0F, 0.0F, static_cast<float>(width) / static_cast<float>(pass.content_width),
                      static_cast<float>(height) / static_cast<float>(pass.content_height)};
    pass.core = {-kUnlimited, -kUnlimited, kUnlimited, kUnlimited};
    return pass;
}

CnnAxis axis(float origin, float scale, std::int32_t size, bool subsampled) {
    const int samples = std::clamp(static_cast<int>(std::ceil(scale)), 1, kMaxSamples);
    const float ratio = subsampled ? 0.5F : 1.0F;
    return {origin * ratio, scale * ratio, samples, size};
}

struct MatrixWeights {
    double red, blue;  // of luma
};

MatrixWeights weights_of(ColorMatrix matrix) {
    switch (matrix) {
        case ColorMatrix::bt601: return {0.299, 0.114};
        case ColorMatrix::bt709: break;
        case ColorMatrix::bt2020: return {0.2627, 0.0593};
    }
    return {0.2126, 0.0722};
}

}  // namespace

CnnPlan plan_passes(const Network& network, std::int32_t width, std::int32_t height, const DetectorParams& params,
                    CnnInput input) {
    CnnPlan plan;
    plan.min_side = static_cast<float>(params.min_size);
    plan.max_side = params.max_size > 0 ? static_cast<float>(params.max_size) : kUnlimited;
    if (input == CnnInput::letterbox) {
        plan.passes.push_back(letterbox(network, width, height));
        return plan;
    }
    const std::int32_t multiple = input_multiple(network);
    const Reach reach = network.head.family == HeadFamily::yolox ? kPersonReach : kFaceReach;
    const double longer = std::max(width, height);
    const double max_object = params.max_size > 0 ? std::min<double>(params.max_size, longer) : longer;
    double scale = std::min(double{reach.min_object} / params.min_size, static_cast<double>(reach.max_zoom));
    add_scale(plan.passes, width, height, scale, reach.overlap, multiple);
    while (max_object * scale > static_cast<double>(reach.max_object)) {
        scale /= params.scale_factor;
        add_scale(plan.passes, width, height, scale, reach.overlap, multiple);
    }
    return plan;
}

CnnInput cnn_input_choice(const DetectorParams& params) {
    CnnInput input = CnnInput::native;
    for (const auto& [id, choice] : params.switches) {
        if (id != kCnnInputSwitch) {
            throw Error(ErrorKind::usage, "a network has no such switch", id,
                        {"the only switch is %1", std::string(kCnnInputSwitch)});
        }
        if (choice != "native" && choice != "letterbox") {
            throw Error(ErrorKind::usage, {"unknown choice: %1", choice}, id, "use native or letterbox");
        }
        if (choice == "letterbox") input = CnnInput::letterbox;
    }
    return input;
}

float cnn_score_threshold(const DetectorParams& params, HeadFamily family) {
    float own = kYuNetThreshold;
    if (family == HeadFamily::ultraface) own = kUltraFaceThreshold;
    if (family == HeadFamily::retinaface) own = kRetinaFaceThreshold;
    if (family == HeadFamily::yolox) own = kYoloxThreshold;
    const float threshold = params.score_threshold.value_or(own);
    // With a lower threshold, every cell of every map would be a detection.
    if (!(threshold > 0.0F && threshold <= 1.0F)) {
        throw Error(ErrorKind::usage, "must be in (0, 1] for this detector", Setting{"score_threshold"});
    }
    return threshold;
}

CnnAxis horizontal_axis(const CnnPass& pass, std::int32_t size, bool subsampled) {
    return axis(pass.placement.origin_x, pass.placement.scale_x, size, subsampled);
}

CnnAxis vertical_axis(const CnnPass& pass, std::int32_t size, bool subsampled) {
    return axis(pass.placement.origin_y, pass.placement.scale_y, size, subsampled);
}

CnnColor cnn_color_of(const FrameInfo& info) {
    const bool limited = info.range == ColorRange::limited;
    const MatrixWeights k = weights_of(info.matrix);
    const double green = 1.0 - k.red - k.blue;
    const double chroma = limited ? 255.0 / 224.0 : 1.0;
    CnnColor color;
    color.y_offset = limited ? 16.0F : 0.0F;
    color.y_scale = limited ? static_cast<float>(255.0 / 219.0) : 1.0F;
    color.red_v = static_cast<float>(2.0 * (1.0 - k.red) * chroma);
    color.blue_u = static_cast<float>(2.0 * (1.0 - k.blue) * chroma);
    color.green_v = static_cast<float>(2.0 * (1.0 - k.red) * k.red / green * chroma);
    color.green_u = static_cast<float>(2.0 * (1.0 - k.blue) * k.blue / green * chroma);
    return color;
}

}  // namespace throng
