#include "core/synth/layout.h"

#include <algorithm>
#include <numeric>

#include "core/synth/portable_math.h"
#include "core/synth/random.h"

namespace throng::synth {
namespace {

// Relative to the side of a face's box.
constexpr float kSpacing = 1.5F;     // min. distance of neighbors in a row: no hair covers the next face
constexpr float kRowStep = 1.36F;    // to the row behind, relative to the nearer row's faces: heads do not cover faces
constexpr float kBelowFront = 1.0F;  // from the front row's faces to the lower edge of the image
constexpr float kEdge = 0.65F;       // from the left and right edges of the image in frame 0

constexpr float kRowRatio = 1.24F;  // ratio of face sizes from row to row
constexpr float kMaxFace = 0.16F;   // relative to the image's height: a crowd, not a portrait
constexpr float kTopRow = 0.2F;     // fraction of the image without faces at the top: the hall is visible there

constexpr double kBlink = 0.22;  // seconds

// Walking people. Relative to the side of a face's box unless stated otherwise.
constexpr float kWalkFace = 0.62F;     // side of the nearest face, relative to the square root of a person's area
constexpr float kWalkFarthest = 0.5F;  // side of the farthest face, relative to the nearest
constexpr float kWalkTop = 0.22F;      // upper edge of the crowd, relative to the image's height
constexpr float kMinWalk = 0.8F;       // speed per second
constexpr float kMaxWalk = 3.4F;
constexpr float kWalkMargin = 1.5F;  // that people walk out of the image on each side, before they come back

}  // namespace

Layout::Layout(const CrowdOptions& options) : options_(options) {
    if (options.motion == CrowdMotion::walk) {
        rows_ = walking_rows();
        position_people();
        return;
    }
    // Find the maximum face size at which all people fit.
    float face_size = kMaxFace * static_cast<float>(options.height);
    while (true) {
        rows_ = rows_for(face_size);
        int num_slots = 0;
        for (const Row& row : rows_) num_slots += slots(row);
        if (num_slots >= options.faces) break;
        face_size *= 0.985F;
    }
    spread_people(rows_);
    position_people();
}

std::vector<Layout::Row> Layout::rows_for(float face_size) const {
    const auto height = static_cast<float>(options_.height);
    std::vector<Row> rows;
    float size = face_size;
    for (float y = height - kBelowFront * size; y >= kTopRow * height || rows.empty();) {
        rows.push_back({size, y, 0, 0, 0, 0});
        y -= kRowStep * size;
        if (rows.size() < 6) size *= 1.0F / kRowRatio;
    }
    return rows;
}

int Layout::slots(const Row& row) const {
    const float usable = static_cast<float>(options_.width) - 2.0F * kEdge * row.size;
    return usable < 0.0F ? 0 : 1 + static_cast<int>(usable / (kSpacing * row.size));
}

// Distributes the people in proportion to the slots of the rows. The sum is exact despite rounding.
void Layout::spread_people(std::vector<Row>& rows) const {
    int num_slots = 0;
    for (const Row& row : rows) num_slots += slots(row);
    int people = options_.faces;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Row& row = rows[i];
        const int here = slots(row);
        row.people = num_slots > 0
                         ? static_cast<int>((static_cast<std::int64_t>(people) * here + num_slots / 2) / num_slots)
                         : 0;
        row.people = std::min({row.people, here, people});
        // People who do not fit into the rows behind must stand in this row.
        row.people = std::max(row.people, people - (num_slots - here));
        people -= row.people;
        num_slots -= here;
        row.depth = rows.size() > 1 ? static_cast<float>(i) / static_cast<float>(rows.size() - 1) : 0.0F;
        Random random(options_.seed, 0x7000 + i);
        const float direction = i % 2 == 0 ? 1.0F : -1.0F;
        row.speed = static_cast<double>(direction * row.size * random.between(0.22F, 0.45F));
        row.circumference = options_.width + 2.0 * static_cast<double>(row.size);
    }
}

