// One error type for broken input, missing devices and faults of the program itself.
// Expected outcomes (end of stream, time-out, overflow) are values and never thrown.
#pragma once

#include <stdexcept>
#include <string>

namespace throng {

// Decides the exit status of the program (see exit_status).
enum class ErrorKind {
    usage,        // the caller asked for something that makes no sense: options, configuration
    input,        // an input could not be opened, read or understood; an output could not be written
    unavailable,  // the backend, device or model asked for is not to be had
    internal,     // a fault of the program or of the device under it
    interrupted,  // stopped by the user
};

// What went wrong, where, and what to do about it: sentences a user can act on. what() has its secrets masked.
class Error : public std::runtime_error {
public:
    // what:   "cannot open the video"; where: "crowd.mp4" or "default.toml:12: detector.theta";
    // advice: "check the path" (may be empty).
    Error(ErrorKind kind, std::string what, std::string where = {}, std::string advice = {});

    [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
    [[nodiscard]] const std::string& where() const noexcept { return where_; }
    [[nodiscard]] const std::string& advice() const noexcept { return advice_; }

private:
    ErrorKind kind_;
    std::string problem_;
    std::string where_;
    std::string advice_;
};

// 2 usage, 3 input, 4 unavailable, 5 internal, 130 interrupted.
[[nodiscard]] int exit_status(ErrorKind kind) noexcept;

}  // namespace throng
