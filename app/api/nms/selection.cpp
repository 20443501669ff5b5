#include "app/api/nms/selection.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "app/api/nms/reals.h"

namespace throng::api {

throng_nms_input Selection::select(const throng_nms_input& input, double threshold) {
    selects_ = !std::isnan(threshold) && input.num_boxes > 0;
    if (!selects_) return input;
    indices_.clear();
    with_reals(input.scores, input.dtype, [&](const auto* scores) {
        const auto least = static_cast<decltype(value_of(*scores))>(threshold);
        for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(input.num_boxes); ++i) {
            if (value_of(scores[i]) > least) indices_.push_back(i);
        }
    });
    const std::size_t real = input.dtype == THRONG_FLOAT64 ? 8 : input.dtype == THRONG_FLOAT16 ? 2 : 4;
    const std::size_t id = input.id_dtype == THRONG_INT32 ? 4 : 8;
    throng_nms_input selected = input;
    selected.num_boxes = static_cast<std::int64_t>(indices_.size());
    gather(selected.boxes, 4 * real, boxes_);
    gather(selected.scores, real, scores_);
    gather(selected.class_ids, id, class_ids_);
    gather(selected.image_ids, id, image_ids_);
    gather(selected.density, sizeof(float), density_);
    gather(selected.features, sizeof(float) * static_cast<std::size_t>(std::max(input.feature_size, 0)), features_);
    return selected;
}

// Replaces the array by a copy of the selected elements; null stays null.
template <class Type>
void Selection::gather(const Type*& array, std::size_t bytes_of_one, std::vector<std::byte>& copy) const {
    if (array == nullptr) return;
    copy.resize(indices_.size() * bytes_of_one);
    const auto* from = reinterpret_cast<const std::byte*>(array);
    for (std::size_t k = 0; k < indices_.size(); ++k) {
        std::memcpy(copy.data() + k * bytes_of_one, from + indices_[k] * bytes_of_one, bytes_of_one);
    }
    array = reinterpret_cast<const Type*>(copy.data());
}

}  // namespace throng::api
