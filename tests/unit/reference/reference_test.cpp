// Manual pages and completions contain the whole command line, and the tools that read them accept them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "app/commands/commands.h"
#include "app/reference/command_tree.h"
#include "app/reference/completions.h"
#include "app/reference/default_config.h"
#include "app/reference/man_page.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

// Returns exit status and output of a shell command.
std::pair<int, std::string> shell(const std::string& command) {
    FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    std::string out;
    std::array<char, 4096> buffer{};
    for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) out.append(buffer.data(), n);
    return {::pclose(pipe), out};
}

bool has_tool(const std::string& name) {
    return shell("command -v " + name).first == 0;
}

class Reference : public testing::Test {
protected:
    Reference() {
        add_command_line(program_, context_);
        top_ = read_command_tree(program_);
    }

    // Returns what bash offers for the last of the words, one per line.
    std::string complete(const std::string& words, int number) {
        const std::string script = (dir_.path() / "throng.bash").string();
        std::ofstream(script) << bash_completion(top_);
        // The scripts ask the program for what is installed.
        const std::string folder = fs::path(test::program_path()).parent_path().string();
        return shell(
                   fmt::format("PATH={}:$PATH bash -c 'source {}; COMP_WORDS=({}); COMP_CWORD={}; _throng 2>/dev/null; "
                               "printf \"%s\\n\" \"${{COMPREPLY[@]}}\"'",
                               folder, script, words, number))
            .second;
    }

    CLI::App program_;
    CommandContext context_;
    CommandEntry top_;
    test::ScratchDir dir_;
};

TEST_F(Reference, EveryCommandAndEveryOptionOfTheHelpIsThere) {
    EXPECT_GE(all_commands(top_).size(), 20U);
    for (const CommandEntry* command : all_commands(top_)) {
        CLI::App* app = &program_;
        for (std::size_t i = 1; i < command->path.size(); ++i) app = app->get_subcommand(command->path[i]);
        const std::string page = man_page(*command, top_);
        EXPECT_NE(page.find(".SH NAME\n"), std::string::npos);
        int options = 0;
        for (const CLI::Option* option : app->get_options({})) {
            if (option->get_group().empty()) continue;
            ++options;
            for (const std::string& name : option->get_lnames()) {
                std::string escaped = "\\-\\-" + name;
                for (std::size_t at = 4; (at = escaped.find('-', at)) != std::string::npos; at += 2)
                    escaped.insert(at, "\\");
                EXPECT_NE(page.find("\\fB" + escaped + "\\fR"), std::string::npos)
                    << command->name(' ') << " --" << name;
            }
        }
        EXPECT_EQ(static_cast<std::size_t>(options), command->options.size());
    }
}

// The rest of the test of configurations applies the file, each line and all lines: tests/unit/app/config_lines_test.cpp.
TEST_F(Reference, TheFilesOfTheSourcesAreThoseOfTheTables) {
    const std::pair<const char*, std::string> files[] = {{"configs/default.toml", default_config(top_)},
                                                         {"app/python/throng/_settings.pyi", python_settings()}};
    for (const auto& [path, text] : files) {
        std::ostringstream file;
        file << std::ifstream(test::source_dir() / path).rdbuf();
        EXPECT_EQ(file.str(), text) << path
                                    << " is not up to date: copy it from the folder that throng-reference writes";
    }
}

TEST_F(Reference, TheDefaultConfigurationHasEveryOptionOfItsCommands) {
    const std::string text = default_config(top_);
    for (const char* name : {"view", "detect", "anonymize"}) {
        for (const CLI::Option* option : program_.get_subcommand(name)->get_options({})) {
            for (const std::string& key : option->get_lnames()) {
                if (key == "help" || key == "config") continue;
                EXPECT_NE(text.find("\n" + key + " = "), text.find("\n# " + key + " = ")) << name << " --" << key;
            }
        }
    }
}

// Calls use(word) for each word that follows `before` in a line: the name of a setting, or of an option.
template <class Use>
void for_each_word_after(std::string_view line, std::string_view before, Use use) {
    for (std::size_t at = 0; (at = line.find(before, at)) != std::string_view::npos;) {
        at += before.size();
        const std::size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-", at);
        if (const std::string_view word = line.substr(at, end - at); !word.empty() && word.front() != '-') use(word);
    }
}

