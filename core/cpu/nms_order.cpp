#include "core/cpu/nms_order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/algo/nms_rules.h"
#include "core/cpu/nms_kernels.h"
#include "core/cpu/score_order.h"

namespace throng {
namespace {

// Insertion sort of uneven buckets is slower than std::sort, which takes over after this many moves per detection.
constexpr std::uint64_t kMaxMoves = 16;

std::uint32_t score_key(std::uint64_t key) {
    return static_cast<std::uint32_t>(key >> 32U);
}
std::uint32_t raw_index(std::uint64_t key) {
    return static_cast<std::uint32_t>(key);
}

}  // namespace

void OrderedDetections::arrange(const DetectionSpan& raw, Ties ties) {
    const std::uint32_t n = std::min(raw.count->total, static_cast<std::uint32_t>(raw.capacity));
    scores_.resize(n);
    source_.resize(n);
    std::uint32_t valid = n;
    if (certainly_valid(raw.boxes, raw.scores, n)) {
        std::copy_n(raw.scores, n, scores_.begin());
        std::iota(source_.begin(), source_.end(), 0U);
    } else {
        valid = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            if (!is_valid_detection(raw.boxes[i], raw.scores[i])) continue;
            scores_[valid] = raw.scores[i];
            source_[valid++] = i;
        }
    }
    invalid_ = n - valid;
    scores_.resize(valid);
    source_.resize(valid);
    sort(raw, ties);

    boxes_.resize(valid);
    for (std::uint32_t rank = 0; rank < valid; ++rank) {
        const std::uint32_t index = raw_index(keys_[rank]);
        boxes_[rank] = raw.boxes[index];
        scores_[rank] = raw.scores[index];
        source_[rank] = index;
    }
}

// Distributes the detections to buckets of equal ranges of scores, then sorts what is almost sorted. A bucket holds
// about one detection if the scores are uniform.
void OrderedDetections::sort(const DetectionSpan& raw, Ties ties) {
    const auto n = static_cast<std::uint32_t>(scores_.size());
    keys_.resize(n);
    if (n == 0) return;
    const std::uint32_t buckets = std::bit_floor(n + n / 2 + 1);
    const auto last_bucket = static_cast<float>(buckets - 1);
    const auto [highest, lowest] = range_of_scores(scores_.data(), n);
    float scale = last_bucket / (highest - lowest);
    if (!std::isfinite(scale) || !std::isfinite(highest - lowest)) scale = 0;  // one bucket
    bucket_.resize(n);
    for (std::uint32_t k = 0; k < n; ++k) {  // rounding keeps the order
        // The difference may be infinite, its product with 0 NaN: in this order of arguments, the last bucket.
        bucket_[k] = static_cast<std::int32_t>(std::min(last_bucket, (highest - scores_[k]) * scale));
    }
    ends_.assign(buckets + 1, 0);
    for (const std::int32_t bucket : bucket_) ++ends_[static_cast<std::size_t>(bucket) + 1];
    std::uint32_t sum = 0;
    for (std::uint32_t& end : ends_) end = sum += end;
    for (std::uint32_t k = 0; k < n; ++k) {
        keys_[ends_[static_cast<std::size_t>(bucket_[k])]++] =
            std::uint64_t{descending_key(scores_[k])} << 32U | source_[k];
    }

    const auto before = [&raw, ties](std::uint64_t a, std::uint64_t b) {
        if (score_key(a) != score_key(b) || ties == Ties::index) return a < b;
        const std::uint32_t i = raw_index(a);
        const std::uint32_t j = raw_index(b);
        return precedes(raw.boxes[i], raw.scores[i], i, raw.boxes[j], raw.scores[j], j);
    };
    std::uint64_t moves = kMaxMoves * n;
    for (std::uint32_t k = 1; k < n; ++k) {
        const std::uint64_t key = keys_[k];
        std::uint32_t to = k;
        for (; to > 0 && score_key(key) <= score_key(keys_[to - 1]) && before(key, keys_[to - 1]); --to) {
            keys_[to] = keys_[to - 1];
        }
        keys_[to] = key;
        moves -= std::min<std::uint64_t>(k - to, moves);
        if (moves == 0) {
            std::sort(keys_.begin(), keys_.end(), before);
            return;
        }
    }
}

}  // namespace throng
