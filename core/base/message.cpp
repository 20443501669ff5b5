#include "core/base/message.h"

#include <atomic>
#include <ostream>

#include "core/base/secrets.h"

namespace throng {
namespace {

std::string field_name(const Setting& setting) {
    return std::string(setting.name) + (setting.value.empty() ? "" : "=" + setting.value);
}

std::atomic<Spell> spell_setting{field_name};

}  // namespace

Spell spelling() noexcept {
    return spell_setting;
}

void set_spelling(Spell spell) noexcept {
    spell_setting = spell;
}

std::string Message::text(const Translate& translate) const {
    std::string text;
    append_to(text, translate);
    return mask_credentials(text);
}

void Message::append_to(std::string& text, const Translate& translate) const {
    if (kind_ == Kind::setting) text += spelling()({text_, values_.front().text_});
    if (kind_ == Kind::verbatim) text += text_;
    if (kind_ != Kind::sentence || text_.empty()) return;
    const std::string sentence = translate ? translate(text_) : text_;
    for (auto at = sentence.begin(); at != sentence.end(); ++at) {
        const int number = *at == '%' && at + 1 != sentence.end() ? at[1] - '0' : 0;
        if (number >= 1 && number <= static_cast<int>(values_.size())) {
            values_[static_cast<std::size_t>(number) - 1].append_to(text, translate);
            ++at;
        } else {
            text += *at;
        }
    }
}

std::ostream& operator<<(std::ostream& stream, const Message& message) {
    return stream << message.text();
}

Message joined(Message first, Message second) {
    if (first.empty() || second.empty()) return first.empty() ? second : first;
    return {"%1; %2", std::move(first), std::move(second)};
}

}  // namespace throng
