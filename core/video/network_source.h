// Streams and files by URL: rtsp, rtmp, udp, http(s)…
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "core/video/source.h"

namespace throng {

// RTSP uses TCP. An input with an end (a length, a duration, or a sender that is faster than real time) is read like a
// file: every frame once, to its end, without reconnecting. Every other input is live. Throws like open_source.
[[nodiscard]] std::unique_ptr<VideoSource> open_network(const std::string& url, const SourceOptions& options,
                                                        const std::stop_token& stop);

}  // namespace throng
