// Sources that FFmpeg reads: files, devices, and streams and files by URL (rtsp, rtmp, udp, http(s)…).
#pragma once

#include <memory>
#include <stop_token>
#include <string_view>

#include "core/video/media_input.h"
#include "core/video/source.h"

namespace throng {

// Opens the input: a MediaFileSource if it has an end, otherwise a live source. Both decode or connect at once, so that
// a file without frames and a wrong address are rejected here. Throws like open_source.
[[nodiscard]] std::unique_ptr<VideoSource> open_media(MediaRequest request, const std::stop_token& stop);

// RTSP uses TCP. An input with an end (a length, a duration, or a sender that is faster than real time) is read like a
// file: every frame once, to its end, without reconnecting. Every other input is live. Throws like open_source.
[[nodiscard]] std::unique_ptr<VideoSource> open_network(std::string_view url, const SourceOptions& options,
                                                        const std::stop_token& stop);

}  // namespace throng
