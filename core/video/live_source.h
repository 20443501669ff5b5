// Cameras and streams: a thread opens, decodes, and reconnects after errors. read returns the newest frame.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "core/video/media_reader.h"
#include "core/video/source.h"

namespace throng {

// Opens a connection. Throws as open_source.
using OpenLiveInput =
    std::function<std::unique_ptr<LiveInput>(const MediaRequest& request, const std::stop_token& stop)>;

// Continues with an input that has been opened for this request, in a thread, until destroyed. A stream that stalls or
// ends is opened again after pauses that grow from 0.5 to 10 seconds. The number of attempts
// since it last delivered frames for kLastingConnection is at most source.reconnects. The source ends if the sender
// closed cleanly and begins again with the same packet, because it sends a file repeatedly.
[[nodiscard]] std::unique_ptr<VideoSource> make_live_source(const MediaRequest& request,
                                                            std::unique_ptr<LiveInput> input, OpenLiveInput open);

}  // namespace throng
