#include "core/track/track_linker.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace throng {
namespace {

constexpr double kSection = 60;             // seconds
constexpr std::size_t kMaxSection = 3000;   // frames
constexpr std::size_t kMinScene = 16;       // frames
constexpr std::size_t kOverlapDivisor = 3;  // of a section
constexpr std::size_t kPendingDivisor = 6;  // of a section: the second half of the overlap is left to the next one

}  // namespace

TrackLinker::Decided TrackLinker::push(const TrackerInput& input, std::vector<Track> tracks) {
    Decided decided;
    if (!cut_.continues(input)) decided = finish();
    frames_.push_back({input.seconds, std::move(tracks), input.width});
    if (frames_.size() >= kMaxSection ||
        (frames_.size() >= kMinScene && input.seconds - frames_.front().seconds >= kSection)) {
        return link(false);  // the scene goes on: nothing was decided above
    }
    return decided;
}

TrackLinker::Decided TrackLinker::end_section() {
    return frames_.size() >= kMinScene ? link(false) : Decided();
}

TrackLinker::Decided TrackLinker::finish() {
    return frames_.empty() ? Decided() : link(true);
}

// Returns the identities of the tracks that the previous section has, too: those with the most detections in common
// first.
TrackLinker::Identities TrackLinker::continued(const Decided& linked) const {
    const auto same = [](const Box& a, const Box& b) { return a.x == b.x && a.y == b.y && a.w == b.w && a.h == b.h; };
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> common;
    for (std::size_t f = 0; f < previous_.size(); ++f) {
        for (const Track& track : linked[f]) {
            if (track.state == TrackState::predicted) continue;
            for (const Track& before : previous_[f]) {
                if (before.state == TrackState::predicted || !same(before.box, track.box)) continue;
                ++common[{track.id, before.id}];
            }
        }
    }
    std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> pairs;
    for (const auto& [pair, count] : common) pairs.emplace_back(-count, pair.first, pair.second);
    std::sort(pairs.begin(), pairs.end());
    Identities result;
    std::set<std::int64_t> used;
    for (const auto& [count, track, before] : pairs) {
        if (result.contains(track) || !used.insert(before).second) continue;
        if (const auto known = identities_.find(before); known != identities_.end()) result[track] = known->second;
    }
    return result;
}

TrackLinker::Decided TrackLinker::link(bool to_end) {
    const std::size_t size = frames_.size();
    Decided linked;
    if (first_frame_ == 0 && size < kMinScene) {
        for (const TimedTracks& frame : frames_) linked.push_back(frame.tracks);
    } else {
        linked = relink_tracks(frames_);
    }
    Identities identities = continued(linked);
    Decided decided;
    const std::size_t end = to_end ? size : size - size / kPendingDivisor;
    for (; decided_ < end; ++decided_) {
        const std::int64_t frame = first_frame_ + static_cast<std::int64_t>(decided_);
        std::vector<Track>& tracks = decided.emplace_back(linked[decided_]);
        for (Track& track : tracks) {
            const auto [entry, is_new] = identities.try_emplace(track.id);
            if (is_new) entry->second = {next_id_++, frame};
            track.id = entry->second.id;
            track.age = static_cast<std::int32_t>(frame - entry->second.first);
        }
        std::sort(tracks.begin(), tracks.end(), [](const Track& a, const Track& b) { return a.id < b.id; });
    }
    const std::size_t left = to_end ? 0 : size / kOverlapDivisor;
    const auto dropped = static_cast<std::ptrdiff_t>(size - left);
    frames_.erase(frames_.begin(), frames_.begin() + dropped);
    linked.erase(linked.begin(), linked.begin() + dropped);
    first_frame_ = to_end ? 0 : first_frame_ + dropped;
    decided_ = to_end ? 0 : end - static_cast<std::size_t>(dropped);
    previous_ = std::move(linked);
    identities_ = std::move(identities);
    return decided;
}

}  // namespace throng
