// `throng models` with a model folder and a server of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/model/model_catalogue.h"
#include "tests/support/http_server.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

// A cascade of one stage with one stump.
constexpr const char* kCascade = R"(<?xml version="1.0"?>
<opencv_storage><cascade type_id="opencv-cascade-classifier"><stageType>BOOST</stageType>
<featureType>HAAR</featureType><height>20</height><width>20</width></cascade></opencv_storage>)";

class ModelsProgram : public ::testing::Test {
protected:
    [[nodiscard]] test::ProgramResult run(const std::vector<std::string>& arguments) const {
        test::ProgramOptions options;
        options.environment = {"THRONG_MODELS=" + dir_.path().string(),
                               "XDG_DATA_HOME=" + (dir_.path() / "home").string()};
        return test::run_program(arguments, options);
    }

    test::ScratchDir dir_;
};

TEST_F(ModelsProgram, ListsFoldersFoundAndRecommendedModels) {
    std::ofstream(dir_.path() / "haarcascade_of_the_test.xml") << kCascade;
    const test::ProgramResult result = run({"models", "--json"});
    ASSERT_EQ(result.status, 0) << result.err;
    const nlohmann::json json = nlohmann::json::parse(result.out);
    ASSERT_FALSE(json["folders"].empty());
    EXPECT_EQ(json["folders"][0]["path"], dir_.path().string()) << "THRONG_MODELS comes first";
    EXPECT_EQ(json["folders"][0]["exists"], true);
    const auto& found = json["found"];
    const auto mine = std::find_if(found.begin(), found.end(),
                                   [](const auto& model) { return model["name"] == "haarcascade_of_the_test"; });
    ASSERT_NE(mine, found.end()) << result.out;
    EXPECT_EQ((*mine)["kind"], "haar");
    EXPECT_EQ((*mine)["default"], false);
    EXPECT_EQ((*mine)["path"], (dir_.path() / "haarcascade_of_the_test.xml").string());
    ASSERT_EQ(json["recommended"].size(), recommended_models().size());
    for (const auto& model : json["recommended"]) {
        EXPECT_TRUE(model["sha256"] == "" || model["sha256"].get<std::string>().size() == 64) << model.dump();
        EXPECT_NE(model["package"] == "", model["address"] == "") << "one way to get it: " << model.dump();
    }
    const test::ProgramResult text = run({"models", "list"});
    EXPECT_EQ(text.status, 0);
    EXPECT_NE(text.out.find("haarcascade_of_the_test.xml"), std::string::npos) << text.out;
    EXPECT_EQ(text.out, run({"models"}).out);
}

TEST_F(ModelsProgram, InstallsNoFileWithAWrongChecksum) {
    const auto models = recommended_models();
    const auto model =
        std::find_if(models.begin(), models.end(), [](const RecommendedModel& m) { return !m.address.empty(); });
    ASSERT_NE(model, models.end());
    const test::HttpServer server(std::vector<char>(model->size, 'x'), {});
    const std::string url = server.url("");
    const test::ProgramResult result = run({"models", "fetch", std::string(model->name), "--from", url, "--to",
                                            (dir_.path() / "to").string(), "--log-level", "error"});
    EXPECT_NE(result.status, 0);
    EXPECT_GT(server.requests(), 0);
    EXPECT_NE(result.err.find("checksum"), std::string::npos) << result.err;
    EXPECT_TRUE(result.out.empty()) << result.out;
    EXPECT_FALSE(fs::exists(dir_.path() / "to" / std::string(model->name)));
    EXPECT_FALSE(fs::exists(dir_.path() / "to" / (std::string(model->name) + ".onnx")));
}

TEST_F(ModelsProgram, RejectsUnknownNamesAndAddresses) {
    const test::ProgramResult unknown = run({"models", "fetch", "nosuchmodel"});
    EXPECT_EQ(unknown.status, 2);
    EXPECT_NE(unknown.err.find("nosuchmodel"), std::string::npos) << unknown.err;
    const auto models = recommended_models();
    const std::string name(models[0].name);
    EXPECT_EQ(run({"models", "fetch", name, "--from", "ftp://127.0.0.1/"}).status, 2);
    EXPECT_EQ(run({"models", "remove"}).status, 2);
}

}  // namespace
}  // namespace throng
