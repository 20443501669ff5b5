// Writes the manual pages, the completions of the shells, and the files of the sources that follow from the tables of
// options into a folder. Run by the build; not installed.
// usage: throng-reference DIR
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "app/commands/commands.h"
#include "app/reference/command_tree.h"
#include "app/reference/completions.h"
#include "app/reference/default_config.h"
#include "app/reference/man_page.h"

namespace throng {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path.string());
}

void write_all(const std::filesystem::path& folder) {
    CLI::App program;
    CommandContext context;
    add_command_line(program, context);
    const CommandEntry top = read_command_tree(program);
    std::filesystem::create_directories(folder);
    for (const CommandEntry* command : all_commands(top)) {
        write(folder / (command->name('-') + ".1"), man_page(*command, top));
    }
    write(folder / "default.toml", default_config(top));
    write(folder / "_settings.pyi", python_settings());
    write(folder / "throng.bash", bash_completion(top));
    write(folder / "_throng", zsh_completion(top));
    write(folder / "throng.fish", fish_completion(top));
}

}  // namespace
}  // namespace throng

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: throng-reference DIR\n", stderr);
        return 2;
    }
    try {
        throng::write_all(argv[1]);
    } catch (const std::exception& error) {
        fmt::print(stderr, "throng-reference: {}\n", error.what());
        return 3;
    }
    return 0;
}
