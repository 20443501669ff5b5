// Streams and files by address: rtsp, rtmp, udp, http(s)…
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "core/video/source.h"

namespace throng {

// RTSP goes over TCP. What has an end (a length, a duration, or a sender that runs ahead of time) is read like a file:
// every frame once, to its end, without connecting again. Everything else is live. Throws as open_source does.
[[nodiscard]] std::unique_ptr<VideoSource> open_network(const std::string& url, const SourceOptions& options,
                                                        const std::stop_token& stop);

}  // namespace throng
