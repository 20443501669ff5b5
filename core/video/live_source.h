// Cameras and streams: a thread opens, decodes, and reconnects after errors. read returns the newest frame.
#pragma once

#include <memory>

#include "core/video/media_input.h"
#include "core/video/source.h"

namespace throng {

class MediaReader;

// Continues with a reader that has been opened for this request, in a thread, until destroyed. A stream that stalls or
// ends is opened again after pauses that grow from 0.5 to 10 seconds. The number of attempts
// since it last delivered frames for kLastingConnection is at most source.reconnects. The source ends if the sender
// closed cleanly and begins again with the same packet, because it sends a file repeatedly.
[[nodiscard]] std::unique_ptr<VideoSource> make_live_source(const MediaRequest& request,
                                                            std::unique_ptr<MediaReader> reader);

}  // namespace throng
