#include "core/track/tracker.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/algo/box_size.h"
#include "core/algo/nms_rules.h"
#include "core/base/error.h"
#include "core/detect/detector_kinds.h"
#include "core/track/assignment.h"
#include "core/track/cover.h"
#include "core/track/motion_filter.h"
#include "core/track/scene_cut.h"

namespace throng {
namespace {

constexpr double kTentativeGap = 0.12;  // seconds that an unconfirmed track survives without a detection
constexpr double kGapPerSeen = 4;       // seconds that a new track survives without a detection, per second seen

// Association.
constexpr double kHiddenCost = 2;       // squared standard deviations
constexpr double kCandidateGate = 0.6;  // factor on the gate for detections that are not confident
constexpr double kOverlapNoise = 20;    // factor on the variance of a box that another one covers completely
constexpr double kMaxDeviation = 0.5;   // sides: limits the search around a track that was not seen for long
constexpr double kDuplicate = 0.5;   // fraction of the smaller box that a track covers: the detection starts no track
constexpr double kMinInside = 0.25;  // fraction of a box in the frame below which an unseen track ends

// Estimate of the camera's motion.
constexpr std::size_t kMinVotes = 4;     // tracks
constexpr double kMaxShift = 0.25;       // of the frame's longer side, between two frames
constexpr double kShiftTrigger = 0.6;    // fraction of the tracks below which matching is tried with a shift
constexpr double kMaxSizeChange = 1.35;  // ratio of the sides of a pair that votes

// Display: less noise than the motion model, so that a still box does not move by more than a pixel.
constexpr MotionNoise kDisplayNoise{
    .position = 0.03, .size = 0.06, .walk = 0.03, .size_walk = 0.02, .velocity = 4, .size_velocity = 0.5};
constexpr double kBiasGain = 0.2;       // of the running mean of the innovations
constexpr double kBiasAllowed = 0.025;  // sides: a larger mean is a change of motion, not noise
constexpr double kMaxBoost = 40;        // of the walk of velocity after a change of motion

bool usable(const Detection& detection) {
    return is_valid_detection(detection.box, detection.score) && detection.box.w > 0 && detection.box.h > 0;
}

double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

std::string_view name_of(TrackState state) {
    switch (state) {
        case TrackState::detected: return "detected";
        case TrackState::recovered: return "recovered";
        case TrackState::predicted: return "predicted";
    }
    return "";
}

TrackerParams tracker_params(DetectorId kind) {
    const DetectorKind& detector = detector_kind(kind);
    TrackerParams params;
    params.confident_hits = detector.confident_hits;
    // False faces of cascades have few hits and seldom last.
    params.birth_hits = 4 * params.confident_hits;
    if (kind == DetectorId::cnn) {
        // Networks measure the height well, also of a face that is covered from the side.
        params.deviation_y = 0.1;
        params.deviation_height = 0.12;
        params.emerging = 1.67;
    }
    return params;
}

void check_params(const TrackerParams& params) {
    const auto require = [](bool valid, const char* name, const char* range) {
        if (!valid) throw Error(ErrorKind::usage, std::string("must be ") + range, std::string("tracker: ") + name);
    };
    require(params.confident_hits >= 1, "confident_hits", "at least 1");
    require(std::isfinite(params.confident_score), "confident_score", "finite");
    require(params.candidate_fraction > 0 && params.candidate_fraction <= 1, "candidate_fraction", "above 0, up to 1");
    require(params.birth_detections >= 1, "birth_detections", "at least 1");
    require(params.birth_hits >= 1, "birth_hits", "at least 1");
    require(params.max_gap >= 0 && params.max_gap <= 3600, "max_gap", "0 to 3600 seconds");
    require(params.gate > 0 && params.gate <= 100, "gate", "above 0, up to 100");
    const auto require_deviation = [&](double value, const char* name) {
        require(value > 0 && value <= 10, name, "above 0, up to 10");
    };
    require_deviation(params.deviation_x, "deviation_x");
    require_deviation(params.deviation_y, "deviation_y");
    require_deviation(params.deviation_height, "deviation_height");
    require(params.emerging >= 1 && params.emerging <= 10, "emerging", "1 to 10");
}

class Tracker::Impl {
public:
    explicit Impl(const TrackerParams& params) : params_(params) { check_params(params); }

