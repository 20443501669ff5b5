// CLI11's classes by name, for headers: its own headers cost a compiler seconds a file.
#pragma once

namespace CLI {
class App;
class Option;
class ParseError;
}  // namespace CLI
