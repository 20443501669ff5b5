#include "core/model/cascade_xml.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "core/base/error.h"
#include "core/model/model_finder.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

const std::string kHaar = R"(<?xml version="1.0"?>
<opencv_storage><cascade type_id="opencv-cascade-classifier"><stageType>BOOST</stageType><featureType>HAAR</featureType>
<height>20</height><width>20</width><featureParams><maxCatCount>0</maxCatCount></featureParams>
<stages><_><stageThreshold>0.5</stageThreshold><weakClassifiers>
<_><internalNodes>0 1 0 1e-3 -1 -2 1 2e-3</internalNodes><leafValues>0.1 0.9 0.25</leafValues></_>
</weakClassifiers></_></stages>
<features><_><rects><_>2 7 16 4 -1.</_><_>2 9 16 2 2.</_></rects></_>
<_><rects><_>10 2 4 4 -1.</_><_>10 2 2 2 4.</_></rects><tilted>1</tilted></_></features></cascade></opencv_storage>)";

const std::string kLbp = R"(<?xml version="1.0"?>
<opencv_storage><cascade><stageType>BOOST</stageType><featureType>LBP</featureType>
<height>24</height><width>24</width><featureParams><maxCatCount>256</maxCatCount></featureParams>
<stages><_><stageThreshold>-0.75</stageThreshold><weakClassifiers>
<_><internalNodes>0 -1 0 -1 2 3 4 5 6 7 -8</internalNodes><leafValues>-0.6 0.8</leafValues></_>
</weakClassifiers></_></stages><features><_><rect>0 0 3 5</rect></_></features></cascade></opencv_storage>)";

const std::string kOld = R"(<opencv_storage><old type_id="opencv-haar-classifier"><size>64 16</size>
<stages><_><trees><_><_><feature><rects><_>32 2 8 6 -1.</_><_>32 4 8 2 3.</_></rects><tilted>0</tilted></feature>
<threshold>1.6e-002</threshold><left_node>1</left_node><right_val>0.87</right_val></_>
<_><feature><rects><_>0 4 6 10 -1.</_><_>3 4 3 10 2.</_></rects><tilted>0</tilted></feature>
<threshold>7.1e-003</threshold><left_val>-0.69</left_val><right_val>0.71</right_val></_></_></trees>
<stage_threshold>-1.5</stage_threshold><parent>-1</parent><next>-1</next></_></stages></old></opencv_storage>)";

std::string with(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(CascadeXml, ReadsHaar) {
    const CascadeModel model = parse_cascade(kHaar, "m.xml");
    EXPECT_EQ(model.kind, CascadeKind::haar);
    EXPECT_EQ(model.window_width, 20);
    ASSERT_EQ(model.stages.size(), 1U);
    EXPECT_EQ(model.stages[0].threshold, 0.5F - 1e-5F);
    ASSERT_EQ(model.nodes.size(), 2U);
    EXPECT_EQ(model.nodes[0].left, 0);
    EXPECT_EQ(model.nodes[0].right, 1);
    EXPECT_EQ(model.nodes[1].right, -2);
    EXPECT_EQ(model.leaves, (std::vector<float>{0.1F, 0.9F, 0.25F}));
    EXPECT_TRUE(model.has_tilted);
    EXPECT_EQ(model.haar[0].weight[1], 2.0F);
    EXPECT_EQ(model.haar[0].weight[2], 0.0F);
}

TEST(CascadeXml, ReadsLbp) {
    const CascadeModel model = parse_cascade(kLbp, "m.xml");
    EXPECT_EQ(model.kind, CascadeKind::lbp);
    ASSERT_EQ(model.subsets.size(), 8U);
    EXPECT_EQ(model.subsets[0], 0xFFFFFFFFU);
    EXPECT_EQ(model.subsets[7], 0xFFFFFFF8U);
    EXPECT_EQ(model.lbp[0].block.h, 5);
}

TEST(CascadeXml, ReadsTheOlderFormat) {
    const CascadeModel model = parse_cascade(kOld, "m.xml");
    EXPECT_EQ(model.window_width, 64);
    EXPECT_EQ(model.window_height, 16);
    ASSERT_EQ(model.nodes.size(), 2U);
    EXPECT_EQ(model.nodes[0].left, 1);
    EXPECT_EQ(model.nodes[0].right, 0);
    EXPECT_EQ(model.nodes[1].left, -1);
    EXPECT_EQ(model.nodes[1].right, -2);
}

TEST(CascadeXml, ReadsEveryInstalledCascade) {
    const auto cascades = list_models();
    if (cascades.empty()) GTEST_SKIP() << "skipped: no opencv-data";
    for (const ModelFile& file : cascades) {
        if (file.kind != DetectorId::haar && file.kind != DetectorId::lbp) continue;
        const CascadeModel model = read_cascade(file.path);
        EXPECT_EQ(model.kind == CascadeKind::lbp, file.kind == DetectorId::lbp) << file.name;
        EXPECT_GE(model.stages.size(), 10U) << file.name;
    }
}

struct Broken {
    const char* name;
    std::string text;
    const char* message;
};

class BrokenCascade : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenCascade, IsRejectedWithFileAndReason) {
    try {
        static_cast<void>(parse_cascade(GetParam().text, "bad.xml"));
        FAIL() << "was accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_EQ(error.where().text().rfind("bad.xml", 0), 0U) << error.where();
        EXPECT_NE(error.problem().text().find(GetParam().message), std::string::npos) << error.problem();
    }
}

