// A video file, or a stream with an end: every frame once, in order, seekable where the container is.
#pragma once

#include <memory>
#include <string>

#include "core/video/media_reader.h"
#include "core/video/source.h"

namespace throng {

// Reads its first frame at once, so that a file without any is rejected here. Throws as open_source does.
[[nodiscard]] std::unique_ptr<VideoSource> open_media_file(const MediaRequest& request, const std::stop_token& stop);
// The same with a reader that is open already.
[[nodiscard]] std::unique_ptr<VideoSource> make_media_file_source(const MediaRequest& request,
                                                                  std::unique_ptr<MediaReader> reader,
                                                                  const std::stop_token& stop);

// The request for a path that is not a folder. A FIFO or a character device is not opened for its kind alone.
[[nodiscard]] MediaRequest file_request(const std::string& path, const SourceOptions& options);

}  // namespace throng
