#include "core/base/toml_depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "core/base/error.h"

namespace throng {
namespace {

// Skips comments and strings and counts nesting in the rest. Invalid TOML is left to the parser.
class DepthScan {
public:
    DepthScan(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    void run() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '#') {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (c == '"' || c == '\'') {
                skip_string(c);
            } else {
                count(c);
                ++at_;
            }
        }
    }

private:
    void count(char c) {
        switch (c) {
            case '\n':
                ++line_;
                dots_ = 0;
                break;
            case '[':
            case '{':
                dots_ = 0;
                check(++brackets_);
                break;
            case ']':
            case '}':
                --brackets_;
                dots_ = 0;
                break;
            case '=':
            case ',': dots_ = 0; break;
            case '.': check(++dots_); break;
            default: break;
        }
    }

    void check(int depth) const {
        if (depth <= kMaxTomlDepth) return;
        throw Error(ErrorKind::usage, "is nested too deeply", fmt::format("{}:{}", name_, line_),
                    fmt::format("at most {} levels", kMaxTomlDepth));
    }

    // Moves to the end of the string that begins here. A line ending ends a single-line string, closed or not.
    void skip_string(char quote) {
        const std::string three(3, quote);
        const bool many_lines = text_.substr(at_, 3) == three;
        at_ += many_lines ? 3 : 1;
        for (; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (c == '\n' && !many_lines) return;
            if (c == '\n') ++line_;
            if (c == '\\' && quote == '"') {
                // An escaped line ending counts as a line too.
                if (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
                continue;
            }
            if (c != quote || (many_lines && text_.substr(at_, 3) != three)) continue;
            at_ += many_lines ? 3 : 1;
            // Up to two quotes may stand before the three that close the string.
            for (int k = 0; many_lines && k < 2 && at_ < text_.size() && text_[at_] == quote; ++k) ++at_;
            return;
        }
    }

    std::string_view text_;
    const std::string& name_;
    std::size_t at_ = 0;
    int line_ = 1;
    int brackets_ = 0;
    int dots_ = 0;  // of the current key or number
};

// Returns ": key" of a line "key = value"; empty if the line is no such.
std::string key_in_line(std::string_view text, toml::source_index line) {
    for (; line > 1; --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    const std::string_view key = text.substr(0, text.find_first_of(" \t=\r\n"));
    const std::size_t after = text.find_first_not_of(" \t", key.size());
    return !key.empty() && after != text.npos && text[after] == '=' ? fmt::format(": {}", key) : std::string();
}

}  // namespace

void check_toml_depth(std::string_view text, const std::string& name) {
    DepthScan(text, name).run();
}

toml::table parse_toml(std::string_view text, const std::string& name, const Message& advice) {
    check_toml_depth(text, name);
    try {
        return toml::parse(text, name);
    } catch (const toml::parse_error& error) {
        throw Error(
            ErrorKind::usage, std::string(error.description()),
            fmt::format("{}:{}{}", name, error.source().begin.line, key_in_line(text, error.source().begin.line)),
            advice);
    }
}

}  // namespace throng