std::string entity_bomb() {
    return "<!DOCTYPE b [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>" +
           with(kHaar, "<?xml version=\"1.0\"?>", "");
}

std::string deep() {
    std::string text = "<opencv_storage>";
    for (int i = 0; i < 100000; ++i) text += "<_>";
    return text;
}

INSTANTIATE_TEST_SUITE_P(
    Files, BrokenCascade,
    ::testing::Values(
        Broken{"empty", "", "not XML"}, Broken{"text", "hello", "not XML"},
        Broken{"truncated", kHaar.substr(0, 500), "not XML"}, Broken{"deep", deep(), "not XML"},
        Broken{"other_root", "<html></html>", "<opencv_storage>"},
        Broken{"no_cascade", "<opencv_storage></opencv_storage>", "is empty"},
        Broken{"entity_bomb", entity_bomb(), "document type"},
        Broken{"hog", with(kHaar, "HAAR", "HOG"), "HAAR and LBP"},
        Broken{"other_stages", with(kHaar, "BOOST", "FOREST"), "BOOST"},
        Broken{"window_of_words", with(kHaar, "<width>20", "<width>wide"), "not a number"},
        Broken{"window_zero", with(kHaar, "<width>20", "<width>0"), "window"},
        Broken{"window_negative", with(kHaar, "<width>20", "<width>-20"), "window"},
        Broken{"window_huge", with(kHaar, "<width>20", "<width>2000000000"), "window"},
        Broken{"window_fraction", with(kHaar, "<width>20", "<width>20.5"), "whole number"},
        Broken{"window_two", with(kHaar, "<width>20", "<width>20 20"), "too many"},
        Broken{"no_stages", with(kHaar, "<stages><_>", "<stages></stages><other><_>").replace(0, 0, ""), "not XML"},
        Broken{"zero_stages", with(with(kHaar, "<stages>", "<stages></stages><more>"), "</stages>\n", "</more>\n"),
               "no stages"},
        Broken{"no_trees",
               with(with(kHaar, "<weakClassifiers>", "<weakClassifiers></weakClassifiers><more>"),
                    "</weakClassifiers></_>", "</more></_>"),
               "needs a weak classifier"},
        Broken{"threshold_nan", with(kHaar, "<stageThreshold>0.5", "<stageThreshold>nan"), "finite"},
        Broken{"threshold_infinite", with(kHaar, "<stageThreshold>0.5", "<stageThreshold>1e39"), "finite"},
        Broken{"threshold_out_of_range", with(kHaar, "<stageThreshold>0.5", "<stageThreshold>1e999"), "not a number"},
        Broken{"feature_out_of_range", with(kHaar, "0 1 0 1e-3", "0 1 9 1e-3"), "missing feature"},
        Broken{"feature_negative", with(kHaar, "0 1 0 1e-3", "0 1 -1 1e-3"), "missing feature"},
        Broken{"child_out_of_range", with(kHaar, "0 1 0 1e-3", "0 2 0 1e-3"), "child"},
        Broken{"leaf_out_of_range", with(kHaar, "-1 -2 1", "-1 -3 1"), "child"},
        Broken{"cycle", with(kHaar, "-1 -2 1", "1 -2 1"), "child"},
        Broken{"node_cut", with(kHaar, "0 1 0 1e-3 -1 -2 1 2e-3", "0 1 0 1e-3 -1 -2"), "too few"},
        Broken{"leaf_missing", with(kHaar, "0.1 0.9 0.25", "0.1 0.9"), "one leaf more"},
        Broken{"leaf_nan", with(kHaar, "0.1 0.9 0.25", "0.1 nan 0.25"), "finite"},
        Broken{"no_nodes", with(kHaar, "0 1 0 1e-3 -1 -2 1 2e-3", ""), "one leaf more"},
        Broken{"rect_outside", with(kHaar, "2 7 16 4", "5 7 16 4"), "beyond the window"},
        Broken{"rect_negative", with(kHaar, "2 7 16 4", "-2 7 16 4"), "beyond the window"},
        Broken{"rect_empty", with(kHaar, "2 7 16 4", "2 7 0 4"), "beyond the window"},
        Broken{"rect_huge", with(kHaar, "2 7 16 4", "2 7 65552 4"), "beyond the window"},
        Broken{"rect_weight_nan", with(kHaar, "2 7 16 4 -1.", "2 7 16 4 nan"), "finite"},
        Broken{"rect_short", with(kHaar, "2 7 16 4 -1.", "2 7 16 4"), "too few"},
        Broken{"tilted_outside", with(kHaar, "10 2 4 4", "3 2 4 4"), "tilted rectangle extends"},
        Broken{"four_rects",
               with(kHaar, "<_>2 9 16 2 2.</_>", "<_>2 9 16 2 2.</_><_>2 9 16 2 2.</_><_>2 9 16 2 2.</_>"), "three"},
        Broken{"lbp_outside", with(kLbp, "0 0 3 5", "0 0 9 5"), "beyond the window"},
        Broken{"lbp_subset_short", with(kLbp, " -8<", "<"), "too few"},
        Broken{"lbp_subset_large", with(kLbp, " -8<", " 4294967296<"), "whole number of 32 bits"},
        Broken{"lbp_categories", with(kLbp, "<maxCatCount>256", "<maxCatCount>1000000000"), "256"},
        Broken{"old_child", with(kOld, "<left_node>1", "<left_node>7"), "child"},
        Broken{"old_self", with(kOld, "<left_node>1", "<left_node>0"), "child"},
        Broken{"old_size", with(kOld, "64 16", "64"), "too few"},
        Broken{"old_no_feature", with(kOld, "<feature>", "<thing>").replace(0, 0, ""), "not XML"}),
    [](const auto& test) { return test.param.name; });

