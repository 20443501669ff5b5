#include "core/track/faces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "tests/support/random.h"

namespace throng {
namespace {

// Tries every assignment of the faces from `face` on. Returns the least cost.
double least_cost(const std::vector<Box>& people, const std::vector<Box>& faces, std::size_t face,
                  std::vector<bool>& taken) {
    if (face == faces.size()) return 0;
    double best = kMaxFaceCost + least_cost(people, faces, face + 1, taken);
    for (std::size_t person = 0; person < people.size(); ++person) {
        const double cost = face_cost(people[person], faces[face]);
        if (taken[person] || !std::isfinite(cost)) continue;
        taken[person] = true;
        best = std::min(best, cost + least_cost(people, faces, face + 1, taken));
        taken[person] = false;
    }
    return best;
}

TEST(FacesOfPeople, RandomCrowdsHaveTheLeastCost) {
    std::mt19937_64 random(test::seed(49));
    const auto uniform = [&](float from, float to) { return std::uniform_real_distribution<float>(from, to)(random); };
    std::size_t assigned = 0;
    for (std::size_t round = test::case_count(300); round > 0; --round) {
        std::vector<Box> people(random() % 6), faces(random() % 6);
        for (Box& box : people) box = {uniform(0, 120), uniform(0, 60), uniform(40, 80), uniform(80, 200)};
        for (Box& box : faces) {
            box = {uniform(0, 180), uniform(0, 120), uniform(12, 60), uniform(12, 60)};
            if (!people.empty() && random() % 2 == 0) {  // near a head
                const Box& person = people[random() % people.size()];
                box.x = person.x + person.w / 2 - box.w / 2 + uniform(-10, 10);
                box.y = person.y + uniform(-5, 20);
            }
            if (random() % 20 == 0) box.w = std::numeric_limits<float>::quiet_NaN();
        }
        const std::vector<std::int32_t> person_of = people_of_faces(people, faces);
        ASSERT_EQ(person_of.size(), faces.size());
        double cost = 0;
        std::set<std::int32_t> used;
        for (std::size_t i = 0; i < faces.size(); ++i) {
            if (person_of[i] >= 0) {
                ++assigned;
                ASSERT_TRUE(used.insert(person_of[i]).second) << "two faces of one person";
            }
            cost += person_of[i] < 0 ? kMaxFaceCost
                                     : face_cost(people.at(static_cast<std::size_t>(person_of[i])), faces[i]);
        }
        std::vector<bool> taken(people.size());
        EXPECT_NEAR(cost, least_cost(people, faces, 0, taken), 1e-9);
    }
    EXPECT_GT(assigned, 0U);
}

TEST(FacesOfPeople, KnownScenes) {
    using Owners = std::vector<std::int32_t>;
    const Box standing{100, 100, 80, 240}, head{125, 106, 30, 36};
    EXPECT_EQ(people_of_faces(std::vector<Box>{standing}, std::vector<Box>{head}), (Owners{0}));
    // Two faces: the one at the top is the person's, whichever comes first.
    const Box on_shirt{128, 170, 24, 28};
    EXPECT_EQ(people_of_faces(std::vector<Box>{standing}, std::vector<Box>{on_shirt, head}), (Owners{-1, 0}));
    // On a poster: beside a person, and without any.
    EXPECT_EQ(people_of_faces(std::vector<Box>{standing}, std::vector<Box>{{190, 110, 30, 36}}), (Owners{-1}));
    EXPECT_EQ(people_of_faces({}, std::vector<Box>{head}), (Owners{-1}));
    // At the belt, and larger than the person.
    EXPECT_EQ(people_of_faces(std::vector<Box>{standing}, std::vector<Box>{{125, 215, 30, 36}}), (Owners{-1}));
    EXPECT_EQ(people_of_faces(std::vector<Box>{standing}, std::vector<Box>{{80, 80, 120, 130}}), (Owners{-1}));
    // A child in front of somebody who stands: each has the face at the top of the own box.
    const Box child{112, 200, 50, 130}, childs_face{124, 204, 24, 28};
    EXPECT_EQ(people_of_faces(std::vector<Box>{standing, child}, std::vector<Box>{childs_face, head}), (Owners{1, 0}));
    // Somebody turned away in front: the face of the one behind is not theirs.
    const Box in_front{140, 130, 90, 260};
    EXPECT_EQ(people_of_faces(std::vector<Box>{in_front, standing}, std::vector<Box>{head}), (Owners{1}));
    // Only the head is visible above a wall.
    EXPECT_EQ(people_of_faces(std::vector<Box>{{120, 98, 44, 50}}, std::vector<Box>{head}), (Owners{0}));
}

// A pixel beyond each limit, the cost is infinite.
TEST(FacesOfPeople, AFaceAtALimitBelongsToThePerson) {
    const Box person{0, 0, 100, 200};
    EXPECT_TRUE(std::isfinite(face_cost(person, {40, 70, 20, 20}))) << "its center is 0.4 of the height from the top";
    EXPECT_FALSE(std::isfinite(face_cost(person, {40, 71, 20, 20})));
    EXPECT_TRUE(std::isfinite(face_cost(person, {80, 10, 40, 40}))) << "half of it is inside";
    EXPECT_FALSE(std::isfinite(face_cost(person, {81, 10, 40, 40})));
    EXPECT_TRUE(std::isfinite(face_cost(person, {-20, 10, 40, 40})));
    EXPECT_FALSE(std::isfinite(face_cost(person, {-21, 10, 40, 40})));
    EXPECT_TRUE(std::isfinite(face_cost(person, {-10, 0, 120, 100}))) << "1.2 times as wide";
    EXPECT_FALSE(std::isfinite(face_cost(person, {-11, 0, 122, 100})));
}

TEST(FacesOfPeople, OnlyReportedTracksAreJoined) {
    const auto track = [](std::int64_t id, Box box, bool confirmed, bool covered) {
        Track result;
        result.id = id;
        result.box = box;
        result.confirmed = confirmed;
        result.covered = covered;
        return result;
    };
    const Box standing{100, 100, 80, 240}, head{125, 106, 30, 36};
    std::vector<Track> people{track(3, standing, false, false), track(4, {300, 100, 80, 240}, true, false),
                              track(5, standing, true, false)};
    std::vector<Track> faces{track(1, head, true, true), track(2, head, true, false)};
    people[0].partner = faces[0].partner = 7;  // of an earlier frame
    join_faces(people, faces);
    EXPECT_EQ(people[0].partner, 0);
    EXPECT_EQ(people[1].partner, 0);
    EXPECT_EQ(people[2].partner, 2);
    EXPECT_EQ(faces[0].partner, 0);
    EXPECT_EQ(faces[1].partner, 5);
}

}  // namespace
}  // namespace throng
