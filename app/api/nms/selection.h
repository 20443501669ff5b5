// The boxes of a caller that take part by their score, as throng_nms_params.score_threshold says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/api/throng_nms.h"

namespace throng::api {

// Not thread-safe. Keeps its arrays.
class Selection {
public:
    // Returns the boxes whose score is above the threshold, as copies that are valid until the next call; the input
    // itself if the threshold is NaN. Arguments are checked (check_arguments).
    [[nodiscard]] throng_nms_input select(const throng_nms_input& input, double threshold);
    // Returns the caller's index of a selected box.
    [[nodiscard]] std::uint32_t index(std::uint32_t selected) const { return selects_ ? indices_[selected] : selected; }

private:
    template <class Type>
    void gather(const Type*& array, std::size_t bytes_of_one, std::vector<std::byte>& copy) const;

    bool selects_ = false;
    std::vector<std::uint32_t> indices_;
    std::vector<std::byte> boxes_, scores_, class_ids_, image_ids_, density_, features_;
};

}  // namespace throng::api