// Returns one row per person, from the nearest to the farthest. All people are equally tall.
std::vector<Layout::Row> Layout::walking_rows() const {
    const auto width = static_cast<float>(options_.width);
    const auto height = static_cast<float>(options_.height);
    const float share = width * height / static_cast<float>(std::max(options_.faces, 1));
    const float nearest = std::min(kMaxFace * height, kWalkFace * std::sqrt(share));
    const float bottom = height - kBelowFront * nearest;
    std::vector<Row> rows;
    for (int i = 0; i < options_.faces; ++i) {
        Row row{};
        row.people = 1;
        row.depth = options_.faces > 1 ? static_cast<float>(i) / static_cast<float>(options_.faces - 1) : 0.0F;
        // In perspective, the height in the image is a linear function of the size.
        row.size = nearest * (1.0F - (1.0F - kWalkFarthest) * row.depth);
        row.y = bottom - (bottom - kWalkTop * height) * row.depth;
        Random random(options_.seed, 0x7000 + static_cast<std::uint64_t>(i));
        // Neighbors walk in opposite directions or at other paces, so that nobody is behind the same person for long.
        const float turns = 0.4F * static_cast<float>(i / 2) + random.between(0.0F, 0.05F);
        const float pace = kMinWalk + (kMaxWalk - kMinWalk) * (turns - std::floor(turns));
        row.speed = static_cast<double>((i % 2 == 0 ? row.size : -row.size) * pace);
        row.circumference = static_cast<double>(width) + 2.0 * static_cast<double>(kWalkMargin * row.size);
        rows.push_back(row);
    }
    return rows;
}

void Layout::position_people() {
    // A seeded shuffle spreads the first people over the whole hall.
    const auto count = static_cast<std::size_t>(options_.faces);
    std::vector<int> person(count);
    std::iota(person.begin(), person.end(), 0);
    Random shuffle(options_.seed, 0x5AFF);
    for (int i = options_.faces - 1; i > 0; --i) std::swap(person[i], person[shuffle.below(i + 1)]);

    positions_.resize(count);
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
            Position& position = positions_[static_cast<std::size_t>(who)];
            position.row = static_cast<int>(r);
            position.size = row.size * random.between(0.93F, 1.07F);
            const float jitter = slack * random.between(-1.0F, 1.0F);
            const float x =
                row.people > 1 ? first + static_cast<float>(i) * step + jitter : first + span * random.unit();
            position.x = clamped(x, std::min(first, first + span), std::max(first, first + span));
            position.y = row.y + row.size * random.between(-0.05F, 0.05F);
            position.stream = random.next();
        }
    }

    order_ = std::move(person);
    std::stable_sort(order_.begin(), order_.end(), [this](int a, int b) {
        return positions_[static_cast<std::size_t>(a)].row > positions_[static_cast<std::size_t>(b)].row;
    });
}

Pose Layout::pose(int person, double seconds) const {
    const Position& position = positions_[static_cast<std::size_t>(person)];
    const Row& row = rows_[static_cast<std::size_t>(position.row)];
    Random random(options_.seed, position.stream);
    // Returns a value between -1 and 1 at this instant. Every person and motion has a separate wave.
    const auto wave = [&](float slowest, float fastest, bool from_zero = false) {
        const auto rate = static_cast<double>(random.between(slowest, fastest));
        const auto phase = static_cast<double>(random.unit());
        return static_cast<float>(sine_of_turns(seconds * rate + (from_zero ? 0.0 : phase)));
    };

    Pose pose;
    pose.identity = person;
    pose.size = position.size;
    pose.depth = row.depth;

    const double margin = row.circumference - options_.width;
    double x = static_cast<double>(position.x) + seconds * row.speed + 0.5 * margin;
    const double passages = std::floor(x / row.circumference);
    x -= row.circumference * passages;
    pose.x = static_cast<float>(x - 0.5 * margin) + 0.10F * position.size * wave(0.08F, 0.2F, true);
    // At times people stoop behind those in front.
    pose.y =
        position.y + 0.10F * position.size * wave(0.05F, 0.12F, true) + 0.025F * position.size * wave(0.8F, 1.2F, true);

    if (options_.motion == CrowdMotion::walk) {
        pose.identity += options_.faces * static_cast<int>(std::abs(passages));
        pose.y += 0.05F * position.size * wave(1.6F, 2.1F);  // steps
    }

    const float base_yaw = random.between(-0.16F, 0.16F);
    const float tilted = random.between(-0.07F, 0.07F);
    pose.yaw = clamped(base_yaw + 0.16F * wave(0.05F, 0.15F) + 0.10F * wave(0.2F, 0.4F), -0.34F, 0.34F);
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
