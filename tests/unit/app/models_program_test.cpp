// `throng models` with a model folder and a server of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/detect/detector_kinds.h"
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

// The recommended network as a server of the test has it: of the right size, so that only the checksum tells.
class FetchWithoutAName : public ModelsProgram {
protected:
    [[nodiscard]] test::ProgramResult fetch(const std::string& mirror, std::vector<std::string> more = {},
                                            std::vector<std::string> environment = {}) const {
        test::ProgramOptions options;
        options.environment = {"XDG_DATA_HOME=" + home().string(), "TH_MODEL_MIRROR=" + mirror};
        options.environment.insert(options.environment.end(), environment.begin(), environment.end());
        std::vector<std::string> arguments = {"models", "fetch"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return test::run_program(arguments, options);
    }
    [[nodiscard]] fs::path home() const { return dir_.path() / "home"; }
    [[nodiscard]] fs::path target() const { return home() / "throng/models" / file_name(recommended_network()); }

    const std::vector<char> body_ = std::vector<char>(recommended_network().size, 'x');
};

TEST_F(FetchWithoutAName, PrintsTheTermsEvenIfNoByteArrives) {
    const RecommendedModel& model = recommended_network();
    EXPECT_EQ(detector_kind("cnn").default_models.front(), model.name);
    test::HttpServer::Plan plan;
    plan.status = 404;
    const test::HttpServer server(body_, plan);
    for (const bool quiet : {false, true}) {
        const test::ProgramResult result =
            fetch(server.url(""), quiet ? std::vector<std::string>{"-q"} : std::vector<std::string>{});
        EXPECT_EQ(result.status, 3) << result.err;
        for (const std::string_view text :
             {model.name, model.license, model.training, std::string_view("TH_FETCH=OFF"),
              std::string_view("without it, the Haar cascade finds faces, but misses more")}) {
            EXPECT_NE(result.err.find(text), std::string::npos) << text << " in: " << result.err;
        }
    }
    EXPECT_FALSE(fs::exists(home())) << "no folder without a byte";
}

TEST_F(FetchWithoutAName, NeverInstallsAnotherFile) {
    struct Case {
        std::string fault;
        std::size_t bytes;
        test::HttpServer::Plan plan;
        bool keeps_part;
    };
    test::HttpServer::Plan cut;
    cut.cut_after = 1000;
    for (const Case& each :
         {Case{"checksum", body_.size(), {}, false}, Case{"only", body_.size() - 1, {}, true},
          Case{"more bytes", body_.size() + 1, {}, false}, Case{"1000 of", body_.size(), cut, true}}) {
        SCOPED_TRACE(each.fault);
        fs::remove_all(home());
        test::HttpServer::Plan plan = each.plan;
        plan.length = each.bytes == body_.size();
        const test::HttpServer server(std::vector<char>(each.bytes, 'x'), plan);
        const test::ProgramResult result = fetch(server.url(""));
        EXPECT_EQ(result.status, 3) << result.err;
        EXPECT_NE(result.err.find(each.fault), std::string::npos) << result.err;
        EXPECT_FALSE(fs::exists(target()));
        EXPECT_EQ(fs::exists(target().string() + ".part"), each.keeps_part);
    }
}

TEST_F(FetchWithoutAName, IsDeclinedByAVariable) {
    const test::HttpServer server(body_, {});
    for (const std::vector<std::string>& names : {std::vector<std::string>{}, {"yunet_n_dynamic"}}) {
        const test::ProgramResult result = fetch(server.url(""), names, {"TH_FETCH=OFF"});
        EXPECT_EQ(result.status, 4);
        EXPECT_NE(result.err.find("TH_FETCH=OFF: downloads are declined"), std::string::npos) << result.err;
    }
    EXPECT_EQ(server.requests(), 0);
    EXPECT_FALSE(fs::exists(home()));
}

TEST_F(FetchWithoutAName, NamesAHomeThatCannotBeWritten) {
    const test::HttpServer server(body_, {});
    const test::ProgramResult result = fetch(server.url(""), {}, {"XDG_DATA_HOME=/proc/throng"});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("/proc/throng/throng/models: cannot be created"), std::string::npos) << result.err;
}

TEST_F(FetchWithoutAName, AWrongMirrorIsNamed) {
    const test::ProgramResult result = fetch("ftp://127.0.0.1/");
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("TH_MODEL_MIRROR: must start with https:// or http://"), std::string::npos) << result.err;
    // An option takes precedence.
    test::HttpServer::Plan plan;
    plan.status = 404;
    const test::HttpServer server(body_, plan);
    EXPECT_EQ(fetch("ftp://127.0.0.1/", {"--from", server.url("")}).status, 3);
    EXPECT_EQ(server.requests(), 1);
}

TEST_F(FetchWithoutAName, WithoutAConnectionOneLineSaysSo) {
    const test::ProgramResult result = fetch("http://127.0.0.1:9/");
    EXPECT_EQ(result.status, 3);
    const std::size_t line = result.err.find("http://127.0.0.1:9/" + file_name(recommended_network()) + ": cannot be");
    ASSERT_NE(line, std::string::npos) << result.err;
    EXPECT_NE(result.err.find("Haar cascade", line), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find('\n', line), result.err.size() - 1) << result.err;
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
