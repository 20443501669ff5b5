#include "core/synth/crowd.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <opencv2/objdetect.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "core/base/error.h"
#include "tests/support/fingerprint.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

using test::fingerprint;

CrowdOptions small_crowd(int faces = 12, int width = 322, int height = 181) {
    CrowdOptions options;
    options.faces = faces;
    options.width = width;
    options.height = height;
    return options;
}

float overlap(const Box& a, const Box& b) {
    const float w = std::min(a.x + a.w, b.x + b.w) - std::max(a.x, b.x);
    const float h = std::min(a.y + a.h, b.y + b.h) - std::max(a.y, b.y);
    return w > 0 && h > 0 ? w * h / (a.w * a.h + b.w * b.h - w * h) : 0.0F;
}

// The fingerprints are the same on every machine. Changing them changes every crowd drawn so far.
TEST(Crowd, FramesMatchTheirFingerprints) {
    const Crowd crowd(small_crowd());
    EXPECT_EQ(fingerprint(crowd.frame(0)), 11010954740778011865U);
    EXPECT_EQ(fingerprint(crowd.frame(1000)), 11722683879192432069U);
    CrowdOptions other = small_crowd(30, 640, 360);
    other.seed = 0xFFFFFFFFFFFFFFFFU;
    other.uncover = 9;
    other.fps = 23.976;
    EXPECT_EQ(fingerprint(Crowd(other).frame(77)), 16688292180077219963U);
}

TEST(WalkingCrowd, FramesMatchTheirFingerprints) {
    CrowdOptions options = small_crowd();
    options.motion = CrowdMotion::walk;
    EXPECT_EQ(fingerprint(Crowd(options).frame(0)), 9038650497260414807U);
    EXPECT_EQ(fingerprint(Crowd(options).frame(1000)), 12621787757714595577U);
}

// The crowd that tracks are measured on: how often faces are covered, and how many people come back as others.
TEST(WalkingCrowd, PeopleCoverEachOtherAndComeBackAsOthers) {
    for (const std::uint64_t seed : {1U, 2U}) {
        CrowdOptions options;
        options.motion = CrowdMotion::walk;
        options.seed = seed;
        const Crowd crowd(options);
        int faces = 0;
        int covered = 0;
        int covered_briefly = 0;         // for 5 to 45 frames
        std::map<int, int> covered_for;  // by person: frames until now
        std::set<int> people;
        for (std::int64_t n = 0; n < 150; ++n) {
            for (const CrowdFace& face : crowd.truth(n)) {
                people.insert(face.person);
                EXPECT_EQ(face.ignore, face.visible < kVisibleWalkingFace);
                const Box& b = face.box;
                if (b.x < 0 || b.y < 0 || b.x + b.w > 1920 || b.y + b.h > 1080) continue;
                ++faces;
                int& frames = covered_for[face.person];
                if (face.ignore) {
                    ++covered;
                    ++frames;
                } else {
                    if (frames >= 5 && frames <= 45) covered_briefly += frames;
                    frames = 0;
                }
            }
        }
        EXPECT_GE(covered, faces / 10);
        EXPECT_LE(covered, faces / 5);
        EXPECT_GE(covered_briefly, covered * 7 / 10);
        EXPECT_GE(people.size(), 66U);  // 10 % of 60 more within 5 seconds
    }
}

TEST(Crowd, FramesDoNotDependOnTheNumberOfThreads) {
    const Crowd one(small_crowd(), 1);
    const std::uint64_t expected = fingerprint(one.frame(33));
    for (const int threads : {2, 3, 7})
        EXPECT_EQ(fingerprint(Crowd(small_crowd(), threads).frame(33)), expected) << threads;
}

TEST(Crowd, FramesDoNotDependOnTheInstructionSet) {
    const std::uint64_t expected = fingerprint(Crowd(small_crowd()).frame(33));
    for (std::int64_t targets = hwy::SupportedTargets() & HWY_TARGETS; targets != 0; targets &= targets - 1) {
        hwy::SetSupportedTargetsForTest(targets & -targets);
        EXPECT_EQ(fingerprint(Crowd(small_crowd()).frame(33)), expected) << hwy::TargetName(targets & -targets);
    }
    hwy::SetSupportedTargetsForTest(0);
}

