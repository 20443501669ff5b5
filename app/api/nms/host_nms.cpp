#include "app/api/nms/host_nms.h"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>

#include "app/api/nms/reals.h"
#include "core/cpu/nms.h"
#include "core/detect/null_recorder.h"

namespace throng::api {
namespace {

// Calls visit(pointer) with the array as its element type.
template <class Visit>
void with_ids(const void* ids, std::int32_t dtype, const Visit& visit) {
    if (dtype == THRONG_INT32) {
        visit(static_cast<const std::int32_t*>(ids));
    } else {
        visit(static_cast<const std::int64_t*>(ids));
    }
}

void store(void* to, std::int32_t dtype, std::size_t at, std::size_t value) {
    if (dtype == THRONG_INT32) {
        static_cast<std::int32_t*>(to)[at] = static_cast<std::int32_t>(value);
    } else {
        static_cast<std::int64_t*>(to)[at] = static_cast<std::int64_t>(value);
    }
}

// Numbers the distinct ids of an array from 0 in ascending order. Returns how many there are; for ids of a narrow range
// the numbers may have gaps.
std::uint32_t number_ids(const void* ids, std::int32_t dtype, std::size_t count, std::vector<std::uint32_t>& numbers,
                         const StopFlag& stop) {
    stop.check();
    numbers.resize(count);
    std::uint32_t range = 0;
    with_ids(ids, dtype, [&](const auto* values) {
        using Id = std::remove_cv_t<std::remove_pointer_t<decltype(values)>>;
        const auto [low, high] = std::minmax_element(values, values + count);
        const auto width = static_cast<std::uint64_t>(*high) - static_cast<std::uint64_t>(*low);
        if (width <= count) {
            for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::uint32_t>(values[i] - *low);
            range = static_cast<std::uint32_t>(width) + 1;
            return;
        }
        std::vector<Id> distinct(values, values + count);
        std::sort(distinct.begin(), distinct.end());
        stop.check();
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        for (std::size_t i = 0; i < count; ++i) {
            if (i % 65536 == 0) stop.check();
            const auto found = std::lower_bound(distinct.begin(), distinct.end(), values[i]);
            numbers[i] = static_cast<std::uint32_t>(found - distinct.begin());
        }
        range = static_cast<std::uint32_t>(distinct.size());
    });
    return range;
}

}  // namespace

void HostNms::set_threads(int threads) {
    if (threads != threads_) nms_.reset();
    threads_ = threads;
}

void HostNms::run(const throng_nms_params& arguments, const NmsParams& params, const throng_nms_input& given,
                  const throng_nms_output& output) {
    kept_.clear();
    stop_.watch(arguments.stop);
    const throng_nms_input input = selection_.select(given, arguments.score_threshold);
    invalid_ = static_cast<std::uint32_t>(given.num_boxes - input.num_boxes);
    stop_.check();
    find_groups(input);
    stop_.check();
    if (arguments.invalid == THRONG_NMS_DROP_INVALID) {
        run_rules(params, input);
    } else {
        if (input.dtype == THRONG_FLOAT64) {
            run_corners<double>(arguments.theta, arguments.min_hits, input);
        } else {
            run_corners<float>(arguments.theta, arguments.min_hits, input);
        }
    }
    order_by_image(input);
    limit_groups(arguments.max_output);
    stop_.check();
    write(given.num_boxes, output);
}

void HostNms::find_groups(const throng_nms_input& input) {
    const auto n = static_cast<std::size_t>(input.num_boxes);
    groups_.clear();
    num_groups_ = 1;
    if (n == 0) return;
    if (input.class_ids != nullptr) num_groups_ = number_ids(input.class_ids, input.id_dtype, n, groups_, stop_);
    if (input.image_ids == nullptr) return;
    std::vector<std::uint32_t> images;
    const std::uint32_t num_images = number_ids(input.image_ids, input.id_dtype, n, images, stop_);
    if (groups_.empty()) {
        groups_ = std::move(images);
        num_groups_ = num_images;
        return;
    }
    std::vector<std::int64_t> pairs(n);
    for (std::size_t i = 0; i < n; ++i) pairs[i] = std::int64_t{images[i]} * num_groups_ + groups_[i];
    num_groups_ = number_ids(pairs.data(), THRONG_INT64, n, groups_, stop_);
}

template <class Real>
void HostNms::run_corners(double theta, std::int32_t min_hits, const throng_nms_input& input) {
    const auto n = static_cast<std::size_t>(input.num_boxes);
    std::vector<Real>* corners = nullptr;
    CornerNms<Real>* nms = nullptr;
    if constexpr (std::is_same_v<Real, float>) {
        corners = &floats_;
        nms = &float_nms_;
    } else {
        corners = &doubles_;
        nms = &double_nms_;
    }
    CornerBoxes<Real> boxes{nullptr, nullptr, groups_.empty() ? nullptr : groups_.data(), num_groups_,
                            static_cast<std::uint32_t>(n)};
    const bool is_half = input.dtype == THRONG_FLOAT16;
    if (!is_half) boxes.scores = static_cast<const Real*>(input.scores);
    if (!is_half && input.box_format == THRONG_CORNERS) {
        boxes.corners = static_cast<const Real*>(input.boxes);
    } else {
        corners->resize(5 * n);
        with_reals(input.boxes, input.dtype, [&](const auto* values) {
            for (std::size_t k = 0; k < 4 * n; ++k) (*corners)[k] = static_cast<Real>(value_of(values[k]));
        });
        if (input.box_format == THRONG_XYWH) {
            for (std::size_t i = 0; i < n; ++i) {
                Real* box = corners->data() + 4 * i;
                box[2] += box[0];
                box[3] += box[1];
            }
        }
        boxes.corners = corners->data();
    }
    if (is_half) {
        const auto* halves = static_cast<const Half*>(input.scores);
        for (std::size_t i = 0; i < n; ++i) (*corners)[4 * n + i] = static_cast<Real>(value_of(halves[i]));
        boxes.scores = corners->data() + 4 * n;
    }
    nms->run(boxes, theta, stop_);
    for (std::size_t k = 0; k < nms->kept().size(); ++k) {
        const std::uint32_t index = nms->kept()[k];
        if (nms->hits()[k] < min_hits) continue;
        kept_.push_back({index, nms->hits()[k], static_cast<float>(boxes.scores[index])});
    }
}

// As the program reads a file: sides are differences in double, then everything is rounded to float32.
void HostNms::load_boxes(const throng_nms_input& input) {
    const auto n = static_cast<std::size_t>(input.num_boxes);
    boxes_.resize(n);
    float_scores_.resize(n);
    const bool corners = input.box_format == THRONG_CORNERS;
    with_reals(input.boxes, input.dtype, [&](const auto* values) {
        for (std::size_t i = 0; i < n; ++i) {
            double v[4];
            for (std::size_t k = 0; k < 4; ++k) v[k] = static_cast<double>(value_of(values[4 * i + k]));
            if (corners) {
                v[2] -= v[0];
                v[3] -= v[1];
            }
            boxes_[i] = {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2]),
                         static_cast<float>(v[3])};
        }
    });
    with_reals(input.scores, input.dtype, [&](const auto* values) {
        for (std::size_t i = 0; i < n; ++i) float_scores_[i] = static_cast<float>(value_of(values[i]));
    });
}

