#include "core/base/config.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace throng {
namespace {

using Type = ConfigEntry::Type;

TEST(Config, KeepsSectionsTypesAndLines) {
    const ConfigFile file =
        parse_config("quiet = true\n\n[nms]\ntheta = 0.25\nrule = \"greedy\"\n[bench]\nn = [1, 2]\n", "c.toml");
    ASSERT_EQ(file.entries.size(), 4U);
    EXPECT_EQ(file.entries[0].section, "");
    EXPECT_EQ(file.entries[0].type, Type::boolean);
    EXPECT_EQ(file.entries[0].values, std::vector<std::string>{"true"});
    EXPECT_EQ(file.entries[1].section, "nms");
    EXPECT_EQ(file.entries[1].type, Type::number);
    EXPECT_EQ(file.entries[1].values, std::vector<std::string>{"0.25"});
    EXPECT_EQ(file.location_of(file.entries[1]), "c.toml:4: nms.theta");
    EXPECT_EQ(file.entries[2].type, Type::text);
    EXPECT_EQ(file.entries[3].values, (std::vector<std::string>{"1", "2"}));
    EXPECT_EQ(file.entries[3].line, 7);
}

TEST(Config, AnEmptyFileHasNoEntries) {
    EXPECT_TRUE(parse_config("# nothing\n", "c.toml").entries.empty());
}

TEST(Config, RejectsValuesThatNoOptionCanHave) {
    for (const char* text : {"a = ", "a = 1\na = 2", "a = 07:32:00", "[a.b]\nc = 1", "[[a]]\nb = 1", "a = []",
                             "a = [1, \"x\"]", "a = {b = {c = 1}}", "a = [[1]]", "\xff = 1", "["}) {
        try {
            static_cast<void>(parse_config(text, "c.toml"));
            ADD_FAILURE() << "accepted " << text;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage) << text;
            EXPECT_EQ(error.where().text().rfind("c.toml:", 0), 0U) << error.what();
        }
    }
}

TEST(Config, AnErrorOfTheSyntaxNamesTheKey) {
    for (const char* text : {"\n[source]\nframes = 99999999999999999999\n", "\n\nframes=-99999999999999999999",
                             "\n\nframes\t= [1, 0x10000000000000000]"}) {
        try {
            static_cast<void>(parse_config(text, "c.toml"));
            ADD_FAILURE() << "accepted " << text;
        } catch (const Error& error) {
            EXPECT_EQ(error.where(), "c.toml:3: frames") << error.what();
        }
    }
}

TEST(Config, AnUnreadableFileIsAnInputError) {
    for (const char* path : {"/nonexistent/c.toml", "/"}) {
        try {
            static_cast<void>(read_config(path));
            ADD_FAILURE() << "read " << path;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
        }
    }
}

}  // namespace
}  // namespace throng
