#include "app/options/report.h"

#include <cstdio>
#include <new>

#include "core/base/secrets.h"
#include "core/base/service_manager.h"

namespace throng {

void print_error(std::string_view message) noexcept {
    try {
        const char* priority = writes_to_journal() ? "<3>" : "";
        std::fprintf(stderr, "%sthrong: %s\n", priority, mask_credentials(message).c_str());
    } catch (const std::bad_alloc&) {
        std::fputs("throng: out of memory\n", stderr);
    }
}

void print_error(const Error& error) noexcept {
    print_error(std::string_view(error.what()));
}

}  // namespace throng
