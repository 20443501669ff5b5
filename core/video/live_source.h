// Cameras and streams: a thread opens, decodes and comes back after trouble; read gets its newest frame.
#pragma once

#include <memory>

#include "core/video/media_reader.h"
#include "core/video/source.h"

namespace throng {

// Opens once, so that a wrong address is rejected here, then goes on in a thread of its own until destroyed: a stream
// that stalls or ends is opened again after pauses that grow from 0.5 to 10 seconds, at most source.reconnects times
// since it last gave frames for kLastingConnection. A sender that ended in good order and begins again with the very
// same packet sends a file again and again: there the source ends. Throws as open_source does.
[[nodiscard]] std::unique_ptr<VideoSource> open_live(const MediaRequest& request, const std::stop_token& stop);
// The same with a reader that is open already.
[[nodiscard]] std::unique_ptr<VideoSource> make_live_source(const MediaRequest& request,
                                                            std::unique_ptr<MediaReader> reader);

}  // namespace throng