TEST(CascadeXml, NamesTheElement) {
    try {
        static_cast<void>(parse_cascade(with(kHaar, "0.1 0.9 0.25", "0.1 x 0.25"), "bad.xml"));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.where(), "bad.xml: /opencv_storage/cascade/stages/_[0]/weakClassifiers/_[0]/leafValues");
    }
}

TEST(CascadeXml, RejectsPathsThatAreNotFiles) {
    const test::ScratchDir scratch;
    for (const fs::path& path : {scratch.path(), scratch.path() / "absent.xml"}) {
        try {
            static_cast<void>(read_cascade(path));
            FAIL();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
        }
    }
}

// Damaged copies are either rejected or read, without other effects.
TEST(CascadeXml, RejectsOrReadsRandomlyDamagedFiles) {
    std::mt19937_64 random(test::seed(70));
    const std::string pieces[] = {
        "<_>",          "</_>",      "-1",   "999999999999",       "nan", "inf", "1e308", "<", ">", "&lt;", "&#0;",
        "<!DOCTYPE x>", "<![CDATA[", "<!--", std::string(1, '\0'), "0",   " "};
    int accepted = 0;
    for (std::size_t round = 0; round < test::case_count(6000); ++round) {
        std::string text = round % 3 == 0 ? kHaar : round % 3 == 1 ? kLbp : kOld;
        for (auto changes = 1 + random() % 4; changes > 0; --changes) {
            const auto at = random() % text.size();
            switch (random() % 4) {
                case 0: text[at] = static_cast<char>(random()); break;
                case 1: text.erase(at, 1 + random() % 20); break;
                case 2: text.insert(at, pieces[random() % std::size(pieces)]); break;
                default: text.insert(at, text.substr(random() % text.size(), random() % 60)); break;
            }
            if (text.empty()) text = " ";
        }
        try {
            check_model(parse_cascade(text, "damaged"));
            ++accepted;
        } catch (const Error& error) {
            ASSERT_EQ(error.kind(), ErrorKind::input);
        }
    }
    EXPECT_GT(accepted, 10);
}

}  // namespace
}  // namespace throng