    void set_params(const TrackerParams& params) {
        check_params(params);
        params_ = params;
    }

    void reset() {
        tracks_.clear();
        first_ = true;
    }

    std::vector<Track> update(const TrackerInput& input) {
        advance(input);
        observations_.clear();
        confident_boxes_.clear();
        add(input.kept, true);
        add(input.candidates, false);

        std::vector<std::size_t> unmatched(tracks_.size());
        for (std::size_t i = 0; i < unmatched.size(); ++i) unmatched[i] = i;
        std::vector<int> found = match(unmatched, true);
        if (!input.camera_motion && lost_most(found)) {
            if (const std::optional<TrackerInput::Shift> shift = estimate_shift(input)) {
                for (ActiveTrack& active : tracks_) move(active, *shift);
                found = match(unmatched, true);
            }
        }
        unmatched = apply(unmatched, found, TrackState::detected, input.seconds);
        const std::optional<Correction> others = input.camera_motion ? std::nullopt : median_correction();
        if (others) {
            // Predictions lag behind a camera that turns. Faces whose gate is smaller are found where the others are.
            for (const std::size_t t : unmatched) {
                move(tracks_[t], {(*others)[4], (*others)[5]});
                tracks_[t].motion.accelerate((*others)[2], (*others)[3]);
            }
            unmatched = apply(unmatched, match(unmatched, true), TrackState::detected, input.seconds);
        }
        unmatched = apply(unmatched, match(unmatched, false), TrackState::recovered, input.seconds);
        if (others) {
            // Hidden faces lag as the others do: their next innovations have what remains.
            for (const std::size_t t : unmatched) {
                move(tracks_[t], {(*others)[0] - (*others)[4], (*others)[1] - (*others)[5]});
            }
        }
        end_tracks(input);
        start_tracks(input.seconds);
        first_ = false;

        std::vector<Track> result;
        result.reserve(tracks_.size());
        for (ActiveTrack& active : tracks_) {
            active.track.covered = is_covered(active.track);
            result.push_back(active.track);
        }
        return result;
    }

private:
    // Smooths the box that is drawn. Follows slowly while the box is still or moves steadily, and fast after a change.
    class DisplayFilter {
    public:
        explicit DisplayFilter(const Box& box) : filter_(box, kDisplayNoise) {}

        void predict(double seconds) {
            const double bias = std::max(std::abs(bias_x_), std::abs(bias_y_));
            filter_.predict(seconds, kDisplayNoise, std::clamp(bias / kBiasAllowed, 1.0, kMaxBoost));
        }
        void correct(const Box& measured) {
            const std::array<double, 4> position = coordinates_of(measured);
            const double side = filter_.side();
            bias_x_ += kBiasGain * ((position[0] - filter_.axes()[0].position) / side - bias_x_);
            bias_y_ += kBiasGain * ((position[1] - filter_.axes()[1].position) / side - bias_y_);
            filter_.correct(measured, kDisplayNoise);
        }
        void shift(double x, double y) { filter_.shift(x, y); }
        [[nodiscard]] Box box() const { return filter_.box(); }

    private:
        MotionFilter filter_;
        double bias_x_ = 0, bias_y_ = 0;  // running means of the innovations, in sides
    };

    struct ActiveTrack {
        Track track;
        MotionFilter motion;
        DisplayFilter display;
        std::int32_t detections = 1;  // confident ones
        std::int64_t hits = 0;        // of them
        double born = 0;              // seconds
        double last_seen = 0;         // seconds
    };

    struct Observation {
        const Detection* detection;
        std::array<double, 4> measured;  // coordinates_of its box
        std::int32_t index;              // in kept, or -1
        bool confident;
        std::size_t number;  // in confident_boxes_, if confident
        bool taken = false;
    };

    // What a detection changed in the motion of its track: x, y, and their velocities; and its innovation in x and y.
    using Correction = std::array<double, 6>;

    // Predicts all tracks for the time of the frame.
    void advance(const TrackerInput& input) {
        const double step = input.seconds - seconds_;
        if (!cut_.continues(input)) reset();
        seconds_ = input.seconds;
        for (ActiveTrack& active : tracks_) {
            if (step > 0) {
                active.motion.predict(step, noise_);
                active.display.predict(step);
                ++active.track.age;
                ++active.track.gap;
            }
            active.track.state = TrackState::predicted;
            active.track.detection = -1;
            if (input.camera_motion) move(active, *input.camera_motion);
        }
        corrections_.clear();
    }

