#include "core/annotations/labels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/eval/evaluation.h"
#include "core/sinks/json_sink.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

class LabelsTest : public ::testing::Test {
protected:
    std::filesystem::path file(const std::string& text) {
        const auto path = dir_.path() / "labels.txt";
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }

    // Returns the location in the reader's error.
    template <typename Read>
    std::string where(const std::string& text, const Read& read) {
        try {
            read(file(text));
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            return std::filesystem::path(error.where().text()).filename().string();
        }
        return "nowhere";
    }

    test::ScratchDir dir_;
};

TEST_F(LabelsTest, WiderFaceText) {
    const auto truth =
        read_truth(file("0--Parade/a b.jpg\r\n2\r\n1 2 30 40 0 0 0 0 0 0\r\n5.5 6 7 8 0 0 0 1 0 0\r\n"
                        "none.jpg\n0\n0 0 0 0 0 0 0 0 0 0\nempty.jpg\n0\nlast.jpg\n1\n-1 233 20 25\n"));
    ASSERT_EQ(truth.size(), 4U);
    EXPECT_EQ(truth[0].source, "0--Parade/a b.jpg");
    EXPECT_FALSE(truth[0].frame.has_value());
    ASSERT_EQ(truth[0].entries.size(), 2U);
    EXPECT_EQ(truth[0].entries[0].box.h, 40.0F);
    EXPECT_FALSE(truth[0].entries[0].ignore);
    EXPECT_TRUE(truth[0].entries[1].ignore);
    EXPECT_TRUE(truth[1].entries.empty());
    EXPECT_TRUE(truth[2].entries.empty());
    ASSERT_EQ(truth[3].entries.size(), 1U);
    EXPECT_EQ(truth[3].entries[0].box.x, -1.0F);
}

TEST_F(LabelsTest, WrittenTruthRoundTrips) {
    const TruthLabels labels{
        "über \"quoted\".mp4", 7, {{{1.25F, -2, 80.1F, 80}, 0.5F, true}, {{3, 4, 5, 6}, 1, false}}};
    const auto truth = read_truth(file(truth_line(labels, 1920, 1080) + truth_line({"none.mp4", 0, {}}, 64, 64)));
    ASSERT_EQ(truth.size(), 2U);
    EXPECT_EQ(truth[0].source, labels.source);
    EXPECT_EQ(truth[0].frame, 7);
    ASSERT_EQ(truth[0].entries.size(), 2U);
    EXPECT_EQ(truth[0].entries[0].box.w, 80.1F);
    EXPECT_EQ(truth[0].entries[0].visible, 0.5F);
    EXPECT_TRUE(truth[0].entries[0].ignore);
    EXPECT_TRUE(truth[1].entries.empty());
}

TEST_F(LabelsTest, Detections) {
    const auto found = read_detection_lines(file(
        R"({"source":"a.png","frame":0,"pts":0,"raw":9,"kept":[{"x":1,"y":2,"w":3,"h":4,"score":5.5,"hits":6}],"overflow":0})"
        "\n\n"
        R"({"source":"a.png","frame":1.0,"kept":[]})"));  // as others write an integer
    ASSERT_EQ(found.size(), 2U);
    ASSERT_EQ(found[0].entries.size(), 1U);
    EXPECT_EQ(found[0].entries[0].score, 5.5);
    EXPECT_EQ(found[0].entries[0].hits, 6);
    EXPECT_EQ(found[1].frame, 1);
    EXPECT_TRUE(read_detection_lines(file("")).empty());
}

// The lines of the program itself, with landmarks.
TEST_F(LabelsTest, ReadsWhatDetectionWrites) {
    FrameResult result;
    result.source = "a.png";
    FrameInfo info;
    info.width = 640;
    info.height = 480;
    info.index = 3;
    info.pts = 1.25;
    const PlaneView no_planes[Frame::kMaxPlanes] = {};
    result.frame = Frame(info, no_planes, nullptr);
    for (const float at : {1.5F, 100.1F}) {
        result.kept.detections.push_back({{at, at, 20, 30}, 0.5F, 2});
        auto& points = result.kept.landmarks.emplace_back();
        for (std::size_t i = 0; i < std::size(points.xy); ++i) points.xy[i] = at + static_cast<float>(i);
    }
    result.kept.landmarks[1].xy[4] = std::numeric_limits<float>::quiet_NaN();
    const auto found = read_detection_lines(file(json_line(result, {}) + "\n"));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].frame, 3);
    EXPECT_EQ(found[0].width, 640);
    EXPECT_EQ(found[0].pts, 1.25);
    ASSERT_EQ(found[0].entries.size(), 2U);
    ASSERT_EQ(found[0].landmarks.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(found[0].entries[i].box.x, result.kept.detections[i].box.x);
        EXPECT_EQ(found[0].entries[i].hits, 2);
        for (std::size_t k = 0; k < std::size(found[0].landmarks[i].xy); ++k) {
            const float wanted = result.kept.landmarks[i].xy[k];
            const float got = found[0].landmarks[i].xy[k];
            EXPECT_TRUE(got == wanted || (std::isnan(got) && std::isnan(wanted))) << got << " " << wanted;
        }
    }
}

