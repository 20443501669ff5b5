#include "core/synth/layout.h"

#include <algorithm>
#include <numeric>

#include "core/synth/portable_math.h"
#include "core/synth/random.h"

namespace throng::synth {
namespace {

// In sides of a face's box.
constexpr float kSpacing = 1.5F;     // between neighbors of a row, at least: no hair covers the next face
constexpr float kRowStep = 1.36F;    // from a row up to the one behind, in faces of the nearer row: heads clear faces
constexpr float kBelowFront = 1.0F;  // from the front row's faces down to the edge of the image
constexpr float kEdge = 0.65F;       // from the sides of the image in frame 0

constexpr float kRowRatio = 1.24F;  // face size from row to row
constexpr float kLargest = 0.16F;   // of the image's height: a crowd, not a portrait
constexpr float kTopRow = 0.2F;     // no faces above this part of the image: the hall shows there

constexpr double kBlink = 0.22;  // seconds

}  // namespace

Layout::Layout(const CrowdOptions& options) : options_(options) {
    // The largest faces with which all find room.
    float largest = kLargest * static_cast<float>(options.height);
    while (true) {
        rows_ = rows_for(largest);
        int room = 0;
        for (const Row& row : rows_) room += slots(row);
        if (room >= options.faces) break;
        largest *= 0.985F;
    }
    spread_people(rows_);
    position_people();
}

std::vector<Layout::Row> Layout::rows_for(float largest) const {
    const auto height = static_cast<float>(options_.height);
    std::vector<Row> rows;
    float size = largest;
    for (float y = height - kBelowFront * size; y >= kTopRow * height || rows.empty();) {
        rows.push_back({size, y, 0, 0, 0, 0});
        y -= kRowStep * size;
        if (rows.size() < 6) size *= 1.0F / kRowRatio;
    }
    return rows;
}

int Layout::slots(const Row& row) const {
    const float room = static_cast<float>(options_.width) - 2.0F * kEdge * row.size;
    return room < 0.0F ? 0 : 1 + static_cast<int>(room / (kSpacing * row.size));
}

// In proportion to the room, whole people, none lost to rounding.
void Layout::spread_people(std::vector<Row>& rows) const {
    int room = 0;
    for (const Row& row : rows) room += slots(row);
    int people = options_.faces;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Row& row = rows[i];
        const int here = slots(row);
        row.people = room > 0 ? static_cast<int>((static_cast<std::int64_t>(people) * here + room / 2) / room) : 0;
        row.people = std::min({row.people, here, people});
        // What the rows behind cannot take must stand here.
        row.people = std::max(row.people, people - (room - here));
        people -= row.people;
        room -= here;
        row.depth = rows.size() > 1 ? static_cast<float>(i) / static_cast<float>(rows.size() - 1) : 0.0F;
        Random random(options_.seed, 0x7000 + i);
        const float direction = i % 2 == 0 ? 1.0F : -1.0F;
        row.speed = static_cast<double>(direction * row.size * random.between(0.22F, 0.45F));
        row.circumference = options_.width + 2.0 * static_cast<double>(row.size);
    }
}

void Layout::position_people() {
    // A seeded shuffle: the first people are anywhere in the hall.
    const auto count = static_cast<std::size_t>(options_.faces);
    std::vector<int> person(count);
    std::iota(person.begin(), person.end(), 0);
    Random shuffle(options_.seed, 0x5AFF);
    for (int i = options_.faces - 1; i > 0; --i) std::swap(person[i], person[shuffle.below(i + 1)]);

    places_.resize(count);
    std::size_t next = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        const Row& row = rows_[r];
        const float first = kEdge * row.size;
        const float span = static_cast<float>(options_.width) - 2.0F * first;
        const float step = row.people > 1 ? span / static_cast<float>(row.people - 1) : 0.0F;
        const float slack = std::max(0.0F, 0.45F * (step - kSpacing * row.size));
        for (int i = 0; i < row.people; ++i) {
            const int who = person[next++];
            Random random(options_.seed, static_cast<std::uint64_t>(who));
            Place& place = places_[static_cast<std::size_t>(who)];
            place.row = static_cast<int>(r);
            place.size = row.size * random.between(0.93F, 1.07F);
            const float jitter = slack * random.between(-1.0F, 1.0F);
            const float x =
                row.people > 1 ? first + static_cast<float>(i) * step + jitter : first + span * random.unit();
            place.x = clamped(x, std::min(first, first + span), std::max(first, first + span));
            place.y = row.y + row.size * random.between(-0.05F, 0.05F);
            place.stream = random.next();
        }
    }

    order_ = std::move(person);
    std::stable_sort(order_.begin(), order_.end(), [this](int a, int b) {
        return places_[static_cast<std::size_t>(a)].row > places_[static_cast<std::size_t>(b)].row;
    });
}

Pose Layout::pose(int person, double seconds) const {
    const Place& place = places_[static_cast<std::size_t>(person)];
    const Row& row = rows_[static_cast<std::size_t>(place.row)];
    Random random(options_.seed, place.stream);
    // A wave of its own for every person and motion: what, between -1 and 1, at this instant.
    const auto wave = [&](float slowest, float fastest, bool from_zero = false) {
        const auto rate = static_cast<double>(random.between(slowest, fastest));
        const auto phase = static_cast<double>(random.unit());
        return static_cast<float>(sine_of_turns(seconds * rate + (from_zero ? 0.0 : phase)));
    };

    Pose pose;
    pose.size = place.size;
    pose.depth = row.depth;

    const double margin = row.circumference - options_.width;
    double x = static_cast<double>(place.x) + seconds * row.speed + 0.5 * margin;
    x -= row.circumference * std::floor(x / row.circumference);
    pose.x = static_cast<float>(x - 0.5 * margin) + 0.10F * place.size * wave(0.08F, 0.2F, true);
    // Now and then somebody stoops behind those in front.
    pose.y = place.y + 0.10F * place.size * wave(0.05F, 0.12F, true) + 0.025F * place.size * wave(0.8F, 1.2F, true);

    const float turned = random.between(-0.16F, 0.16F);
    const float tilted = random.between(-0.07F, 0.07F);
    pose.yaw = clamped(turned + 0.16F * wave(0.05F, 0.15F) + 0.10F * wave(0.2F, 0.4F), -0.34F, 0.34F);
    pose.pitch = 0.07F * wave(0.07F, 0.2F) + random.between(-0.04F, 0.05F);
    pose.roll = tilted + 0.06F * wave(0.06F, 0.2F);

    const auto period = static_cast<double>(random.between(2.4F, 6.0F));
    const double since = seconds + period * static_cast<double>(random.unit());
    const double into_blink = since - period * std::floor(since / period);
    if (into_blink < kBlink) {
        const double half = 0.5 * kBlink;
        pose.lids = static_cast<float>(into_blink < half ? into_blink / half : 2.0 - into_blink / half);
    }

    const bool talks = random.chance(0.3F);
    const float words = wave(1.7F, 2.6F);
    const float phrases = wave(0.1F, 0.3F);
    pose.mouth = talks && phrases > 0.0F ? clamped(0.6F * phrases * (0.5F + 0.5F * words), 0.0F, 1.0F) : 0.0F;
    return pose;
}

}  // namespace throng::synth
