// How the program treats modules of the CUDA backend that are missing, broken or of another version.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

test::ProgramResult run_with(const std::string& module, const std::vector<std::string>& arguments) {
    // A process loads one module. No encoder is tried, which would start the program again.
    return test::run_program(arguments,
                             test::own_process({"THRONG_CUDA_MODULE=" + module, "THRONG_ENCODER_PROBE=false"}));
}

// Returns why `throng info` calls CUDA unavailable.
std::string reason_with(const std::string& module) {
    const test::ProgramResult result = run_with(module, {"info", "--json"});
    EXPECT_EQ(result.status, 0) << result.err;
    const nlohmann::json json = nlohmann::json::parse(result.out);
    for (const auto& backend : json["backends"]) {
        if (backend["name"] == "cuda") {
            EXPECT_EQ(backend["usable"], false);
            return backend["details"];
        }
    }
    ADD_FAILURE() << "info lists no backend cuda: " << result.out;
    return {};
}

TEST(CudaModuleFile, MissingFileIsNamed) {
    EXPECT_NE(reason_with("/nowhere/throng-cuda.so").find("/nowhere/throng-cuda.so"), std::string::npos);
}

TEST(CudaModuleFile, FileThatIsNoLibraryIsNamed) {
    const test::ScratchDir dir;
    const std::string file = (dir.path() / "text.so").string();
    std::ofstream(file) << "no library";
    const std::string reason = reason_with(file);
    EXPECT_NE(reason.find("cannot be loaded"), std::string::npos) << reason;
    EXPECT_NE(reason.find(file), std::string::npos) << reason;
}

TEST(CudaModuleFile, LibraryWithoutTheSymbolIsRejected) {
    EXPECT_NE(reason_with(TH_SILENT_RESOLVER).find("is not a CUDA module"), std::string::npos);
}

TEST(CudaModuleFile, OtherVersionIsRejectedAndAutoRunsOnTheCpu) {
    EXPECT_NE(reason_with(TH_FAKE_CUDA_MODULE).find("0.0.0-test"), std::string::npos);
    const std::vector<std::string> detect{"detect", "crowd:frames=1,faces=2,size=160x120"};
    EXPECT_EQ(run_with(TH_FAKE_CUDA_MODULE, detect).status, 0);
    std::vector<std::string> required = detect;
    required.insert(required.end(), {"--backend", "cuda"});
    const test::ProgramResult result = run_with(TH_FAKE_CUDA_MODULE, required);
    EXPECT_EQ(result.status, 4);
    EXPECT_NE(result.err.find("Install the same version"), std::string::npos) << result.err;
}

// Its types may be laid out otherwise.
TEST(CudaModuleFile, AnotherBuildOfTheVersionIsRejected) {
    const test::ProgramResult result = test::run_program(
        {"detect", "crowd:frames=1,faces=2,size=160x120", "--backend", "cuda"},
        test::own_process({"THRONG_CUDA_MODULE=" TH_FAKE_CUDA_MODULE, "THRONG_FAKE_VERSION=" TH_VERSION}));
    EXPECT_EQ(result.status, 4);
    EXPECT_NE(result.err.find("Install the same version of both, of one build"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace throng