TEST(Crowd, FramesDoNotDependOnPreviousFrames) {
    const Crowd crowd(small_crowd());
    const std::uint64_t tenth = fingerprint(crowd.frame(10));
    static_cast<void>(crowd.frame(500));
    EXPECT_EQ(fingerprint(crowd.frame(10)), tenth);
    EXPECT_NE(fingerprint(crowd.frame(11)), tenth);
}

TEST(Crowd, FrameInfoIsSet) {
    CrowdOptions options = small_crowd();
    options.fps = 25;
    const Frame frame = Crowd(options).frame(50);
    EXPECT_EQ(frame.info().format, PixelFormat::yuv420p);
    EXPECT_EQ(frame.info().range, ColorRange::limited);
    EXPECT_EQ(frame.info().matrix, ColorMatrix::bt709);
    EXPECT_EQ(frame.info().index, 50);
    EXPECT_DOUBLE_EQ(frame.info().pts, 2.0);
    for (int p = 0; p < 3; ++p) {
        const PlaneView& plane = frame.plane(p);
        for (int y = 0; y < plane.height; ++y) {
            const auto [low, high] =
                std::minmax_element(plane.data + y * plane.pitch, plane.data + y * plane.pitch + plane.width);
            ASSERT_GE(*low, 16);
            ASSERT_LE(*high, p == 0 ? 235 : 240);
        }
    }
}

TEST(Crowd, RejectsAnImageOfAnotherSizeOrFormat) {
    const Crowd crowd(small_crowd());
    FramePool pool;
    WritableFrame gray = pool.take(PixelFormat::gray8, 322, 181);
    EXPECT_THROW(crowd.draw(0, gray), Error);
    WritableFrame narrow = pool.take(PixelFormat::yuv420p, 320, 181);
    EXPECT_THROW(crowd.draw(0, narrow), Error);
}

TEST(CrowdTruth, AllFacesAreVisibleInFrameZero) {
    for (const auto& [faces, width, height] :
         {std::tuple{60, 1920, 1080}, {147, 4646, 1800}, {1, 640, 480}, {300, 1280, 720}, {40, 400, 1600}}) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            CrowdOptions options = small_crowd(faces, width, height);
            options.seed = seed;
            const auto truth = Crowd(options).truth(0);
            ASSERT_EQ(truth.size(), static_cast<std::size_t>(faces));
            for (std::size_t i = 0; i < truth.size(); ++i) {
                const CrowdFace& face = truth[i];
                EXPECT_EQ(face.person, static_cast<int>(i));
                EXPECT_FALSE(face.ignore) << "person " << i << " of " << faces << ", visible " << face.visible;
                EXPECT_GE(face.box.x, -1.0F);
                EXPECT_GE(face.box.y, -1.0F);
                EXPECT_LE(face.box.x + face.box.w, static_cast<float>(width) + 1.0F);
                EXPECT_LE(face.box.y + face.box.h, static_cast<float>(height) + 1.0F);
                for (std::size_t j = 0; j < i; ++j) EXPECT_LT(overlap(face.box, truth[j].box), 0.1F);
            }
        }
    }
}

TEST(CrowdTruth, PeopleMoveSmoothlyAndLeaveAtTheEdges) {
    const Crowd crowd(small_crowd(40, 960, 540));
    auto before = crowd.truth(0);
    for (std::int64_t n = 1; n < 300; ++n) {
        const auto now = crowd.truth(n);
        for (const CrowdFace& face : now) {
            ASSERT_GE(face.visible, kHiddenFace);
            ASSERT_LE(face.visible, 1.0F);
            ASSERT_EQ(face.ignore, face.visible < kVisibleFace);
            const auto same =
                std::find_if(before.begin(), before.end(), [&](const CrowdFace& f) { return f.person == face.person; });
            if (same == before.end()) continue;
            ASSERT_LT(std::abs(face.box.x - same->box.x), 0.1F * face.box.w)
                << "frame " << n << " person " << face.person;
            ASSERT_LT(std::abs(face.box.y - same->box.y), 0.1F * face.box.h);
            ASSERT_EQ(face.box.w, same->box.w);
        }
        before = now;
    }
}

