// Adds commands and their options to the command line. CLI11 is underneath: its header takes seconds to compile, so few
// sources include it.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options/cli_fwd.h"
#include "core/base/choice_names.h"
#include "core/base/message.h"
#include "core/base/value_text.h"

namespace throng {

// Adds a command below `program`, which may be a command itself. The reference is valid as long as the program.
CLI::App& add_command(CLI::App& program, const std::string& name, const std::string& description,
                      const std::string& alias = {});

// Lets the options of the command above be given after this command, too.
void take_options_of_parent(CLI::App& command);

// Sets what is called after parsing, if the command was given.
void set_action(CLI::App& command, std::function<void()> action);

// The same for a command that takes one of those below it: called if none of them was given. Without an action, one must
// be given.
void set_default_action(CLI::App& command, std::function<void()> action = nullptr);

// Sets the text below the options in --help.
void set_footer(CLI::App& command, const std::string& text);

// What is looked at before the text of a value is converted. CLI11 alone accepts NaN in any range, reads an empty text as
// 0, and clamps a number that is too large to the maximum.
struct ValueCheck {
    std::function<std::string(std::string& text)> problem = nullptr;  // returns what is wrong; may replace the text
    std::string choices{};                                            // "{a,b}": --help shows them, not the type
};

// Accepts any text but an empty one, as an option without a check does: a variable of a script that is not set is no
// request for no output.
[[nodiscard]] ValueCheck not_empty();

// Accepts decimal numbers from low to high. Both limits are finite.
[[nodiscard]] ValueCheck finite_range(double low, double high);

// Accepts whole decimal numbers from low to high.
template <std::integral Integer>
[[nodiscard]] ValueCheck whole_range(Integer low, Integer high = std::numeric_limits<Integer>::max()) {
    return {[=](const std::string& text) { return check_whole(text, low, high).text(); }};
}

// Accepts these words.
[[nodiscard]] ValueCheck one_of(const std::vector<std::string>& choices);

// An option that was added. Valid as long as its command.
class AddedOption {
public:
    explicit AddedOption(CLI::Option& option) noexcept : option_(&option) {}

    AddedOption required() const;
    AddedOption repeatable() const;                           // one value each time that it is given
    AddedOption show_default(const std::string& text) const;  // in --help, instead of the value
    AddedOption needs(const AddedOption& other) const;        // may be given with the other one only
    AddedOption excludes(const std::string& option) const;    // an option of the same command, added before
    [[nodiscard]] bool given() const;                         // after parsing

private:
    CLI::Option* option_;
};

// Adds an option with a value, or a positional one if the name has no dashes. group: its heading in --help; empty: --help
// does not show it. type: placeholder of the value; choices of `check` replace it. The value is the default, and is
// written when the command line is parsed. Defined for texts, numbers, optional numbers, and lists of texts, which take
// all values that follow.
template <class Value>
AddedOption add_value(CLI::App& command, const std::string& group, const std::string& option, Value& value,
                      const std::string& type, const std::string& help, const ValueCheck& check = {});

// Adds an option that takes a comma-separated list without empty elements. `check` is that of each element. Defined for
// lists of texts and numbers.
template <class Value>
AddedOption add_list(CLI::App& command, const std::string& group, const std::string& option, std::vector<Value>& values,
                     const std::string& type, const std::string& help, const ValueCheck& check = {});

// Adds an option whose text, or texts if it is repeatable, a function takes when the command line is parsed.
AddedOption add_setter(CLI::App& command, const std::string& group, const std::string& option,
                       std::function<void(const std::string&)> set, const std::string& type, const std::string& help,
                       const ValueCheck& check = {}, bool repeatable = false);

// Adds an option whose value is one of a table of names. The value is the default, which --help shows.
template <class Choice, std::size_t kSize>
AddedOption add_choice(CLI::App& command, const std::string& group, const std::string& option, Choice& value,
                       ChoiceNames<Choice, kSize> names, const std::string& help) {
    const auto set = [&value, &names](const std::string& word) { value = choice_of(names, word).value(); };
    return add_setter(command, group, option, set, "", help, one_of(words_of(names)))
        .show_default(std::string(name_of(names, value)));
}

// Adds an option without a value. The function receives whether it is on: a configuration file may say false.
AddedOption add_flag(CLI::App& command, const std::string& group, const std::string& option, bool& value,
                     const std::string& help);
AddedOption add_flag(CLI::App& command, const std::string& group, const std::string& option,
                     std::function<void(bool)> set, const std::string& help);

// An option as it was given on the command line or in the configuration file, or its default.
struct OptionText {
    std::string name;  // without dashes
    std::string group;
    std::string text;  // values of a list are joined by commas
    bool given = false;
};

// Returns the options with long names, in the order in which they were added. To be called after the configuration file
// is applied.
[[nodiscard]] std::vector<OptionText> option_texts(const CLI::App& command);

// Returns whether an option of the command was given, by the name of its setting: "quality".
[[nodiscard]] bool setting_given(const CLI::App& command, std::string_view setting);

[[nodiscard]] const std::string& name_of(const CLI::App& command);

// Returns the option and the key in configuration files of a setting, without dashes: "min-size" of "min_size".
[[nodiscard]] std::string key_of_setting(std::string_view name);

// Throws Error(usage) naming the first setting that was given, if there is one.
void reject_given(std::initializer_list<std::pair<std::string_view, bool>> settings, const Message& problem,
                  const Message& advice = {});

}  // namespace throng
