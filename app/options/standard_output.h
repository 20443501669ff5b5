// Text for people on standard output. Printing never throws: what cannot be written is remembered, and the program ends
// with an error about it.
#pragma once

#include <fmt/format.h>

#include <ostream>
#include <string_view>
#include <utility>

namespace throng::standard_output {

void write(std::string_view text) noexcept;

template <class... Arguments>
void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    write(fmt::format(format, std::forward<Arguments>(arguments)...));
}

// The same as a stream.
[[nodiscard]] std::ostream& stream();

// Makes what was printed visible now, in the middle of long work.
void flush() noexcept;

// Flushes stdout and std::cout. Throws Error(input) when anything written to them so far was lost.
void check();

// Occupies those of the descriptors 0 to 2 that are closed, so that no file opened later takes their place: reading
// from them and writing to them fails. To be called once, before any file is opened.
void reserve_descriptors() noexcept;

}  // namespace throng::standard_output
