#include "core/model/xml_reader.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace throng {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Returns a path such as "/opencv_storage/cascade/stages/_[3]", with the position among siblings of the same name.
std::string path_of(pugi::xml_node node) {
    std::string path;
    for (; node && node.type() == pugi::node_element; node = node.parent()) {
        std::string part = node.name();
        if (part == "_") {
            int position = 0;
            for (auto before = node.previous_sibling("_"); before; before = before.previous_sibling("_")) ++position;
            part += "[" + std::to_string(position) + "]";
        }
        path.insert(0, "/" + part);
        if (path.size() > 200) return "..." + path;
    }
    return path.empty() ? "/" : path;
}

}  // namespace

void XmlReader::fail(const pugi::xml_node& at, const std::string& problem) const {
    throw Error(ErrorKind::input, problem, name_ + ": " + path_of(at), "the cascade is damaged or not supported");
}

pugi::xml_node XmlReader::child(const pugi::xml_node& parent, const char* name) const {
    const pugi::xml_node found = parent.child(name);
    if (!found) fail(parent, std::string("has no element <") + name + ">");
    return found;
}

std::string_view XmlReader::text(const pugi::xml_node& parent, const char* name) const {
    return trimmed(child(parent, name).child_value());
}

int XmlReader::integer(const pugi::xml_node& parent, const char* name) const {
    NumberList numbers(*this, child(parent, name));
    const int value = numbers.integer();
    numbers.expect_end();
    return value;
}

float XmlReader::real(const pugi::xml_node& parent, const char* name) const {
    NumberList numbers(*this, child(parent, name));
    const float value = numbers.real();
    numbers.expect_end();
    return value;
}

NumberList::NumberList(const XmlReader& reader, const pugi::xml_node& element)
    : reader_(reader), element_(element), rest_(trimmed(element.child_value())) {}

double NumberList::number() {
    if (rest_.empty()) reader_.fail(element_, "has too few numbers");
    const std::string_view word = rest_.substr(0, rest_.find_first_of(kSpace));
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) {
        reader_.fail(element_, "'" + std::string(word.substr(0, 40)) + "' is not a number in range");
    }
    rest_.remove_prefix(word.size());
    rest_ = trimmed(rest_);
    return value;
}

std::int32_t NumberList::integer() {
    const double value = number();
    if (!(value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max()) ||
        value != std::floor(value)) {
        reader_.fail(element_, "expected a whole number of 32 bits");
    }
    return static_cast<std::int32_t>(value);
}

float NumberList::real() {
    const double value = number();
    if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max()))) {
        reader_.fail(element_, "expected a finite number");
    }
    return static_cast<float>(value);
}

void NumberList::expect_end() const {
    if (!at_end()) reader_.fail(element_, "has too many numbers");
}

}  // namespace throng
