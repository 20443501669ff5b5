// Forward declarations of CLI11's classes, for headers: including CLI11 costs seconds of compile time per file.
#pragma once

namespace CLI {
class App;
class Option;
class ParseError;
}  // namespace CLI
