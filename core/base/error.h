// One error type for broken input, missing devices and internal errors.
// Expected outcomes (end of stream, time-out, overflow) are return values, not exceptions.
#pragma once

#include <stdexcept>
#include <string>

#include "core/base/message.h"

namespace throng {

// Decides the exit status of the program (see exit_status).
enum class ErrorKind {
    usage,        // invalid options or configuration
    input,        // an input could not be opened, read or parsed; an output could not be written
    unavailable,  // the requested backend, device or model is unavailable
    internal,     // an error of the program or of its device
    interrupted,  // stopped by the user
};

// The problem, its location and advice for the user. what() is the text of all three.
class Error : public std::runtime_error {
public:
    // what:   "cannot open the video"; where: "crowd.mp4" or Setting{"min_size"};
    // advice: "check the path" (may be empty).
    Error(ErrorKind kind, Message what, Message where = {}, Message advice = {});

    [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
    [[nodiscard]] const Message& problem() const noexcept { return problem_; }
    [[nodiscard]] const Message& where() const noexcept { return where_; }
    [[nodiscard]] const Message& advice() const noexcept { return advice_; }
    // Returns all three: "crowd.mp4: cannot open the video (check the path)".
    [[nodiscard]] Message message() const;

private:
    ErrorKind kind_;
    Message problem_;
    Message where_;
    Message advice_;
};

// Returns the exception that is being handled as an Error. Must be called in a catch block.
[[nodiscard]] Error current_error();

// 2 usage, 3 input, 4 unavailable, 5 internal, 130 interrupted.
[[nodiscard]] int exit_status(ErrorKind kind) noexcept;

}  // namespace throng
