// What the server shows to people and to programs that ask how it is used.
#pragma once

#include <string>

namespace throng {

// Returns the page: one HTML document that loads nothing from elsewhere.
[[nodiscard]] const std::string& page_html();

// Returns the description of all endpoints, OpenAPI 3.0.
[[nodiscard]] std::string openapi_json(const std::string& version);

}  // namespace throng
