// No message of the program contains a password, wherever the password was given.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

constexpr const char* kUrl = "http://me:hunter2@127.0.0.1:9/a?token=hunter2&pw=hunter2";

test::ProgramResult run_masked(const std::vector<std::string>& arguments) {
    test::ProgramResult result = test::run_program(arguments);
    EXPECT_EQ((result.out + result.err).find("hunter2"), std::string::npos) << result.out << result.err;
    return result;
}

TEST(SecretsInMessages, AUrlGivenToTheWrongOption) {
    const std::string url = kUrl;
    const std::string source = "crowd:faces=1,size=160x120,frames=1";
    for (const char* option : {"--frames", "--detector", "--model", "--json", "--switch", "--frmes", "--quiet",
                               "--mqtt", "--push", "--mqtt-password"}) {
        EXPECT_NE(run_masked({"detect", source, option, url}).status, 0) << option;
    }
    for (const char* option : {"--frames", "--frmes"}) {
        EXPECT_NE(run_masked({"detect", source, option + ("=" + url)}).status, 0) << option;
    }
}

TEST(SecretsInMessages, AUrlInsteadOfAFile) {
    const std::string url = kUrl;
    const std::string other = "rtsp://me:hun!ter2@127.0.0.1:9/a";
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"detect", url, "--open-timeout", "1"},
                                                      {"detec", url},
                                                      {"nms", url},
                                                      {"eval", url, url},
                                                      {"bench", "hog", "--image", url},
                                                      {"bench", "nms", "--n", url},
                                                      {"bench", "pipeline", url},
                                                      {"experiments", "run", url},
                                                      {"models", "fetch", url},
                                                      {"clocks", "set", url}}) {
        EXPECT_NE(run_masked(arguments).status, 0) << arguments.front();
    }
    EXPECT_EQ(test::run_program({"nms", other}).err.find("hun!ter2"), std::string::npos);
}

TEST(SecretsInMessages, DownloadsFromAServerWithAPassword) {
    const test::ScratchDir dir;
    const std::string to = (dir.path() / "models").string();
    const test::ProgramResult result =
        run_masked({"models", "fetch", "yunet_n_dynamic", "--to", to, "--from", "http://me:hunter2@127.0.0.1:9/m"});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("http://***@127.0.0.1:9/m/"), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(to)) << "nothing was downloaded";
    const test::ProgramResult bare =
        test::run_program({"models", "fetch", "yunet_n_dynamic", "--to", to, "--from", "me:hunter2@127.0.0.1:9/m"});
    EXPECT_EQ(bare.status, 2);
    EXPECT_EQ(bare.err.find("hunter2"), std::string::npos) << bare.err;
}

}  // namespace
}  // namespace throng
