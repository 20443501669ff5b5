#include "app/options/common.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <utility>

#include "app/options/command_line.h"
#include "app/options/devices.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/detect/backend_settings.h"

namespace throng {
namespace {

constexpr const char* kDefaultCommand = "view";

// Accepts an index or "all".
ValueCheck device_index() {
    const auto convert = [](std::string& text) {
        if (text != "all") return backend_setting("device").problem(text).text();
        text = std::to_string(kAllDevices);
        return std::string();
    };
    return {convert};
}

void add_to(CLI::App& app, CommonOptions& common) {
    const auto group = "Common";
    add_value(app, group, "--config", common.config, "FILE",
              "TOML file of options; options on the command line take precedence", {[](auto&) { return ""; }});
    add_choice(app, group, "--backend", common.backend, kBackendNames, std::string(backend_setting("backend").help));
    const SettingRow& device = backend_setting("device");
    add_value(app, group, "--device", common.device, std::string(device.unit),
              std::string(device.help) + "; all: every GPU, with detect --out", device_index());
    add_value(app, group, "--log-level", common.log_level, "", "Minimum severity of log messages",
              one_of({"trace", "debug", "info", "warn", "error", "off"}));
    add_flag(app, group, "-q,--quiet", common.quiet, "No progress, no tables, warnings only");
    for (CLI::App* command : app.get_subcommands({})) add_to(*command, common);
}

std::vector<std::string> command_names(const CLI::App& program) {
    std::vector<std::string> names;
    for (const CLI::App* command : program.get_subcommands({})) {
        names.push_back(command->get_name());
        names.insert(names.end(), command->get_aliases().begin(), command->get_aliases().end());
    }
    return names;
}

// Returns how many following arguments belong to `argument`: 1 for `--backend`, 0 for `--backend=cpu` and `--quiet`.
std::size_t values_of(const CLI::App& program, const std::string& argument) {
    if (argument.find('=') != std::string::npos) return 0;
    const CLI::Option* option = program.get_option_no_throw(argument);
    return option != nullptr && option->get_items_expected_max() > 0 ? 1 : 0;
}

}  // namespace

void set_run(CLI::App& command, CommandContext& context, std::function<int()> run) {
    set_action(command, [&context, run = std::move(run)] { context.run = run; });
}

void add_common_options(CLI::App& program, CommonOptions& common) {
    add_to(program, common);
}

std::vector<std::string> with_default_command(const CLI::App& program, std::vector<std::string> arguments) {
    const std::vector<std::string> names = command_names(program);
    const auto is_command = [&](const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (!is_command(kDefaultCommand)) return arguments;

    std::size_t first = 0;
    while (first < arguments.size() && arguments[first].size() > 1 && arguments[first][0] == '-') {
        const std::string& argument = arguments[first];
        if (argument == "-h" || argument == "--help" || argument == "--version") return arguments;
        first += 1 + values_of(program, argument);
    }
    if (first < arguments.size()) {
        if (is_command(arguments[first])) return arguments;
        // Not a command any more.
        const std::string meant =
            arguments[first] == "relink" ? "merge --relink" : closest_name(arguments[first], names);
        if (!meant.empty() && !std::filesystem::exists(arguments[first])) {
            throw Error(ErrorKind::usage, "no command or file has this name", arguments[first],
                        "did you mean " + meant + "?");
        }
    }
    arguments.insert(arguments.begin(), kDefaultCommand);
    return arguments;
}

Error usage_error(CLI::App& program, const CLI::ParseError& error) {
    CLI::App& command = called_command(program);
    std::string path = command.get_name();
    for (const CLI::App* app = command.get_parent(); app != nullptr; app = app->get_parent()) {
        path.insert(0, app->get_name() + " ");
    }
    std::string advice = "see " + path + " --help";
    for (const std::string& unknown : program.remaining(true)) {
        std::vector<std::string> names;
        for (const CLI::Option* option : command.get_options({})) {
            for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        }
        const std::string meant = closest_name(unknown.substr(0, unknown.find('=')), names);
        if (unknown.size() > 2 && unknown[0] == '-' && !meant.empty()) advice = "did you mean " + meant + "?";
    }
    return Error(ErrorKind::usage, error.what(), {}, advice);
}

CLI::App& called_command(CLI::App& program) {
    CLI::App* command = &program;
    while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
    return *command;
}

}  // namespace throng
