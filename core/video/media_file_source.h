// A video file, or a stream with an end: every frame once, in order, seekable where the container is.
#pragma once

#include <memory>
#include <string>

#include "core/video/media_input.h"
#include "core/video/source.h"

namespace throng {

class MediaReader;

// Decodes the first frame at once, so that a file without frames is rejected here. Throws like open_source.
[[nodiscard]] std::unique_ptr<VideoSource> open_media_file(const MediaRequest& request, const std::stop_token& stop);
// Does the same with a reader that is already open.
[[nodiscard]] std::unique_ptr<VideoSource> make_media_file_source(const MediaRequest& request,
                                                                  std::unique_ptr<MediaReader> reader,
                                                                  const std::stop_token& stop);

// Returns the request for a path that is not a folder. Determines the kind of file without opening a FIFO or a
// character device.
[[nodiscard]] MediaRequest file_request(const std::string& path, const SourceOptions& options);

}  // namespace throng
