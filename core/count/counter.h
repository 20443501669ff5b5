// Counts people by their tracks: present and unique ones, crossings of lines, presence in zones.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/count/count_plan.h"
#include "core/track/tracker.h"

namespace throng {

struct CountEvent {
    enum class Kind : std::uint8_t { appeared, left, crossed, entered, exited };
    Kind kind = Kind::appeared;
    double seconds = 0;  // presentation time
    std::int64_t id = 0;
    std::string name;     // of the line or the zone
    bool in = false;      // crossed: the direction
    double dwell = 0;     // left, exited: seconds since the person appeared or entered
    bool again = false;   // appeared: has been counted before, and was not tracked for a while
    bool facing = false;  // crossed: the person has a face (Track::partner)
};

// Totals since the start, and the present state.
struct CountTotals {
    struct Line {
        std::int64_t in = 0, out = 0;
        friend bool operator==(const Line&, const Line&) = default;
    };
    struct Zone {
        int occupancy = 0;        // people inside now
        std::int64_t visits = 0;  // entries
        std::int64_t exits = 0;
        double dwell = 0;  // seconds, sum over the exits
        friend bool operator==(const Zone&, const Zone&) = default;
    };
    int people = 0;           // now
    std::int64_t unique = 0;  // ids over time. People who return with another one are counted again.
    std::vector<Line> lines;  // in the order of the plan
    std::vector<Zone> zones;
    friend bool operator==(const CountTotals&, const CountTotals&) = default;
};

// Counts one source. Only confirmed tracks count. The position of a person is the center of the smoothed box. A line is
// crossed when that center has moved a quarter of the box to the other side, and a zone is entered or left when the
// center has been on the other side of its edge for 0.2 s: standing on an edge gives no events. Not thread-safe.
class Counter {
public:
    explicit Counter(const CountPlan& plan);

    // Advances to the next frame of `width` by `height` pixels. Returns what happened since the previous one, in the
    // order of ids; who is no longer tracked has left when last seen. A time that goes back ends all visits first.
    [[nodiscard]] std::vector<CountEvent> update(std::span<const Track> tracks, double seconds, int width, int height);

    // Counts by another plan from now on. People and shapes that it has as before keep their counts; a name does not
    // matter. Others begin with zero.
    void change(const CountPlan& plan);

    // Returns whether the time is earlier than that of the newest frame, as when a live source starts again.
    [[nodiscard]] bool goes_back(double seconds) const noexcept { return seconds < seconds_; }

    // Ends all visits at the end of the source.
    [[nodiscard]] std::vector<CountEvent> finish();

    [[nodiscard]] const CountTotals& totals() const noexcept { return totals_; }
    // Returns the time that no event of a later call precedes: somebody may leave when last seen, or have entered a zone
    // already.
    [[nodiscard]] double settled_until() const;

private:
    // Side of a line and position of the center when it was last certain.
    struct LineSide {
        int side = 0;  // -1 left, 1 right, 0: not yet certain
        CountPoint at;
    };
    struct Presence {
        bool inside = false;
        double since = 0;     // seconds: entered
        double changed = -1;  // seconds: on the other side of the edge since then; -1: is not
    };
    struct Person {
        double first = 0, last = 0;  // seconds: appeared, last detected
        std::vector<LineSide> lines;
        std::vector<Presence> zones;
        bool present = false;  // in the current frame
    };

    void cross_lines(const Track& track, Person& person, CountPoint center, double side,
                     std::vector<CountEvent>& events);
    void visit_zones(std::int64_t id, Person& person, CountPoint center, std::vector<CountEvent>& events);
    void leave(std::int64_t id, Person& person, std::vector<CountEvent>& events);
    void exit_zone(std::int64_t id, Person& person, std::size_t zone, double seconds, std::vector<CountEvent>& events);

    CountPlan given_;
    CountPlan plan_;  // for the size of the frames
    CountTotals totals_;
    [[nodiscard]] bool is_known(std::int64_t id);

    std::map<std::int64_t, Person> people_;  // by id
    static constexpr std::int64_t kBlock = 4096;
    std::map<std::int64_t, std::bitset<kBlock>> known_;  // ids that were counted, a bit each, by number of the block
    double seconds_ = 0;                                 // of the newest frame
};

// Returns whether the point lies in the polygon (even-odd rule).
[[nodiscard]] bool contains(const CountZone& zone, CountPoint point);

}  // namespace throng
