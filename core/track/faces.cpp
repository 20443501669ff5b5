#include "core/track/faces.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/algo/box_size.h"
#include "core/track/assignment.h"
#include "core/track/cover.h"

namespace throng {
namespace {

// Of a standing person, head and neck are the upper fifth; of one who sits behind a table, the upper half. Of one behind
// others, the box may be the head alone.
constexpr float kUpperPart = 0.4F;      // of the person's height: the center of a face is not below
constexpr float kHeadAlone = 1.2F;      // likewise, in heights of the face
constexpr double kMinFaceInside = 0.5;  // of the face's area
constexpr float kMaxWidth = 1.2F;       // of a face, in widths of the person
constexpr double kUsualTop = 0.7;       // distance of the face's center from the top, in heights of the face
constexpr double kUsualWidth = 0.4;     // of a face, in widths of the person
// Distances at which the cost is 1: from the middle in widths of the person, from the usual distance to the top in heights
// of the face.
constexpr double kFarAside = 0.35;
constexpr double kFarDown = 2;

bool has_extent(const Box& box) {
    return std::isfinite(box.x) && std::isfinite(box.y) && std::isfinite(box.w) && std::isfinite(box.h) && box.w > 0 &&
           box.h > 0;
}

}  // namespace

double face_cost(const Box& person, const Box& face) {
    constexpr double kImpossible = std::numeric_limits<double>::infinity();
    if (!has_extent(person) || !has_extent(face) || face.w > kMaxWidth * person.w) return kImpossible;
    const float aside = face.x + face.w / 2 - (person.x + person.w / 2);
    const float down = face.y + face.h / 2 - person.y;
    if (std::abs(aside) > person.w / 2 || down > std::max(kUpperPart * person.h, kHeadAlone * face.h) ||
        common_area(person, face) < kMinFaceInside * area(face)) {
        return kImpossible;
    }
    const double x = static_cast<double>(aside / person.w) / kFarAside;
    const double y = (static_cast<double>(down / face.h) - kUsualTop) / kFarDown;
    const double size = std::log(static_cast<double>(face.w / person.w) / kUsualWidth);
    const double cost = x * x + y * y + size * size;
    return cost < kMaxFaceCost ? cost : kImpossible;
}

std::vector<std::int32_t> people_of_faces(std::span<const Box> people, std::span<const Box> faces) {
    std::vector<AssignmentPair> pairs;
    for (std::size_t face = 0; face < faces.size(); ++face) {
        for (std::size_t person = 0; person < people.size(); ++person) {
            const double cost = face_cost(people[person], faces[face]);
            if (std::isfinite(cost)) pairs.push_back({static_cast<int>(face), static_cast<int>(person), cost});
        }
    }
    return assign(static_cast<int>(faces.size()), static_cast<int>(people.size()), pairs, kMaxFaceCost);
}

void join_faces(std::vector<Track>& people, std::vector<Track>& faces) {
    const auto reported = [](std::vector<Track>& tracks, std::vector<Box>& boxes) {
        std::vector<Track*> found;
        for (Track& track : tracks) {
            track.partner = 0;
            if (!track.confirmed || track.covered) continue;
            found.push_back(&track);
            boxes.push_back(track.box);
        }
        return found;
    };
    std::vector<Box> people_boxes, face_boxes;
    const std::vector<Track*> reported_people = reported(people, people_boxes);
    const std::vector<Track*> reported_faces = reported(faces, face_boxes);
    const std::vector<std::int32_t> person_of = people_of_faces(people_boxes, face_boxes);
    for (std::size_t i = 0; i < person_of.size(); ++i) {
        if (person_of[i] < 0) continue;
        Track& person = *reported_people[static_cast<std::size_t>(person_of[i])];
        person.partner = reported_faces[i]->id;
        reported_faces[i]->partner = person.id;
    }
}

}  // namespace throng
