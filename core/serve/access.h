// Who may ask what: token, Host and Origin of a request.
#pragma once

#include <optional>
#include <string>

#include "core/serve/http_message.h"

namespace throng {

struct AccessRules {
    std::string token;    // empty: none is needed
    std::string cookie;   // its name: browsers give cookies to all ports of a host
    std::string host;     // name under which the server was started
    bool secure = false;  // the cookie is sent over TLS only
};

// Returns the refusal; nothing if the request is allowed. An allowed request with ?token= sets the cookie: add
// cookie_header to its answer.
//
// A page of another site must not use the browser of a user who can reach the server: a request with an Origin needs
// that of the server itself, and images for other pages are refused. Without a token, Host must be an address or a name
// of this machine, so that a foreign name that resolves to it (DNS rebinding) is of no use.
[[nodiscard]] std::optional<HttpResponse> check_access(const AccessRules& rules, const HttpRequest& request);

// Returns the value of Set-Cookie if the request has the right token in its address.
[[nodiscard]] std::optional<std::string> cookie_header(const AccessRules& rules, const HttpRequest& request);

// Returns the token in a file, which is made with a random one, for its owner alone, if it does not exist. Throws
// Error(input) if it cannot be read or made, or holds no token of at least 16 letters, digits and -._~=/.
[[nodiscard]] std::string load_token(const std::string& path);

// Returns the path of the token that the program makes: $STATE_DIRECTORY, $XDG_STATE_HOME/throng or
// ~/.local/state/throng. Throws Error(input) if none of these is known.
[[nodiscard]] std::string default_token_path();

}  // namespace throng
