// One error type for broken input, missing devices and internal errors.
// Expected outcomes (end of stream, time-out, overflow) are values and never thrown.
#pragma once

#include <stdexcept>
#include <string>

namespace throng {

// Decides the exit status of the program (see exit_status).
enum class ErrorKind {
    usage,        // invalid options or configuration
    input,        // an input could not be opened, read or parsed; an output could not be written
    unavailable,  // the requested backend, device or model is unavailable
    internal,     // an error of the program or of its device
    interrupted,  // stopped by the user
};

// The problem, its location and advice for the user. Credentials are masked in what().
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
