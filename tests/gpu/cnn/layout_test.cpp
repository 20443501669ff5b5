// Maps with overlapping lifetimes never share memory; maps with disjoint lifetimes do. Needs no GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/model/map_layout.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

TEST(MapLayoutTest, OverlappingLifetimesDoNotShareMemory) {
    std::mt19937_64 random(seed(11));
    for (int round = 0; round < 200; ++round) {
        std::vector<MapLife> lives(1 + random() % 40);
        std::size_t sum = 0;
        for (MapLife& life : lives) {
            life.bytes = random() % 5 == 0 ? 0 : 1 + random() % 5000;
            life.first = static_cast<int>(random() % 20);
            life.last = life.first + static_cast<int>(random() % 5);
            sum += (life.bytes + 255) / 256 * 256;
        }
        const MapLayout layout = lay_out(lives);
        ASSERT_EQ(layout.offsets.size(), lives.size());
        EXPECT_LE(layout.bytes, sum);
        for (std::size_t a = 0; a < lives.size(); ++a) {
            if (lives[a].bytes == 0) continue;
            EXPECT_EQ(layout.offsets[a] % 256, 0U);
            EXPECT_LE(layout.offsets[a] + lives[a].bytes, layout.bytes);
            for (std::size_t b = 0; b < a; ++b) {
                const bool overlap = lives[a].first <= lives[b].last && lives[b].first <= lives[a].last;
                if (!overlap || lives[b].bytes == 0) continue;
                const bool apart = layout.offsets[a] + lives[a].bytes <= layout.offsets[b] ||
                                   layout.offsets[b] + lives[b].bytes <= layout.offsets[a];
                EXPECT_TRUE(apart) << a << " and " << b << " of round " << round;
            }
        }
    }
}

TEST(MapLayoutTest, ChainNeedsTwoMaps) {
    std::vector<MapLife> lives;
    for (int i = 0; i < 10; ++i) lives.push_back({1000, i, i + 1});
    EXPECT_EQ(lay_out(lives).bytes, 1024U + 1000U);
}

}  // namespace
}  // namespace throng::test