TEST(CrowdTruth, UncoverShowsTheFirstFaces) {
    CrowdOptions options = small_crowd(30, 960, 540);
    const auto all = Crowd(options).truth(0);
    options.uncover = 11;
    const Crowd crowd(options);
    const auto truth = crowd.truth(0);
    ASSERT_EQ(truth.size(), 11U);
    for (std::size_t i = 0; i < truth.size(); ++i) {
        EXPECT_EQ(truth[i].person, static_cast<int>(i));
        EXPECT_EQ(truth[i].box.x, all[i].box.x);
    }
    const Frame frame = crowd.frame(0);
    for (const CrowdFace& face : all) {
        const auto x = static_cast<int>(face.box.x + face.box.w / 2);
        const auto y = static_cast<int>(face.box.y + face.box.h / 2);
        const int level = frame.plane(0).data[y * frame.plane(0).pitch + x];
        EXPECT_EQ(level <= 24, face.person >= 11) << "person " << face.person << ", level " << level;
    }
    options.uncover = 0;
    EXPECT_TRUE(Crowd(options).truth(0).empty());
}

TEST(Crowd, ExtremeSizesAndTimes) {
    for (const auto& [faces, width, height] : {std::tuple{0, 64, 64}, {5000, 64, 64}, {3, 65, 1001}, {200, 999, 65}}) {
        const Crowd crowd(small_crowd(faces, width, height));
        const std::int64_t n = faces < 1000 ? 1000000000000 : 0;
        EXPECT_EQ(crowd.frame(n).width(), width);
        EXPECT_LE(crowd.truth(n).size(), static_cast<std::size_t>(faces));
    }
}

// OpenCV's detector finds nearly all faces and hardly anything else.
TEST(Crowd, AFrontalCascadeFindsTheFaces) {
    TH_NEED(file, test::cascade_file("haarcascade_frontalface_alt2.xml"), "haarcascade_frontalface_alt2.xml");
    cv::CascadeClassifier cascade(file.string());
    int faces = 0;
    int hits = 0;
    int alarms = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        CrowdOptions options = small_crowd(40, 1280, 720);
        options.seed = seed;
        const Crowd crowd(options);
        const auto n = static_cast<std::int64_t>(20 * seed);
        const Frame frame = crowd.frame(n);
        const auto truth = crowd.truth(n);
        const cv::Mat luma(frame.height(), frame.width(), CV_8U, const_cast<std::uint8_t*>(frame.plane(0).data),
                           static_cast<std::size_t>(frame.plane(0).pitch));
        std::vector<cv::Rect> found;
        cascade.detectMultiScale(luma, found, 1.1, 3, 0, cv::Size(30, 30));
        std::vector<bool> used(found.size(), false);
        for (const CrowdFace& face : truth) {
            bool hit = false;
            for (std::size_t i = 0; i < found.size(); ++i) {
                const Box box{static_cast<float>(found[i].x), static_cast<float>(found[i].y),
                              static_cast<float>(found[i].width), static_cast<float>(found[i].height)};
                if (overlap(box, face.box) < 0.5F) continue;
                hit = true;
                used[i] = true;
            }
            faces += face.ignore ? 0 : 1;
            hits += hit && !face.ignore ? 1 : 0;
        }
        alarms += static_cast<int>(std::count(used.begin(), used.end(), false));
    }
    EXPECT_GE(hits, 0.95 * faces) << hits << " of " << faces;
    EXPECT_LE(alarms, 3);
}

}  // namespace
}  // namespace throng