    void add(std::span<const Detection> detections, bool kept) {
        for (std::size_t i = 0; i < detections.size(); ++i) {
            const Detection& detection = detections[i];
            if (!usable(detection)) continue;
            const bool confident =
                kept && detection.hits >= params_.confident_hits && detection.score >= params_.confident_score;
            const std::int32_t index = kept ? static_cast<std::int32_t>(i) : -1;
            observations_.push_back(
                {&detection, coordinates_of(detection.box), index, confident, confident_boxes_.size()});
            if (confident) confident_boxes_.push_back(detection.box);
        }
    }

    // Returns the number of the observation of each track, or -1. The cost of a pair is the squared distance of
    // the detection from the prediction, in standard deviations. The height stands for the size, because a face that
    // another person covers from the side is detected with less width: as in M. Yang et al., Hybrid-SORT (AAAI 2024).
    [[nodiscard]] std::vector<int> match(const std::vector<std::size_t>& tracks, bool confident) const {
        const double gate = confident ? params_.gate : kCandidateGate * params_.gate;
        const double limit = gate * gate;
        std::vector<AssignmentPair> pairs;
        for (std::size_t t = 0; t < tracks.size(); ++t) {
            const ActiveTrack& active = tracks_[tracks[t]];
            const std::array<AxisFilter, 4>& axes = active.motion.axes();
            const double side = active.motion.side();
            const bool hidden = active.track.gap > 1;
            const double scale = (confident && hidden ? params_.emerging : 1.0) * side;
            const double ceiling = kMaxDeviation * side;
            const auto variance = [&](std::size_t axis, double deviation) {
                return std::min(axes[axis].pp + scale * scale * deviation * deviation, ceiling * ceiling);
            };
            const double variance_x = variance(0, params_.deviation_x);
            const double variance_y = variance(1, params_.deviation_y);
            const double variance_height = params_.deviation_height * params_.deviation_height + axes[3].pp;
            for (std::size_t o = 0; o < observations_.size(); ++o) {
                const Observation& observation = observations_[o];
                const double x = observation.measured[0] - axes[0].position;
                const double y = observation.measured[1] - axes[1].position;
                if (x * x > limit * variance_x || y * y > limit * variance_y) continue;
                if (observation.confident != confident || observation.taken) continue;
                const double height = observation.measured[3] - axes[3].position;
                double cost = x * x / variance_x + y * y / variance_y + height * height / variance_height;
                if (cost > limit) continue;
                // Costs more, since a face seen just now is more likely to be seen again: a covered track
                // must not take the detection of the face before it.
                if (hidden) cost += kHiddenCost;
                pairs.push_back({static_cast<int>(t), static_cast<int>(o), cost});
            }
        }
        return assign(static_cast<int>(tracks.size()), static_cast<int>(observations_.size()), pairs,
                      limit + kHiddenCost);
    }

    // Corrects the tracks with their observations. Returns the tracks without one.
    std::vector<std::size_t> apply(const std::vector<std::size_t>& tracks, const std::vector<int>& found,
                                   TrackState state, double seconds) {
        std::vector<std::size_t> rest;
        for (std::size_t t = 0; t < tracks.size(); ++t) {
            ActiveTrack& active = tracks_[tracks[t]];
            if (found[t] < 0) {
                rest.push_back(tracks[t]);
                continue;
            }
            Observation& observation = observations_[static_cast<std::size_t>(found[t])];
            observation.taken = true;
            const Detection& detection = *observation.detection;
            const std::array<AxisFilter, 4> before = active.motion.axes();
            active.motion.correct(detection.box, noise_, 1 + kOverlapNoise * overlap_of(observation));
            active.display.correct(detection.box);
            const std::array<AxisFilter, 4>& after = active.motion.axes();
            const std::array<double, 4>& measured = observation.measured;
            corrections_.push_back({after[0].position - before[0].position, after[1].position - before[1].position,
                                    after[0].velocity - before[0].velocity, after[1].velocity - before[1].velocity,
                                    measured[0] - before[0].position, measured[1] - before[1].position});
            Track& track = active.track;
            track.box = detection.box;
            track.score = detection.score;
            track.hits = detection.hits;
            track.state = state;
            track.gap = 0;
            track.detection = observation.index;
            // A frame that is detected again is no further evidence.
            if (state == TrackState::detected && active.last_seen != seconds) {
                active.last_seen = seconds;
                ++active.detections;
                active.hits += detection.hits;
            }
            track.confirmed = track.confirmed || has_evidence(active);
        }
        return rest;
    }