TEST_F(LabelsTest, ErrorsInTruthContainTheLine) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "labels.txt"},
        {"a.jpg", "labels.txt:1"},
        {"a.jpg\nmany\n", "labels.txt:2"},
        {"a.jpg\n-1\n", "labels.txt:2"},
        {"a.jpg\n99999999999999999999\n", "labels.txt:2"},
        {"a.jpg\n9000000000000000000\n1 2 3 4\n", "labels.txt:3"},
        {"a.jpg\n2\n1 2 3 4\nb.jpg\n", "labels.txt:4"},
        {"a.jpg\n1\n1 2 3\n", "labels.txt:3"},
        {"a.jpg\n1\n1 2 nan 4\n", "labels.txt:3"},
        {"{\"source\":\"a\",\"faces\":[]}\n{oops\n", "labels.txt:2"},
        {"{\"source\":\"a\"}", "labels.txt:1"},
        {"{\"source\":3,\"faces\":[]}", "labels.txt:1"},
        {"{\"source\":\"a\",\"faces\":[1]}", "labels.txt:1"},
        {"{\"source\":\"a\",\"faces\":[{\"x\":1,\"y\":2,\"w\":0,\"h\":4}]}", "labels.txt:1"},
        {"{\"source\":\"a\",\"faces\":[{\"x\":1e99,\"y\":2,\"w\":1,\"h\":4}]}", "labels.txt:1"},
        {"{\"source\":\"a\",\"faces\":[{\"x\":\"1\",\"y\":2,\"w\":1,\"h\":4}]}", "labels.txt:1"},
        {"{\"source\":\"a\",\"faces\":[{\"x\":1,\"y\":2,\"w\":1,\"h\":4,\"ignore\":1}]}", "labels.txt:1"},
        {"{\"source\":\"a\",\"frame\":1.5,\"faces\":[]}", "labels.txt:1"},
        {"{\"source\":\"a\",\"frame\":-1,\"faces\":[]}", "labels.txt:1"},
        {"{\"source\":\"a\",\"frame\":1e300,\"faces\":[]}", "labels.txt:1"},
    };
    for (const auto& [text, line] : cases) EXPECT_EQ(where(text, read_truth), line) << text;
}

TEST_F(LabelsTest, ErrorsInDetectionsContainTheLine) {
    const std::pair<const char*, const char*> cases[] = {
        {"[]", "labels.txt:1"},
        {"\n\n{\"source\":\"a\",\"frame\":0,\"kept\":{}}", "labels.txt:3"},
        {"{\"source\":\"a\",\"kept\":[{\"x\":1,\"y\":2,\"w\":1,\"h\":4}]}", "labels.txt:1"},
        {"{\"source\":\"a\",\"kept\":[{\"x\":1,\"y\":2,\"w\":1,\"h\":4,\"score\":1,\"hits\":-4}]}", "labels.txt:1"},
        {"{\"source\":\"a\",\"pts\":-1,\"kept\":[]}", "labels.txt:1"},
        {"{\"source\":\"a\",\"pts\":\"1\",\"kept\":[]}", "labels.txt:1"},
        {"{\"source\":\"a\",\"kept\":[{\"x\":1,\"y\":2,\"w\":1,\"h\":4,\"score\":1,\"landmarks\":[1]}]}",
         "labels.txt:1"},
        {"{\"source\":\"a\",\"kept\":[{\"x\":null,\"y\":2,\"w\":1,\"h\":4,\"score\":1}]}", "labels.txt:1"},
    };
    for (const auto& [text, line] : cases) {
        EXPECT_EQ(where(text, [](const auto& path) { return read_detection_lines(path); }), line) << text;
    }
}

TEST_F(LabelsTest, LinesOfPeopleAndFacesAreReadByClass) {
    const std::string box = R"("x":1,"y":2,"w":3,"h":4,"score":0.5)";
    const std::string points = R"("landmarks":[[1,2],[3,4],[5,6],[7,8],[9,null]])";
    const std::string text = R"({"source":"a","kept":[{)" + box + R"(}],"tracks":[{)" + box +
                             R"(,"id":1}],"faces":{"kept":[{)" + box + "," + points + R"(}],"tracks":[{)" + box +
                             R"(,"id":1},{)" + box + R"(,"id":2}]}})";
    const auto objects = [&](auto read, LineObjects which) {
        std::vector<BoxObject> all;
        const std::vector<DetectionLabels> lines = read(file(text), which);
        EXPECT_TRUE(lines.at(0).has_faces);
        for (const ScoredBox& each : lines.at(0).entries) all.push_back(each.object);
        return all;
    };
    constexpr BoxObject kPerson = BoxObject::person;
    constexpr BoxObject kFace = BoxObject::face;
    EXPECT_EQ(objects(read_detection_lines, LineObjects::people), std::vector{kPerson});
    EXPECT_EQ(objects(read_detection_lines, LineObjects::faces), std::vector{kFace});
    EXPECT_EQ(objects(read_detection_lines, LineObjects::both), (std::vector{kPerson, kFace}));
    EXPECT_EQ(objects(read_track_lines, LineObjects::people), std::vector{kPerson});
    EXPECT_EQ(objects(read_track_lines, LineObjects::both), (std::vector{kPerson, kFace, kFace}));
    const DetectionLabels both = read_detection_lines(file(text), LineObjects::both).at(0);
    ASSERT_EQ(both.landmarks.size(), 2U);
    EXPECT_TRUE(std::isnan(both.landmarks[0].xy[0]));
    EXPECT_EQ(both.landmarks[1].xy[0], 1);
    // Lines of one class are the same for all.
    const std::string one = R"({"source":"a","kept":[{)" + box + "}]}";
    for (const LineObjects which : {LineObjects::one, LineObjects::people, LineObjects::faces, LineObjects::both}) {
        EXPECT_EQ(read_detection_lines(file(one), which).at(0).entries.size(), 1U);
    }
    EXPECT_EQ(where(R"({"source":"a","kept":[],"faces":{}})",
                    [](const auto& path) { return read_detection_lines(path, LineObjects::faces); }),
              "labels.txt:1");
}

