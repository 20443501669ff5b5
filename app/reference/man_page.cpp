#include "app/reference/man_page.h"

#include <fmt/format.h>

#include "app/options/source_options.h"

namespace throng {
namespace {

// Escapes what roff would interpret.
std::string roff(const std::string& text) {
    std::string out;
    if (!text.empty() && (text[0] == '.' || text[0] == '\'')) out = "\\&";
    for (const char c : text) {
        switch (c) {
            case '\\': out += "\\e"; break;
            case '-': out += "\\-"; break;
            case '\n': out += '\n'; break;  // roff fills lines
            default: out += c;
        }
    }
    return out;
}

std::string bold(const std::string& text) {
    return "\\fB" + roff(text) + "\\fR";
}
std::string italic(const std::string& text) {
    return "\\fI" + roff(text) + "\\fR";
}

std::string synopsis(const CommandEntry& command) {
    std::string text = ".B " + roff(command.name(' ')) + "\n[\\fIOPTIONS\\fR]";
    for (const OptionEntry& option : command.options) {
        if (!option.positional) continue;
        const std::string name = italic(option.names.front()) + (option.repeated ? "..." : "");
        text += option.required ? " " + name : " [" + name + "]";
    }
    if (!command.commands.empty()) text += " \\fICOMMAND\\fR";
    return text + "\n";
}

std::string item(const OptionEntry& option) {
    std::string text = ".TP\n";
    for (std::size_t i = 0; i < option.names.size(); ++i) {
        if (i > 0) text += ", ";
        text += option.positional ? italic(option.names[i]) : bold(option.names[i]);
    }
    if (option.takes_value() && !option.positional) {
        text += " " + (option.choices.empty() ? italic(option.value) : roff(option.value));
    }
    if (option.repeated) text += " ...";
    text += "\n" + roff(option.description);
    if (!option.default_value.empty()) text += fmt::format(" (default: {})", roff(option.default_value));
    return text + "\n";
}

std::string options(const CommandEntry& command) {
    std::string text;
    std::string group;
    for (const OptionEntry& option : command.options) {
        const std::string heading = option.positional ? "Arguments" : option.group;
        if (heading != group) text += ".SS " + roff(heading) + "\n";
        group = heading;
        text += item(option);
    }
    return text.empty() ? text : ".SH OPTIONS\n" + text;
}

std::string commands(const CommandEntry& command) {
    if (command.commands.empty()) return {};
    std::string text = ".SH COMMANDS\n";
    for (const CommandEntry& child : command.commands) {
        text += fmt::format(".TP\n{}\n{}. See {}(1).\n", bold(child.path.back()), roff(child.description),
                            bold(child.name('-')));
    }
    return text;
}

std::string common_sections() {
    std::string text = ".SH SOURCES\n" + roff(source_forms()) + ".\n.SH EXIT STATUS\n";
    const std::pair<const char*, const char*> statuses[] = {
        {"0", "Success."},
        {"2", "Wrong usage."},
        {"3", "An input could not be opened or read completely, or an output could not be written."},
        {"4", "The backend, the device or the model is unavailable."},
        {"5", "Internal error."},
        {"130", "Interrupted by a signal."},
    };
    for (const auto& [status, meaning] : statuses) text += fmt::format(".TP\n{}\n{}\n", bold(status), roff(meaning));
    text += ".SH ENVIRONMENT\n.TP\n\\fBTHRONG_MODELS\\fR\nFolders of models, separated by colons, searched first.\n";
    text +=
        ".SH FILES\n.TP\n\\fI~/.config/throng/config.toml\\fR\nDefaults of options, as \\fB\\-\\-config\\fR reads "
        "them.\n.TP\n\\fI/usr/share/doc/throng/examples/default.toml\\fR\nEvery option with its default.\n";
    return text;
}

}  // namespace

std::string man_page(const CommandEntry& command, const CommandEntry& top) {
    const bool is_top = &command == &top;
    std::string title = command.name('-');
    for (char& c : title) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    std::string text = fmt::format(".TH {} 1 \"\" \"throng {}\" \"User Commands\"\n", roff(title), TH_VERSION);
    const std::string summary = is_top ? "real-time face detection in crowds" : command.description;
    text +=
        fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}", roff(command.name('-')), roff(summary), synopsis(command));
    if (!command.footer.empty()) text += ".SH DESCRIPTION\n" + roff(command.footer) + "\n";
    text += commands(command) + options(command);
    if (is_top) return text + common_sections();
    return text + fmt::format(".SH SEE ALSO\n{}(1)\n", bold(top.name('-')));
}

}  // namespace throng