// A message with the name of an option that was renamed would send the user to one that does not exist.
TEST_F(Reference, TheTextsOfTheProgramNameOptionsThatExist) {
    // Names that are no options of the program: of udevadm, of HTTP, and fields of the C library.
    std::set<std::string> known{"reload", "subsystem-match", "frame", "feature-size", "max-output"};
    for (const CommandEntry* command : all_commands(top_)) {
        CLI::App* app = &program_;
        for (std::size_t i = 1; i < command->path.size(); ++i) app = app->get_subcommand(command->path[i]);
        for (const CLI::Option* option : app->get_options({})) {
            known.insert(option->get_lnames().begin(), option->get_lnames().end());
        }
    }
    std::size_t named = 0;
    for (const char* top : {"app", "core", "gpu", "ui"}) {
        for (const auto& entry : fs::recursive_directory_iterator(test::source_dir() / top)) {
            const std::string extension = entry.path().extension().string();
            if (extension != ".cpp" && extension != ".h" && extension != ".cu") continue;
            std::ifstream file(entry.path());
            int number = 0;
            for (std::string line; std::getline(file, line);) {
                ++number;
                const auto expect_known = [&](std::string_view word) {
                    std::string name(word);
                    std::replace(name.begin(), name.end(), '_', '-');
                    EXPECT_TRUE(known.count(name)) << entry.path().string() << ':' << number << ": " << name;
                    ++named;
                };
                const std::string_view code = std::string_view(line).substr(0, line.find("// "));
                for (const char* before : {"Setting{\"", "_output(\"", "check_folder(\"", "reject_given({{\"",
                                           "setting_given(\"", "is_given(\""})
                    for_each_word_after(code, before, expect_known);
                const std::string_view text = code.substr(std::min(code.find('"'), code.size()));
                for (const char* before : {"\"--", " --", "(--", "`--"})
                    for_each_word_after(text, before, expect_known);
            }
        }
    }
    EXPECT_GT(named, 400U);
}

TEST_F(Reference, GroffAcceptsEveryPage) {
    if (!has_tool("groff")) GTEST_SKIP() << "skipped: groff is not installed";
    for (const CommandEntry* command : all_commands(top_)) {
        const std::string file = (dir_.path() / (command->name('-') + ".1")).string();
        std::ofstream(file) << man_page(*command, top_);
        // ww: all warnings, which go to standard error.
        const auto [status, out] = shell(fmt::format("LC_ALL=C groff -man -Tascii -ww -z {}", file));
        EXPECT_EQ(status, 0);
        EXPECT_EQ(out, "") << file;
    }
}

TEST_F(Reference, BashCompletesCommandsOptionsAndChoices) {
    EXPECT_EQ(complete("throng expe", 1), "experiments\n");
    EXPECT_EQ(complete("throng bench pi", 2), "pipeline\n");
    EXPECT_EQ(complete("throng nms --rule g", 3), "greedy\n");
    EXPECT_EQ(complete("throng detect x.mp4 --backend cu", 4), "cuda\n");
    EXPECT_EQ(complete("throng detect --min-s", 2), "--min-size\n");
    EXPECT_EQ(complete("throng detect --min-size ''", 3), "\n") << "a number cannot be completed";
    EXPECT_EQ(complete("throng clocks set maxi", 3), "maximum\n");
    EXPECT_EQ(complete("throng experiments run table", 3).substr(0, 5), "table");
    EXPECT_EQ(complete("throng detect --model haarcascade_frontalface_alt2", 3), "haarcascade_frontalface_alt2\n");
    std::ofstream(dir_.path() / "street crowd.mp4") << "x";
    EXPECT_EQ(complete(fmt::format("throng detect \"{}/street\"", dir_.path().string()), 2),
              (dir_.path() / "street crowd.mp4\n").string());
}

TEST_F(Reference, TheShellsAcceptTheirScripts) {
    const std::pair<const char*, std::string> scripts[] = {
        {"bash", bash_completion(top_)}, {"zsh", zsh_completion(top_)}, {"fish", fish_completion(top_)}};
    std::string missing;
    for (const auto& [name, text] : scripts) {
        const std::string file = (dir_.path() / name).string();
        std::ofstream(file) << text;
        if (!has_tool(name)) {
            missing += std::string(" ") + name;
            continue;
        }
        const auto [status, out] = shell(fmt::format("{} -n {}", name, file));
        EXPECT_EQ(status, 0) << name << ": " << out;
    }
    if (!missing.empty()) GTEST_SKIP() << "skipped: not installed:" << missing;
}

}  // namespace
}  // namespace throng
