#include "core/clocks/profile.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

std::string problem_of(const std::string& text) {
    try {
        static_cast<void>(parse_profiles(text, "p.toml"));
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        return error.what();
    }
    return "(accepted)";
}

TEST(ClockProfiles, TheInstalledFileEqualsTheBuiltInProfiles) {
    const auto shipped = load_profiles(test::source_dir() / "configs/clock-profiles.toml");
    const auto built_in = default_profiles();
    ASSERT_EQ(shipped.size(), built_in.size());
    const std::vector<Hertz> steps{100, 200, 300, 400, 1000};
    for (std::size_t i = 0; i < shipped.size(); ++i) {
        EXPECT_EQ(shipped[i].id, built_in[i].id);
        EXPECT_EQ(shipped[i].name, built_in[i].name);
        EXPECT_EQ(resolve(shipped[i].gpu, steps), resolve(built_in[i].gpu, steps));
    }
}

TEST(ClockProfiles, AFileAddsAndReplaces) {
    const auto profiles =
        parse_profiles("[[profile]]\nid='p50'\ngpu='612 MHz'\n[[profile]]\nid='mine'\ngpu=0.1\n", "p.toml");
    EXPECT_EQ(profiles.size(), default_profiles().size() + 1);
    EXPECT_EQ(std::get<Fixed>(profiles[3].gpu).hertz, 612'000'000);
    EXPECT_EQ(profiles.back().id, "mine");
}

TEST(ClockProfiles, ErrorsContainLineAndKey) {
    EXPECT_NE(problem_of("[[profile]]\nid='a'\ngpu=0.5\ncolor='red'\n").find("p.toml:4: color"), std::string::npos);
    EXPECT_NE(problem_of("[[profile]]\nid='a'\ngpu=1.5\n").find("p.toml:3: gpu"), std::string::npos);
    EXPECT_NE(problem_of("[[profile]]\nid='a'\ngpu=nan\n").find("p.toml:3: gpu"), std::string::npos);
    EXPECT_NE(problem_of("[[profile]]\nid='a'\ngpu='12 parsec'\n").find("p.toml:3: gpu"), std::string::npos);
    EXPECT_NE(problem_of("[[profile]]\ngpu=0.5\n").find("id"), std::string::npos);
    EXPECT_NE(problem_of("[[profile]]\nid='../x'\ngpu=0.5\n").find("id"), std::string::npos);
    EXPECT_NE(problem_of("[[profile]]\nid='a'\ngpu=0.5\n[[profile]]\nid='a'\ngpu=0.5\n").find("duplicate"),
              std::string::npos);
    EXPECT_NE(problem_of("profile=3\n").find("p.toml:1"), std::string::npos);
    EXPECT_NE(problem_of("[[profile\n").find("p.toml:1"), std::string::npos);
    EXPECT_THROW(static_cast<void>(load_profiles("/no/such/file.toml")), Error);
}

TEST(ClockProfiles, AFractionResolvesToTheNearestStep) {
    const std::vector<Hertz> steps{100, 300, 700, 1000};
    EXPECT_EQ(resolve(Fraction{0.5}, steps)->first, 300);
    EXPECT_EQ(resolve(Fraction{0.6}, steps)->first, 700);
    EXPECT_EQ(resolve(Fraction{0}, steps)->first, 100);
    EXPECT_EQ(resolve(Fraction{1}, steps)->first, 1000);
    EXPECT_FALSE(resolve(Fraction{1}, {}).has_value());
    EXPECT_FALSE(resolve(Fixed{5}, steps).has_value());
}

TEST(ClockProfiles, RejectsDeepNesting) {
    std::string text = "a";
    for (int i = 0; i < 50'000; ++i) text += ".a";
    EXPECT_THROW(static_cast<void>(parse_profiles(text + " = 1\n", "deep.toml")), Error);
}

TEST(ClockProfiles, RejectsAPipeWithoutBlocking) {
    const test::ScratchDir dir;
    const std::string pipe = (dir.path() / "pipe").string();
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THROW(static_cast<void>(load_profiles(pipe)), Error);
}

}  // namespace
}  // namespace throng
