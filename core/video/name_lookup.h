// Resolves the name of a host. FFmpeg and libmosquitto would do so in a call that neither a stop request nor a time limit ends.
#pragma once

#include <stop_token>
#include <string>

namespace throng {

// Blocks until the host of `url` is resolved, so that a second look-up by FFmpeg takes almost no time. Where FFmpeg
// uses $http_proxy, that is the host of the proxy. Returns at once for a URL whose protocol FFmpeg does not resolve
// itself, and for a numeric address. Throws
// Error(input) if the name does not exist or is not resolved within `seconds`, and Error(interrupted) after a stop
// request. The look-up thread is then detached. shown: the URL for messages, passwords masked.
void wait_for_host(const std::string& url, const std::string& shown, double seconds, const std::stop_token& stop);

}  // namespace throng
