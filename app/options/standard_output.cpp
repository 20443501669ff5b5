#include "app/options/standard_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <streambuf>
#include <string>

#include "core/base/error.h"

namespace throng::standard_output {
namespace {

std::atomic<int> first_failure = 0;  // errno

void remember_failure() noexcept {
    int none = 0;
    first_failure.compare_exchange_strong(none, errno != 0 ? errno : EIO);
}

class Buffer final : public std::streambuf {
    std::streamsize xsputn(const char* text, std::streamsize size) override {
        write({text, static_cast<std::size_t>(size)});
        return size;
    }
    int_type overflow(int_type character) override {
        const char text = traits_type::to_char_type(character);
        if (!traits_type::eq_int_type(character, traits_type::eof())) write({&text, 1});
        return traits_type::not_eof(character);
    }
};

}  // namespace

void write(std::string_view text) noexcept {
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) remember_failure();
}

std::ostream& stream() {
    static Buffer buffer;
    static std::ostream stream(&buffer);
    return stream;
}

void flush() noexcept {
    errno = 0;
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) remember_failure();
}

void reset() noexcept {
    first_failure = 0;
    std::clearerr(stdout);
    std::cout.clear();
}

void check() {
    flush();
    if (!std::cout) remember_failure();
    if (const int failure = first_failure; failure != 0) {
        throw Error(ErrorKind::input, std::string("cannot write: ") + std::strerror(failure), "standard output");
    }
}

void reserve_descriptors() noexcept {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) >= 0) continue;
        // open() takes the lowest free number, which is this one.
        static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
}

}  // namespace throng::standard_output
