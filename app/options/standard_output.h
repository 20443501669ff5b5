// Human-readable text on standard output. Printing never throws: a write error is recorded, and check() reports it at
// the end of a command line.
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

// Returns a stream that prints in the same way.
[[nodiscard]] std::ostream& stream();

// Flushes standard output, so that text is visible during long work.
void flush() noexcept;

// Forgets write errors, at the start of a command line.
void reset() noexcept;

// Flushes stdout and std::cout. Throws Error(input) when any write to them has failed since reset().
void check();

// Opens those of the descriptors 0 to 2 that are closed, so that no file opened later gets their numbers. Reads from
// and writes to them fail. To be called once, before any file is opened.
void reserve_descriptors() noexcept;

}  // namespace throng::standard_output
