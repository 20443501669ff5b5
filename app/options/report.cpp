#include "app/options/report.h"

#include <cstdio>
#include <new>
#include <string>

#include "core/base/secrets.h"

namespace throng {

void print_error(std::string_view message) noexcept {
    try {
        std::fprintf(stderr, "throng: %s\n", mask_credentials(message).c_str());
    } catch (const std::bad_alloc&) {
        std::fputs("throng: out of memory\n", stderr);
    }
}

void print_error(const Error& error) noexcept {
    print_error(std::string_view(error.what()));
}

}  // namespace throng
