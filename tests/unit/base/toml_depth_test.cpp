#include "core/base/toml_depth.h"

#include <gtest/gtest.h>

#include "core/base/config.h"
#include "core/base/error.h"

namespace throng {
namespace {

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

TEST(TomlDepth, DeepNestingIsAnErrorWithTheLine) {
    constexpr int kMany = 50000;
    for (const std::string& deep :
         {repeated("a.", kMany) + "a = 1", "[" + repeated("a.", kMany) + "a]", "[[" + repeated("a . ", kMany) + "a]]",
          repeated("\"a\".", kMany) + "a = 1", "a = " + repeated("[", kMany) + repeated("]", kMany),
          "a = " + repeated("[", kMany), "a = " + repeated("[\n", kMany), "a = " + repeated("{a=", kMany),
          "a = " + repeated("[{a=", kMany), repeated("[", kMany), "a = {" + repeated("a.", kMany) + "a = 1}",
          "a = [\"]\", " + repeated("[", kMany), "a = {b = \"\"\"x\"\"\"\", c = " + repeated("[", kMany)}) {
        try {
            static_cast<void>(parse_config("# first\n" + deep, "c.toml"));
            ADD_FAILURE() << "accepted " << deep.substr(0, 40);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage);
            EXPECT_EQ(error.where().text().rfind("c.toml:", 0), 0U) << error.what();
            EXPECT_EQ(error.problem(), "is nested too deeply") << deep.substr(0, 40);
        }
    }
    try {
        check_toml_depth("x = '''\n\n\\'''\n" + repeated("a.", kMany), "c.toml");
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.where(), "c.toml:4");
    }
}

TEST(TomlDepth, StringsCommentsAndLinesAreNotCounted) {
    const std::string many = repeated("[{.", 1000);
    for (const std::string& shallow :
         {"# " + many, "a = \"" + many + "\"", "a = '" + many + "'", "a = \"\"\"\n" + many + "\n\"\"\"",
          "a = '''\n" + many + "\n'''", "a = \"\\\"" + many + "\"", "\"" + many + "\" = 1",
          "a = \"\"\"x\"\"\"\"\"\nb = \"" + many + "\"", repeated("[a.b]\nc = [1.5, 2.5]\n", 1000),
          "a = [" + repeated("[1.5],\n", 1000) + "]", "a = '\\'\nb = \"" + many + "\"", std::string()}) {
        EXPECT_NO_THROW(check_toml_depth(shallow, "c.toml")) << shallow.substr(0, 60);
    }
}

}  // namespace
}  // namespace throng
