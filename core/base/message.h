// A text for the user: an English sentence and the values in it. Each front end words it in its own way: the window in its
// language, the command line and the libraries with their own names of the settings.
#pragma once

#include <concepts>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace throng {

// A setting that a message names, by the name of its field: {"min_size"}, or with a value: {"backend", "cpu"}.
struct Setting {
    std::string_view name;
    std::string value{};  // empty: the message names the setting itself
};

class Message {
public:
    // Translates an English sentence with its placeholders. Returns the sentence itself if it has no translation.
    using Translate = std::function<std::string(const std::string& sentence)>;

    Message() = default;
    // A sentence of the program. %1 to %9 stand for the values, which may be messages themselves.
    template <typename... Values>
    Message(const char* sentence, Values&&... values)
        : text_(sentence), values_{Message(std::forward<Values>(values))...} {}
    // A text that no front end changes: a path, a name, the words of another program.
    Message(std::string text) : kind_(Kind::verbatim), text_(std::move(text)) {}
    Message(std::integral auto number) : Message(std::to_string(number)) {}
    Message(Setting setting) : kind_(Kind::setting), text_(setting.name), values_{std::move(setting.value)} {}

    [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
    // Returns the text in English, or as `translate` has it. Settings are spelled as set_spelling says; credentials are
    // masked.
    [[nodiscard]] std::string text(const Translate& translate = {}) const;

    // Messages are equal if their English texts are.
    friend bool operator==(const Message& a, const Message& b) { return a.text() == b.text(); }
    friend std::ostream& operator<<(std::ostream& stream, const Message& message);

private:
    enum class Kind { sentence, verbatim, setting };

    void append_to(std::string& text, const Translate& translate) const;

    Kind kind_ = Kind::sentence;
    std::string text_;  // or the name of a setting
    std::vector<Message> values_;
};

// Returns "first; second", or the one that is not empty.
[[nodiscard]] Message joined(Message first, Message second);

// How this program or library spells a setting in its messages. By default it is the name of the field, with "=" before
// a value. To be set before the first message is made, and for each copy of core/: a library has its own.
using Spell = std::string (*)(const Setting& setting);
Spell spelling() noexcept;
void set_spelling(Spell spell) noexcept;

}  // namespace throng
