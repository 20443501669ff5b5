#include "tests/support/nms_reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/algo/nms_reference.h"
#include "core/algo/nms_rules.h"

namespace throng::test {
namespace {

class Reference {
public:
    Reference(const NmsInput& input, const NmsParams& params) : in_(input), params_(params) {}

    NmsOutput run() {
        NmsOutput out;
        for (std::size_t i = 0; i < in_.boxes.size(); ++i) {
            if (is_valid_detection(in_.boxes[i], in_.scores[i])) {
                order_.push_back(i);
            } else {
                ++out.invalid;
            }
        }
        score_ = in_.scores;
        std::sort(order_.begin(), order_.end(), [this](std::size_t a, std::size_t b) { return precedes(a, b); });
        if (params_.rule == NmsRule::soft_linear || params_.rule == NmsRule::soft_gaussian) {
            soft(out);
        } else {
            hard(out);
        }
        return out;
    }

private:
    // Returns true if a ≻ b.
    bool precedes(std::size_t a, std::size_t b) const {
        const Box& p = in_.boxes[a];
        const Box& q = in_.boxes[b];
        if (score_[a] != score_[b]) return score_[a] > score_[b];
        if (params_.ties == Ties::index) return a < b;
        const float area_p = p.w * p.h;
        const float area_q = q.w * q.h;
        if (area_p != area_q) return area_p > area_q;
        if (p.x != q.x) return p.x < q.x;
        if (p.y != q.y) return p.y < q.y;
        if (p.w != q.w) return p.w < q.w;
        if (p.h != q.h) return p.h < q.h;
        return a < b;
    }

    // Returns the overlap of i with its suppressor j.
    float overlap(Overlap kind, std::size_t i, std::size_t j) const {
        const Box& p = in_.boxes[i];
        const Box& q = in_.boxes[j];
        const float one = params_.pixels == PixelConvention::inclusive ? 1.0F : 0.0F;
        const float width = std::min(p.x + p.w, q.x + q.w) - std::max(p.x, q.x) + one;
        const float height = std::min(p.y + p.h, q.y + q.h) - std::max(p.y, q.y) + one;
        const float intersection = width > 0 && height > 0 ? width * height : 0.0F;
        const float area_i = (p.w + one) * (p.h + one);
        const float area_j = (q.w + one) * (q.h + one);
        if (kind == Overlap::iou) return intersection / (area_i + area_j - intersection);
        if (kind == Overlap::suppressor) return intersection / area_j;
        return intersection / std::min(area_i, area_j);
    }

    // Returns true if j suppresses i, given j ≻ i.
    bool suppresses(std::size_t j, std::size_t i) const {
        if (params_.ties == Ties::strict && in_.scores[j] == in_.scores[i]) return false;
        const float o = overlap(params_.overlap, i, j);
        if (params_.pair == PairRule::overlap && params_.compare == Compare::above) return o > params_.theta;
        if (params_.pair == PairRule::overlap) return o >= params_.theta;
        if (params_.pair == PairRule::adaptive) return o >= std::max(params_.theta, in_.density[j]);
        if (o >= params_.feature_high) return true;
        if (!(params_.feature_low < o)) return false;
        float sum = 0;
        const auto size = static_cast<std::size_t>(in_.feature_size);
        for (std::size_t k = 0; k < size; ++k) {
            const float d = in_.features[i * size + k] - in_.features[j * size + k];
            sum += d * d;
        }
        return std::sqrt(sum) <= params_.feature_distance;
    }

    void hard(NmsOutput& out) const {
        const std::size_t n = order_.size();
        const auto pair = [this](std::size_t j, std::size_t i) { return suppresses(order_[j], order_[i]); };
        const std::vector<bool> kept = params_.rule == NmsRule::greedy ? keep_greedy(n, pair) : keep_one_pass(n, pair);
        const std::vector<std::size_t> owner = find_owners(kept, pair);
        std::vector<std::vector<std::size_t>> members(n);  // of kept detections, in order
        for (std::size_t i = 0; i < n; ++i) {
            if (owner[i] < n) members[owner[i]].push_back(order_[i]);
        }
        for (std::size_t i = 0; i < n; ++i) {
            const auto hits = static_cast<std::int32_t>(members[i].size());
            if (!kept[i] || hits < params_.min_hits) continue;
            out.kept.push_back({merged(members[i]), in_.scores[order_[i]], hits, static_cast<std::int32_t>(order_[i])});
        }
    }

    Box merged(const std::vector<std::size_t>& members) const {
        if (params_.merge == Merge::none || members.size() == 1) return in_.boxes[members.front()];
        bool weighted = params_.merge == Merge::weighted && in_.scores[members.front()] > 0;
        for (const std::size_t m : members) weighted = weighted && in_.scores[m] >= 0;
        double x = 0, y = 0, w = 0, h = 0, weight = 0;
        for (const std::size_t m : members) {
            const double s = weighted ? static_cast<double>(in_.scores[m]) : 1.0;
            x += s * static_cast<double>(in_.boxes[m].x);
            y += s * static_cast<double>(in_.boxes[m].y);
            w += s * static_cast<double>(in_.boxes[m].w);
            h += s * static_cast<double>(in_.boxes[m].h);
            weight += s;
        }
        return {static_cast<float>(x / weight), static_cast<float>(y / weight), static_cast<float>(w / weight),
                static_cast<float>(h / weight)};
    }

    void soft(NmsOutput& out) {
        std::vector<std::size_t> remaining = order_;
        while (!remaining.empty()) {
            const auto first = std::min_element(remaining.begin(), remaining.end(),
                                                [this](std::size_t a, std::size_t b) { return precedes(a, b); });
            const std::size_t j = *first;
            out.kept.push_back({in_.boxes[j], score_[j], 1, static_cast<std::int32_t>(j)});
            remaining.erase(first);
            std::vector<std::size_t> staying;
            for (const std::size_t i : remaining) {
                const float o = overlap(Overlap::iou, i, j);
                if (params_.rule == NmsRule::soft_linear) {
                    if (o >= params_.theta) score_[i] *= 1.0F - o;
                } else if (o > 0) {
                    score_[i] *= exp_decay(-(o * o) / params_.sigma);
                }
                if (score_[i] >= params_.score_min) staying.push_back(i);
            }
            remaining = std::move(staying);
        }
    }

    const NmsInput& in_;
    const NmsParams& params_;
    std::vector<std::size_t> order_;  // valid detections, in the order ≻
    std::vector<float> score_;        // current, of the soft rules
};

}  // namespace

NmsOutput reference_nms(const NmsInput& input, const NmsParams& params) {
    return Reference(input, params).run();
}

}  // namespace throng::test