void HostNms::run_rules(const NmsParams& params, const throng_nms_input& input) {
    const auto n = static_cast<std::uint32_t>(input.num_boxes);
    load_boxes(input);
    stop_.check();
    members_.resize(n);
    std::iota(members_.begin(), members_.end(), 0U);
    starts_ = {0, n};
    if (!groups_.empty()) {
        starts_.assign(std::size_t{num_groups_} + 1, 0);
        for (const std::uint32_t group : groups_) ++starts_[group + 1];
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        std::stable_sort(members_.begin(), members_.end(),
                         [this](std::uint32_t a, std::uint32_t b) { return groups_[a] < groups_[b]; });
    }
    for (std::size_t group = 0; group + 1 < starts_.size(); ++group) {
        const std::uint32_t count = starts_[group + 1] - starts_[group];
        if (count > 0) run_group(params, input, members_.data() + starts_[group], count);
    }
    if (starts_.size() == 2) return;
    std::stable_sort(kept_.begin(), kept_.end(), [&](const Kept& a, const Kept& b) {
        if (params.ties == Ties::index) return a.score != b.score ? a.score > b.score : a.index < b.index;
        return precedes(boxes_[a.index], a.score, a.index, boxes_[b.index], b.score, b.index);
    });
    // The ids only keep boxes from acting on each other: the first pick of all is stored whatever its score, but the
    // first of another group is dropped if its score is low.
    if (is_soft(params.rule) && kept_.size() > 1) {
        const auto dropped = [&](const Kept& kept) { return soft_drops(kept.score, params.score_min); };
        kept_.erase(std::remove_if(kept_.begin() + 1, kept_.end(), dropped), kept_.end());
    }
}

