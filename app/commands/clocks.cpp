// throng clocks: lists, shows, sets and restores the clocks of the board.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/options/command.h"
#include "app/options/command_line.h"
#include "app/options/standard_output.h"
#include "app/options/table.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/clocks/clock_controller.h"
#include "core/clocks/telemetry.h"

namespace throng {
namespace {

struct ClocksArguments {
    int device = 0;
    std::string root;
    std::string profiles;
    std::string id;
    bool json = false;
};

std::string megahertz(const std::optional<Hertz>& hertz) {
    return hertz ? fmt::format("{:.2f} MHz", static_cast<double>(*hertz) / 1e6) : "-";
}

std::unique_ptr<ClockController> open(const ClocksArguments& arguments) {
    ClockOptions options;
    options.root = arguments.root;
    options.device = arguments.device;
    options.keep = true;
    if (!arguments.profiles.empty()) options.profiles = load_profiles(arguments.profiles);
    auto controller = std::make_unique<ClockController>(std::move(options));
    if (!controller->recovered().empty()) logger().info("{}", controller->recovered());
    return controller;
}

int list(const ClocksArguments& arguments) {
    const auto controller = open(arguments);
    const std::vector<ResolvedProfile> profiles = controller->profiles();
    if (arguments.json) {
        nlohmann::json all = nlohmann::json::array();
        for (const ResolvedProfile& entry : profiles) {
            nlohmann::json line{{"id", entry.profile.id}, {"name", entry.profile.name}, {"available", entry.available}};
            if (entry.gpu_max) line["gpu_hz"] = *entry.gpu_max;
            if (!entry.reason.empty()) line["reason"] = entry.reason.text();
            all.push_back(std::move(line));
        }
        standard_output::print("{}\n", all.dump());
        return 0;
    }
    TextTable table({"id", "name", "GPU clock", "remark"});
    for (const ResolvedProfile& entry : profiles) {
        const bool automatic = std::holds_alternative<Automatic>(entry.profile.gpu);
        table.add({entry.profile.id, entry.profile.name,
                   automatic && entry.available ? "the board's governor" : megahertz(entry.gpu_max),
                   entry.reason.text()});
    }
    standard_output::print("{}", table.text());
    std::string steps;
    for (const Hertz step : controller->steps()) steps += fmt::format(" {:.2f}", static_cast<double>(step) / 1e6);
    if (!steps.empty()) standard_output::print("\nClock steps of this board, MHz:{}\n", steps);
    return 0;
}

int show(const ClocksArguments& arguments) {
    const auto controller = open(arguments);
    const ClockReading reading = controller->measure();
    TelemetryReader telemetry(make_system_files(arguments.root), open_nvml(arguments.root, arguments.device));
    const TelemetrySample sample = telemetry.read();
    const Board& board = controller->board();

    if (arguments.json) {
        nlohmann::json all{{"soc", board.soc},
                           {"model", board.model},
                           {"control", controller->kind()},
                           {"location", controller->location()},
                           {"gpu", nlohmann::json::object()},
                           {"cpu", nlohmann::json::object()},
                           {"memory", nlohmann::json::object()},
                           {"temperatures_c", nlohmann::json::object()},
                           {"rails_w", nlohmann::json::object()}};
        const auto put = [](nlohmann::json& object, const char* key, const auto& value) {
            if (value) object[key] = *value;
        };
        put(all["gpu"], "current_hz", reading.gpu.current);
        put(all["gpu"], "min_hz", reading.gpu.min);
        put(all["gpu"], "max_hz", reading.gpu.max);
        put(all["gpu"], "load", reading.gpu.load);
        put(all["cpu"], "current_hz", reading.cpu.current);
        put(all["cpu"], "min_hz", reading.cpu.min);
        put(all["cpu"], "max_hz", reading.cpu.max);
        put(all["memory"], "current_hz", sample.memory_clock);
        put(all["memory"], "min_hz", reading.memory.min);
        put(all["memory"], "max_hz", reading.memory.max);
        for (const NamedReading& entry : sample.temperatures) all["temperatures_c"][entry.name] = entry.value;
        for (const NamedReading& entry : sample.rails) all["rails_w"][entry.name] = entry.value;
        put(all, "memory_hz", sample.memory_clock);
        put(all, "power_w", sample.power);
        all["throttling"] = describe_throttling(sample.throttle_reasons);
        standard_output::print("{}\n", all.dump());
        return 0;
    }

    TextTable table({"clock", "current", "min", "max", "governor"});
    table.add({"GPU", megahertz(reading.gpu.current), megahertz(reading.gpu.min), megahertz(reading.gpu.max),
               reading.gpu.governor});
    table.add({"CPU", megahertz(reading.cpu.current), megahertz(reading.cpu.min), megahertz(reading.cpu.max),
               reading.cpu.governor});
    if (sample.memory_clock) {
        table.add({"memory", megahertz(sample.memory_clock), megahertz(reading.memory.min),
                   megahertz(reading.memory.max), reading.memory.governor});
    }
    standard_output::print("board    {}\ncontrol  {}{}\n\n{}", board.model.empty() ? "not a Jetson" : board.model,
                           controller->kind(), controller->location().empty() ? "" : ", " + controller->location(),
                           table.text());
    standard_output::print("\n");
    if (reading.gpu.load) standard_output::print("GPU load {:.0f} %\n", *reading.gpu.load * 100);
    for (const NamedReading& entry : sample.temperatures)
        standard_output::print("{}: {:.1f} °C\n", entry.name, entry.value);
    for (const NamedReading& entry : sample.rails) standard_output::print("{}: {:.2f} W\n", entry.name, entry.value);
    if (sample.throttled()) standard_output::print("throttled: {}\n", describe_throttling(sample.throttle_reasons));
    return 0;
}

// Prints a success message on standard output. Throws Error for any other status.
int report(const ApplyResult& result, const std::string& success) {
    switch (result.status) {
        case ApplyStatus::applied: standard_output::print("{}\n", success); return 0;
        case ApplyStatus::unsupported:
        case ApplyStatus::needs_privilege:
            throw Error(ErrorKind::unavailable, result.reason, result.where, result.advice);
        case ApplyStatus::rejected: break;
    }
    throw Error(ErrorKind::unavailable, {"rejected: %1", result.reason}, result.where, result.advice);
}

int set(const ClocksArguments& arguments) {
    const auto controller = open(arguments);
    const ApplyResult result = controller->apply(arguments.id);
    const ClockReading reading = controller->measure();
    const std::string remark = result.reason.empty() ? "" : " (" + result.reason.text() + ")";
    return report(result, fmt::format("{}: GPU {} to {}{}; run `throng clocks restore` to restore the previous clocks",
                                      arguments.id, megahertz(reading.gpu.min), megahertz(reading.gpu.max), remark));
}

int restore(const ClocksArguments& arguments) {
    return report(open(arguments)->restore(), "clocks restored");
}

}  // namespace

void add_clocks_command(CLI::App& program, CommandContext& context) {
    auto arguments = std::make_shared<ClocksArguments>();
    CLI::App& clocks = add_command(program, "clocks", "Show and change the GPU's clock");
    add_value(clocks, "Options", "--root", arguments->root, "DIR",
              "Prefix of every system path (for tests and dry runs)");
    add_value(clocks, "Options", "--profiles", arguments->profiles, "FILE",
              "File of clock profiles to change or add (see configs/clock-profiles.toml)");
    add_flag(clocks, "Options", "--json", arguments->json, "Print one line of JSON instead of tables (list, show)");
    const auto action = [&context, arguments](int (*command)(const ClocksArguments&)) {
        return [command, arguments, &context] {
            context.run = [command, arguments, &context] {
                arguments->device = context.common.device;
                return command(*arguments);
            };
        };
    };
    set_default_action(clocks, action(list));

    const auto add = [&](const char* name, const char* description,
                         int (*command)(const ClocksArguments&)) -> CLI::App& {
        CLI::App& added = add_command(clocks, name, description);
        take_options_of_parent(added);
        set_action(added, action(command));
        return added;
    };
    add("list", "List the profiles and their clocks on this board (default)", list);
    add("show", "Show current clocks, loads, temperatures and power", show);
    add_value(add("set", "Set a profile, which stays active until `restore`", set), "Options", "ID", arguments->id,
              "TEXT", "automatic, minimum, p25, p50, p75, maximum, fanless, or a profile of --profiles")
        .required();
    add("restore", "Restore the clocks as they were before the first change", restore);
    set_footer(
        clocks,
        "Changing clocks requires write permission: see configs/udev/99-throng-clocks.rules. These commands never ask "
        "for a password and never reboot.");
}

}  // namespace throng