    // Returns how much of the box the confident box that covers most of it covers, squared. The position of a face that
    // is partly covered is less certain.
    [[nodiscard]] double overlap_of(const Observation& observation) const {
        const Box& box = observation.detection->box;
        double common = 0;
        for (const Box& other : confident_boxes_) {
            if (other.x >= box.x + box.w || other.x + other.w <= box.x) continue;
            if (observation.confident && &other == &confident_boxes_[observation.number]) continue;
            common = std::max(common, common_area(box, other));
        }
        const double part = common / area(box);
        return part * part;
    }

    [[nodiscard]] bool has_evidence(const ActiveTrack& active) const {
        return active.detections >= params_.birth_detections && active.hits >= params_.birth_hits;
    }

    [[nodiscard]] bool is_covered(const Track& track) const {
        if (track.state != TrackState::predicted) return false;
        return std::any_of(tracks_.begin(), tracks_.end(), [&](const ActiveTrack& other) {
            return other.track.state != TrackState::predicted && is_behind(track.box, other.track.box);
        });
    }

    static void move(ActiveTrack& active, TrackerInput::Shift shift) {
        active.motion.shift(shift.x, shift.y);
        active.display.shift(shift.x, shift.y);
    }

    // Returns whether most tracks that were seen in the previous frame have no detection now.
    [[nodiscard]] bool lost_most(const std::vector<int>& found) const {
        std::size_t seen = 0;
        std::size_t matched = 0;
        for (std::size_t i = 0; i < tracks_.size(); ++i) {
            if (tracks_[i].track.gap > 1) continue;
            ++seen;
            matched += found[i] >= 0 ? 1 : 0;
        }
        return seen >= kMinVotes && static_cast<double>(matched) < kShiftTrigger * static_cast<double>(seen);
    }

    // Finds the displacement that brings the most tracks to a detection of their size: each pair votes for a cell of
    // displacements. Returns nothing unless most tracks agree.
    [[nodiscard]] std::optional<TrackerInput::Shift> estimate_shift(const TrackerInput& input) const {
        struct Vote {
            double x, y;
            std::size_t track;
        };
        const double reach = kMaxShift * std::max(input.width, input.height);
        std::vector<Vote> votes;
        std::vector<double> sides;
        for (std::size_t t = 0; t < tracks_.size(); ++t) {
            if (tracks_[t].track.gap > 1) continue;
            const ActiveTrack& active = tracks_[t];
            const double side = active.motion.side();
            sides.push_back(side);
            for (const Observation& observation : observations_) {
                if (!observation.confident) continue;
                const std::array<double, 4>& measured = observation.measured;
                const double x = measured[0] - active.motion.axes()[0].position;
                const double y = measured[1] - active.motion.axes()[1].position;
                const double change = std::sqrt(area(observation.detection->box)) / side;
                if (std::abs(x) > reach || std::abs(y) > reach) continue;
                if (change > kMaxSizeChange || change * kMaxSizeChange < 1) continue;
                votes.push_back({x, y, t});
            }
        }
        if (sides.size() < kMinVotes) return std::nullopt;
        const std::size_t tracks = sides.size();
        const double cell = std::max(0.5 * median(sides), 2.0);
        const auto columns = static_cast<std::size_t>(2 * reach / cell) + 2;
        std::vector<std::size_t> counts(columns * columns, 0);
        std::vector<std::size_t> newest(columns * columns, tracks_.size());  // a track votes once per cell
        std::size_t best = 0;
        for (const Vote& vote : votes) {
            const auto column = static_cast<std::size_t>((vote.x + reach) / cell);
            const auto row = static_cast<std::size_t>((vote.y + reach) / cell);
            // A vote counts for its cell and the next ones, so that votes on both sides of an edge add up.
            for (const std::size_t index : {row * columns + column, row * columns + column + 1,
                                            (row + 1) * columns + column, (row + 1) * columns + column + 1}) {
                if (newest[index] == vote.track) continue;
                newest[index] = vote.track;
                if (++counts[index] > counts[best]) best = index;
            }
        }
        if (counts[best] < kMinVotes || 2 * counts[best] < tracks) return std::nullopt;
        const double left = static_cast<double>(best % columns) * cell - reach;
        const double top = static_cast<double>(best / columns) * cell - reach;
        std::vector<double> xs, ys;
        for (const Vote& vote : votes) {
            if (std::abs(vote.x - left) > cell || std::abs(vote.y - top) > cell) continue;
            xs.push_back(vote.x);
            ys.push_back(vote.y);
        }
        if (xs.empty()) return std::nullopt;
        return TrackerInput::Shift{median(xs), median(ys)};
    }