void HostNms::run_group(const NmsParams& params, const throng_nms_input& input, const std::uint32_t* members,
                        std::uint32_t count) {
    const OptionalFields fields{params.pair == PairRule::adaptive,
                                params.pair == PairRule::feature ? input.feature_size : 0, false};
    if (raw_.capacity() < static_cast<std::int32_t>(count) || fields != fields_) {
        DetectionBuffer raw = make_host_buffer(static_cast<std::int32_t>(count), fields);
        kept_buffer_ = make_host_buffer(static_cast<std::int32_t>(count));
        raw_ = std::move(raw);  // last: its capacity is that of both
        fields_ = fields;
    }
    const DetectionSpan& raw = raw_.span();
    const auto feature_size = static_cast<std::size_t>(fields.feature_size);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t index = members[i];
        raw.boxes[i] = boxes_[index];
        raw.scores[i] = float_scores_[index];
        if (fields.density) raw.density[i] = input.density[index];
        std::copy_n(input.features + index * feature_size, feature_size, raw.features + i * feature_size);
    }
    *raw.count = {count, 0};
    stop_.check();
    if (!nms_) nms_ = make_cpu_nms(threads_, &stop_);
    NullRecorder recorder;
    nms_->enqueue(raw_, kept_buffer_, params, recorder);
    const DetectionSpan& kept = kept_buffer_.span();
    for (std::uint32_t k = 0; k < kept.count->total; ++k) {
        kept_.push_back({members[kept.source[k]], kept.hits[k], kept.scores[k]});
    }
    invalid_ += kept.count->invalid;
}

void HostNms::order_by_image(const throng_nms_input& input) {
    if (input.image_ids == nullptr) return;
    with_ids(input.image_ids, input.id_dtype, [this](const auto* images) {
        std::stable_sort(kept_.begin(), kept_.end(),
                         [images](const Kept& a, const Kept& b) { return images[a.index] < images[b.index]; });
    });
}

// Removes what exceeds the first max_output of each group; 0: nothing.
void HostNms::limit_groups(std::int32_t max_output) {
    if (max_output == 0) return;
    std::vector<std::int32_t> sizes(num_groups_, 0);
    std::erase_if(kept_,
                  [&](const Kept& kept) { return ++sizes[groups_.empty() ? 0 : groups_[kept.index]] > max_output; });
}

void HostNms::write(std::int64_t num_boxes, const throng_nms_output& output) const {
    if (output.count != nullptr) store(output.count, output.index_dtype, 0, kept_.size());
    if (output.invalid != nullptr) store(output.invalid, output.index_dtype, 0, invalid_);
    if (output.mask != nullptr) {
        std::fill_n(output.mask, num_boxes, std::uint8_t{0});
        for (const Kept& kept : kept_) output.mask[selection_.index(kept.index)] = 1;
    }
    const std::size_t stored = std::min(kept_.size(), static_cast<std::size_t>(output.capacity));
    for (std::size_t k = 0; k < stored; ++k) {
        if (output.indices != nullptr) store(output.indices, output.index_dtype, k, selection_.index(kept_[k].index));
        if (output.hits != nullptr) output.hits[k] = kept_[k].hits;
        if (output.scores != nullptr) output.scores[k] = kept_[k].score;
    }
}

}  // namespace throng::api
