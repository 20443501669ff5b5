// Typed reading of elements of an untrusted XML file. Every error names the file, the element and the problem.
#pragma once

#include <cstdint>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace throng {

class XmlReader {
public:
    explicit XmlReader(std::string name) : name_(std::move(name)) {}

    [[noreturn]] void fail(const pugi::xml_node& at, const std::string& problem) const;

    // Returns the first child of that name; fails if there is none.
    [[nodiscard]] pugi::xml_node child(const pugi::xml_node& parent, const char* name) const;
    // Returns the text of a child, without surrounding white space.
    [[nodiscard]] std::string_view text(const pugi::xml_node& parent, const char* name) const;
    [[nodiscard]] int integer(const pugi::xml_node& parent, const char* name) const;
    [[nodiscard]] float real(const pugi::xml_node& parent, const char* name) const;

private:
    std::string name_;
};

// The numbers of one element's text, one after the other.
class NumberList {
public:
    NumberList(const XmlReader& reader, const pugi::xml_node& element);

    [[nodiscard]] bool at_end() const { return rest_.empty(); }
    // Accepts whole numbers written as "6" or "6.".
    [[nodiscard]] std::int32_t integer();
    // Reads a float64 and rounds it to float32. Fails if it is not finite.
    [[nodiscard]] float real();
    void expect_end() const;

private:
    double number();

    const XmlReader& reader_;
    pugi::xml_node element_;
    std::string_view rest_;
};

}  // namespace throng
