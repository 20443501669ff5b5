// Tests the script of scenes: its values, its errors, and random damage.
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"
#include "ui/scenes/scene_actions.h"
#include "ui/scenes/scene_script.h"

namespace throng::ui {
namespace {

TEST(Scenes, TheBuiltInScriptIsThatOfConfigs) {
    const SceneScript script = read_scenes("default");
    EXPECT_EQ(script.rest, 60);
    ASSERT_GE(script.scenes.size(), 5U);
    for (const Scene& scene : script.scenes) {
        EXPECT_GE(scene.seconds, 5) << scene.name.toStdString();
        for (const char* language : {"en", "de"}) {
            EXPECT_TRUE(scene.text.count(language)) << scene.name.toStdString() << ' ' << language;
        }
    }
    const SceneScript file = read_scenes((test::source_dir() / "configs" / "scenes.toml").string());
    ASSERT_EQ(file.scenes.size(), script.scenes.size());
    EXPECT_EQ(file.scenes.back().text, script.scenes.back().text);
}

TEST(Scenes, ValuesHaveTheirTypes) {
    const SceneScript script = parse_scenes(
        "rest = 5\n[hint]\nen = \" Touch  me \"\n"
        "[[scene]]\nname = \"a\"\nseconds = 0.5\ntext.en = \"A\"\ntext.de = \"Ä\"\n"
        "show.raw = true\nshow.theta = 0.25\nshow.matrix-order = \"cluster\"\nshow.clock = \"p50\"\n"
        "[[scene]]\nseconds = 3600\ntext.fr = \"B\"\n",
        "s.toml");
    EXPECT_EQ(script.rest, 5);
    EXPECT_EQ(text_in(script.hint, {"de"}), "Touch me");
    ASSERT_EQ(script.scenes.size(), 2U);
    EXPECT_EQ(script.scenes[0].show["raw"], true);
    EXPECT_EQ(script.scenes[0].show["theta"], 0.25);
    EXPECT_EQ(script.scenes[0].show["matrix-order"], "cluster");
    EXPECT_EQ(script.scenes[0].show["clock"], "p50");
    EXPECT_TRUE(script.scenes[1].show.isEmpty());
}

TEST(Scenes, TextsFollowTheLanguageOfTheSystem) {
    const Texts texts{{"en", "Hello"}, {"de", "Hallo"}, {"pt_BR", "Oi"}};
    EXPECT_EQ(text_in(texts, {"de-AT", "en"}), "Hallo");
    EXPECT_EQ(text_in(texts, {"fr-FR", "de-DE"}), "Hallo");
    EXPECT_EQ(text_in(texts, {"pt-BR"}), "Oi");
    EXPECT_EQ(text_in(texts, {"ja"}), "Hello");
    EXPECT_EQ(text_in({{"fr", "Salut"}}, {"ja"}), "Salut");
    EXPECT_EQ(text_in({}, {"ja"}), "");
}

TEST(Scenes, ErrorsNameLineAndKey) {
    const std::string scene = "[[scene]]\nseconds = 2\ntext.en = \"A\"\n";
    const struct {
        std::string toml;
        const char* where;
        const char* part;
    } cases[] = {
        {"rest = 60\n", "s.toml:1: scene", "has no scenes"},
        {"", "s.toml:1: scene", "has no scenes"},
        {"scene = 3\n", "s.toml:1: scene", "list of sections"},
        {"scene = []\n", "s.toml:1: scene", "list of sections"},
        {"scene = [1, 2]\n", "s.toml:1: scene", "list of sections"},
        {"rest = 0\n" + scene, "s.toml:1: rest", "from 1 to 86400"},
        {"rest = \"long\"\n" + scene, "s.toml:1: rest", "must be a number"},
        {"rest = nan\n" + scene, "s.toml:1: rest", "must be a number"},
        {"rset = 60\n" + scene, "s.toml:1: rset", "did you mean rest?"},
        {"hint = \"Touch\"\n" + scene, "s.toml:1: hint", "one text per language"},
        {"[[scene]]\ntext.en = \"A\"\n", "s.toml:1: scene.seconds", "is missing"},
        {"[[scene]]\nseconds = 2\n", "s.toml:1: scene.text", "is missing"},
        {"[[scene]]\nseconds = 0\n", "s.toml:2: scene.seconds", "from 0.2"},
        {"[[scene]]\nseconds = true\n", "s.toml:2: scene.seconds", "must be a number"},
        {"[[scene]]\nsecond = 2\n", "s.toml:2: scene.second", "did you mean seconds?"},
        {"[[scene]]\ntext.en = 7\n", "s.toml:2: scene.text.en", "must be a string"},
        {"[[scene]]\ntext.en = \" \"\n", "s.toml:2: scene.text.en", "is empty"},
        {"[[scene]]\ntext.en = \"" + std::string(161, 'x') + "\"\n", "s.toml:2: scene.text.en", "161 characters"},
        {scene + "show = 1\n", "s.toml:4: scene.show", "must be a table"},
        {scene + "show.matrx = true\n", "s.toml:4: scene.show.matrx", "did you mean matrix?"},
        {scene + "show.raw = 1\n", "s.toml:4: scene.show.raw", "must be true or false"},
        {scene + "show.theta = 2\n", "s.toml:4: scene.show.theta", "from 0 to 1"},
        {scene + "show.detector = \"har\"\n", "s.toml:4: scene.show.detector", "haar"},
        {scene + "show.compare-detector = \"lpb\"\n", "s.toml:4: scene.show.compare-detector", "lbp"},
        {scene + "show.compare = \"lbp\"\n", "s.toml:4: scene.show.compare", "must be true or false"},
        {scene + "show.rule = [\"greedy\"]\n", "s.toml:4: scene.show.rule", "must be a string"},
        {scene + "show.clock = \"\"\n", "s.toml:4: scene.show.clock", "is empty"},
        {scene + "x = \n", "s.toml:4: x", ""},
    };
    for (const auto& [toml, where, part] : cases) {
        try {
            (void)parse_scenes(toml, "s.toml");
            ADD_FAILURE() << "no error: " << toml;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage) << toml;
            EXPECT_EQ(error.where(), where) << toml;
            EXPECT_NE((error.problem().text() + error.advice().text()).find(part), std::string::npos) << error.what();
        }
    }
    try {
        (void)read_scenes("/nonexistent/scenes.toml");
        ADD_FAILURE() << "no error for a file that does not exist";
    } catch (const Error& error) {
        EXPECT_EQ(error.where(), "/nonexistent/scenes.toml");
        EXPECT_NE(error.advice().text().find("default"), std::string::npos);
    }
    EXPECT_THROW((void)read_scenes("/"), Error);
}

// Damaged scripts give a script or Error(usage), nothing else.
TEST(Scenes, DamagedScriptsAreRejected) {
    std::ifstream stream(test::source_dir() / "configs" / "scenes.toml", std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    std::mt19937_64 random(test::seed(24));
    int rejected = 0;
    for (int i = 0; i < 200; ++i) {
        std::string text = whole;
        for (int n = 0; n < 3; ++n) text[random() % text.size()] = static_cast<char>(random() % 256);
        text.resize(text.size() - random() % (text.size() / 2));
        try {
            EXPECT_FALSE(parse_scenes(text, "s.toml").scenes.empty());
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage);
            EXPECT_EQ(error.where().text().rfind("s.toml:", 0), 0U) << error.what();
            ++rejected;
        }
    }
    EXPECT_GT(rejected, 20);
}

}  // namespace
}  // namespace throng::ui
