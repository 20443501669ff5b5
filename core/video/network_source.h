// Streams and files by address: rtsp, rtmp, udp, http(s)…
#pragma once

#include <memory>
#include <string>

#include "core/video/source.h"

namespace throng {

// RTSP goes over TCP. What has an end (a video file over HTTP) is read like a file, everything else is live.
[[nodiscard]] std::unique_ptr<VideoSource> open_network(const std::string& url, const SourceOptions& options);

}  // namespace throng
