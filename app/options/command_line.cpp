#include "app/options/command_line.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/base/error.h"

namespace throng {
namespace {

// Splits "a,b" at its commas.
std::vector<std::string> split_list(const std::string& option, const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0;;) {
        const std::size_t comma = text.find(',', begin);
        parts.push_back(text.substr(begin, comma - begin));
        if (parts.back().empty()) {
            throw CLI::ValidationError(option, Message("has an empty element in \"%1\"", text).text());
        }
        if (comma == std::string::npos) return parts;
        begin = comma + 1;
    }
}

AddedOption describe(CLI::Option& option, const std::string& group, const std::string& type, const ValueCheck& check) {
    option.transform(CLI::Validator(check.problem ? check.problem : not_empty().problem, check.choices));
    option.type_name(type)->group(group);
    return AddedOption(option);
}

// CLI11 takes any number for a flag, and ends with an exception of std::stoll for other words.
AddedOption describe_flag(CLI::Option& flag, const std::string& group) {
    flag.check(CLI::Validator(one_of({"true", "false"}).problem, ""))->group(group);
    return AddedOption(flag);
}

template <class Value>
constexpr bool kHasDefaultText = std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string>;

}  // namespace

CLI::App& add_command(CLI::App& program, const std::string& name, const std::string& description,
                      const std::string& alias) {
    CLI::App& command = *program.add_subcommand(name, description);
    return alias.empty() ? command : *command.alias(alias);
}

void take_options_of_parent(CLI::App& command) {
    command.fallthrough();
}

void set_action(CLI::App& command, std::function<void()> action) {
    command.callback(std::move(action));
}

void set_default_action(CLI::App& command, std::function<void()> action) {
    command.require_subcommand(action ? 0 : 1, 1);
    if (!action) return;
    command.callback([&command, action = std::move(action)] {
        if (command.get_subcommands().empty()) action();
    });
}

void set_footer(CLI::App& command, const std::string& text) {
    command.footer(text);
}

ValueCheck not_empty() {
    return {[](const std::string& text) { return text.empty() ? "must not be empty" : ""; }};
}

ValueCheck finite_range(double low, double high) {
    return {[=](const std::string& text) { return check_real(text, low, high).text(); }};
}

ValueCheck one_of(const std::vector<std::string>& choices) {
    // The help text, the manual pages and the completions read the choices from the description.
    return {[=](const std::string& text) { return check_choice(text, choices).text(); },
            "{" + CLI::detail::join(choices, ",") + "}"};
}

AddedOption AddedOption::required() const {
    option_->required();
    return *this;
}

AddedOption AddedOption::repeatable() const {
    option_->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return *this;
}

AddedOption AddedOption::show_default(const std::string& text) const {
    option_->default_str(text);
    return *this;
}

AddedOption AddedOption::needs(const AddedOption& other) const {
    option_->needs(other.option_);
    return *this;
}

AddedOption AddedOption::excludes(const std::string& option) const {
    option_->excludes(option);
    return *this;
}

bool AddedOption::given() const {
    return option_->count() > 0;
}

template <class Value>
AddedOption add_value(CLI::App& command, const std::string& group, const std::string& option, Value& value,
                      const std::string& type, const std::string& help, const ValueCheck& check) {
    CLI::Option& added = *command.add_option(option, value, help);
    if (kHasDefaultText<Value>) added.capture_default_str();
    return describe(added, group, type, check);
}

template <class Value>
AddedOption add_list(CLI::App& command, const std::string& group, const std::string& option, std::vector<Value>& values,
                     const std::string& type, const std::string& help, const ValueCheck& check) {
    const auto assign = [&values, option, check](const std::vector<std::string>& texts) {
        std::vector<Value> read;
        for (const std::string& text : texts) {
            for (std::string& part : split_list(option, text)) {
                const std::string problem = check.problem ? check.problem(part) : std::string();
                if (!problem.empty()) throw CLI::ValidationError(option, problem);
                Value value{};
                if (!CLI::detail::lexical_cast(part, value)) throw CLI::ConversionError(part, option);
                read.push_back(std::move(value));
            }
        }
        values = std::move(read);
    };
    CLI::Option& added = *command.add_option_function<std::vector<std::string>>(option, assign, help);
    return describe(*added.default_str(CLI::detail::join(values, ",")), group, type, {});
}

#define TH_OPTION_VALUE(Value)                                                                                    \
    template AddedOption add_value(CLI::App&, const std::string&, const std::string&, Value&, const std::string&, \
                                   const std::string&, const ValueCheck&);
#define TH_OPTION_LIST(Value)                                                                             \
    template AddedOption add_list(CLI::App&, const std::string&, const std::string&, std::vector<Value>&, \
                                  const std::string&, const std::string&, const ValueCheck&);
TH_OPTION_VALUE(std::string)
TH_OPTION_VALUE(std::vector<std::string>)
TH_OPTION_VALUE(std::int32_t)
TH_OPTION_VALUE(std::int64_t)
TH_OPTION_VALUE(std::uint32_t)
TH_OPTION_VALUE(std::uint64_t)
TH_OPTION_VALUE(float)
TH_OPTION_VALUE(double)
TH_OPTION_VALUE(std::optional<float>)
TH_OPTION_LIST(std::string)
TH_OPTION_LIST(std::int32_t)
TH_OPTION_LIST(float)
#undef TH_OPTION_VALUE
#undef TH_OPTION_LIST

AddedOption add_setter(CLI::App& command, const std::string& group, const std::string& option,
                       std::function<void(const std::string&)> set, const std::string& type, const std::string& help,
                       const ValueCheck& check, bool repeatable) {
    const auto set_all = [set](const std::vector<std::string>& texts) {
        for (const std::string& text : texts) set(text);
    };
    CLI::Option& added = repeatable ? *command.add_option_function<std::vector<std::string>>(option, set_all, help)
                                    : *command.add_option_function<std::string>(option, set, help);
    return describe(added, group, type, check);
}

AddedOption add_flag(CLI::App& command, const std::string& group, const std::string& option, bool& value,
                     const std::string& help) {
    return describe_flag(*command.add_flag(option, value, help), group);
}

AddedOption add_flag(CLI::App& command, const std::string& group, const std::string& option,
                     std::function<void(bool)> set, const std::string& help) {
    const auto set_if = [set = std::move(set)](std::int64_t times) { set(times > 0); };
    return describe_flag(*command.add_flag_function(option, set_if, help), group);
}

std::vector<OptionText> option_texts(const CLI::App& command) {
    std::vector<OptionText> texts;
    for (const CLI::Option* option : command.get_options({})) {
        if (option->get_lnames().empty()) continue;
        const std::vector<std::string> values = option->count() > 0 ? option->results() : std::vector<std::string>();
        texts.push_back({option->get_lnames().front(), option->get_group(),
                         values.empty() ? option->get_default_str() : CLI::detail::join(values, ","),
                         option->count() > 0});
    }
    return texts;
}

bool setting_given(const CLI::App& command, std::string_view setting) {
    return command.count("--" + key_of_setting(setting)) > 0;
}

const std::string& name_of(const CLI::App& command) {
    return command.get_name();
}

std::string key_of_setting(std::string_view name) {
    std::string key(name);
    std::replace(key.begin(), key.end(), '_', '-');
    return key;
}

void reject_given(std::initializer_list<std::pair<std::string_view, bool>> settings, const Message& problem,
                  const Message& advice) {
    for (const auto& [name, given] : settings) {
        if (given) throw Error(ErrorKind::usage, problem, Setting{name}, advice);
    }
}

}  // namespace throng
