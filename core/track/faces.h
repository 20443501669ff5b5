// Which face belongs to which person.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/algo/box.h"
#include "core/track/tracker.h"

namespace throng {

// Returns the number of the person that each face belongs to, or -1: a face that nobody has, as on a poster, or one too
// many. A face belongs to at most one person and a person has at most one face. It lies in the upper part of the person's
// box, most of it inside, and is not much wider. Of all assignments, the one with the least sum of costs, which grow with
// the distance from the top and the middle of the box and with an unusual size.
[[nodiscard]] std::vector<std::int32_t> people_of_faces(std::span<const Box> people, std::span<const Box> faces);

// The cost of a pair, below kMaxFaceCost; infinite: the face cannot belong to the person.
[[nodiscard]] double face_cost(const Box& person, const Box& face);
inline constexpr double kMaxFaceCost = 4;

// Sets Track::partner of the tracks that are reported: those confirmed and not covered.
void join_faces(std::vector<Track>& people, std::vector<Track>& faces);

}  // namespace throng
