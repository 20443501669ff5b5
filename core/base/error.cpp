#include "core/base/error.h"

#include <utility>

#include "core/base/secrets.h"

namespace throng {
namespace {

std::string sentence(const std::string& what, const std::string& where, const std::string& advice) {
    std::string text = where.empty() ? what : where + ": " + what;
    if (!advice.empty()) text += " (" + advice + ")";
    return mask_credentials(text);
}

}  // namespace

Error::Error(ErrorKind kind, std::string what, std::string where, std::string advice)
    : std::runtime_error(sentence(what, where, advice)),
      kind_(kind),
      problem_(std::move(what)),
      where_(std::move(where)),
      advice_(std::move(advice)) {}

int exit_status(ErrorKind kind) noexcept {
    switch (kind) {
        case ErrorKind::usage: return 2;
        case ErrorKind::input: return 3;
        case ErrorKind::unavailable: return 4;
        case ErrorKind::internal: return 5;
        case ErrorKind::interrupted: return 130;
    }
    return 5;
}

}  // namespace throng