// What reads boxes of one class must not drop the faces, nor take people for faces.
TEST_F(LabelsTest, LinesOfPeopleAndFacesAreRejected) {
    const std::string one = R"({"source":"a","kept":[],"tracks":[]})";
    const std::string both = R"({"source":"a","kept":[],"tracks":[],"faces":{"kept":[],"tracks":[]}})";
    EXPECT_EQ(where(one + "\n" + both, [](const auto& path) { return read_detection_lines(path); }), "labels.txt:2");
    EXPECT_EQ(where(one + "\n" + both, [](const auto& path) { return read_track_lines(path); }), "labels.txt:2");
}

TEST_F(LabelsTest, MissingFilesAndDirectories) {
    EXPECT_THROW(static_cast<void>(read_truth(dir_.path() / "none.txt")), Error);
    EXPECT_THROW(static_cast<void>(read_truth(dir_.path())), Error);
    EXPECT_THROW(static_cast<void>(read_detection_lines(dir_.path())), Error);
}

TruthLabels truth_of(const char* source, std::optional<std::int64_t> frame) {
    return {source, frame, {{{0, 0, 10, 10}, 1, false}}};
}
DetectionLabels found_in(const char* source, std::int64_t frame) {
    return {source, frame, {{{0, 0, 10, 10}, 1, 1}}};
}

TEST(Evaluate, MatchesFilesByPathThenByName) {
    // An image of a folder has a frame number; the truth has only its name.
    const Evaluation e =
        evaluate({truth_of("a.jpg", {}), truth_of("b.jpg", {}), truth_of("missing.jpg", {})},
                 {found_in("/photos/b.jpg", 1), found_in("/photos/a.jpg", 0), found_in("/photos/c.jpg", 2)}, {});
    EXPECT_EQ(e.total.faces, 3);
    EXPECT_EQ(e.total.correct, 2);
    EXPECT_EQ(e.unjudged_images, 1);
    ASSERT_EQ(e.files.size(), 3U);
    EXPECT_TRUE(e.files[0].found);
    EXPECT_FALSE(e.files[2].found);
    EXPECT_EQ(e.files[2].result.faces, 1);
}

TEST(Evaluate, PrefersTheLongestCommonPathSuffix) {
    const Evaluation e = evaluate({truth_of("x/a.jpg", {}), truth_of("y/a.jpg", {})},
                                  {found_in("/p/y/a.jpg", 0), found_in("/p/x/a.jpg", 0)}, {});
    EXPECT_EQ(e.total.correct, 1 + 1);
    EXPECT_THROW(
        static_cast<void>(evaluate({truth_of("a.jpg", {})}, {found_in("x/a.jpg", 0), found_in("y/a.jpg", 0)}, {})),
        Error);
}

TEST(Evaluate, MatchesFramesByNumber) {
    const Evaluation e = evaluate({truth_of("v.mp4", 0), truth_of("v.mp4", 1), truth_of("v.mp4", 5)},
                                  {found_in("v.mp4", 1), found_in("v.mp4", 2), found_in("v.mp4", 0)}, {});
    EXPECT_EQ(e.total.faces, 3);
    EXPECT_EQ(e.total.correct, 2);
    EXPECT_EQ(e.total.wrong, 0);
    EXPECT_EQ(e.unjudged_images, 1);
    ASSERT_EQ(e.files.size(), 1U);
    EXPECT_EQ(e.files[0].images, 3);
}

TEST(Evaluate, ADuplicateImageIsAnError) {
    EXPECT_THROW(static_cast<void>(evaluate({truth_of("v.mp4", 0), truth_of("v.mp4", 0)}, {}, {})), Error);
    EXPECT_THROW(static_cast<void>(evaluate({}, {found_in("v.mp4", 3), found_in("v.mp4", 3)}, {})), Error);
}

}  // namespace
}  // namespace throng
