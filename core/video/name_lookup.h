// Waits for the name of a host, which FFmpeg would look up in a call that neither a stop request nor a time limit ends.
#pragma once

#include <stop_token>
#include <string>

namespace throng {

// Returns when the host of `url` has an address, so that looking it up again takes no time to speak of. Returns at once
// for a URL whose protocol FFmpeg does not look up itself, for a numeric address, and where $http_proxy is set.
// Throws Error(input) when there is no such name or no answer within `seconds`, Error(interrupted) after a stop
// request; the thread that waits for the answer is then left to itself. shown: the URL for messages, passwords masked.
void wait_for_host(const std::string& url, const std::string& shown, double seconds, const std::stop_token& stop);

}  // namespace throng