    // Returns the median of each value of the corrections; nothing if too few tracks have a detection.
    [[nodiscard]] std::optional<Correction> median_correction() const {
        if (corrections_.size() < kMinVotes) return std::nullopt;
        Correction middle{};
        std::vector<double> values(corrections_.size());
        for (std::size_t i = 0; i < middle.size(); ++i) {
            std::transform(corrections_.begin(), corrections_.end(), values.begin(),
                           [i](const Correction& correction) { return correction[i]; });
            middle[i] = median(values);
        }
        return middle;
    }

    void end_tracks(const TrackerInput& input) {
        const Box frame{0, 0, static_cast<float>(input.width), static_cast<float>(input.height)};
        const auto ended = [&](ActiveTrack& active) {
            Track& track = active.track;
            track.smoothed = active.display.box();
            track.vx = static_cast<float>(active.motion.axes()[0].velocity);
            track.vy = static_cast<float>(active.motion.axes()[1].velocity);
            if (track.state != TrackState::predicted) return false;
            track.box = active.motion.box();
            const double seen = active.last_seen - active.born;
            const double limit =
                track.confirmed ? std::min(params_.max_gap, kTentativeGap + kGapPerSeen * seen) : kTentativeGap;
            return input.seconds - active.last_seen > limit ||
                   !(common_area(track.box, frame) >= kMinInside * area(track.box));
        };
        tracks_.erase(std::remove_if(tracks_.begin(), tracks_.end(), ended), tracks_.end());
    }

    void start_tracks(double seconds) {
        const std::size_t old = tracks_.size();
        for (const Observation& observation : observations_) {
            if (!observation.confident || observation.taken) continue;
            const Detection& detection = *observation.detection;
            const auto covers = [&](const ActiveTrack& active) {
                if (active.track.state == TrackState::predicted) return false;
                const Box& box = active.track.box;
                return common_area(box, detection.box) > kDuplicate * std::min(area(box), area(detection.box));
            };
            if (std::any_of(tracks_.begin(), tracks_.begin() + static_cast<std::ptrdiff_t>(old), covers)) continue;
            ActiveTrack active{{}, MotionFilter(detection.box, noise_), DisplayFilter(detection.box)};
            Track& track = active.track;
            track.id = ++last_id_;
            track.box = track.smoothed = detection.box;
            track.score = detection.score;
            track.hits = detection.hits;
            active.hits = detection.hits;
            active.born = seconds;
            track.confirmed = first_ || has_evidence(active);
            track.detection = observation.index;
            active.last_seen = seconds;
            tracks_.push_back(active);
        }
    }

    TrackerParams params_;
    MotionNoise noise_;
    std::vector<ActiveTrack> tracks_;  // by id
    std::vector<Observation> observations_;
    std::vector<Box> confident_boxes_;
    std::vector<Correction> corrections_;  // of this frame
    double seconds_ = 0;                   // of the previous frame
    SceneCut cut_;
    bool first_ = true;
    std::int64_t last_id_ = 0;
};

Tracker::Tracker(const TrackerParams& params) : impl_(std::make_unique<Impl>(params)) {}
Tracker::~Tracker() = default;
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;

std::vector<Track> Tracker::update(const TrackerInput& input) {
    return impl_->update(input);
}

void Tracker::reset() {
    impl_->reset();
}

void Tracker::set_params(const TrackerParams& params) {
    impl_->set_params(params);
}

}  // namespace throng
