// Sinks that show what was found: an annotated video, or an annotated picture a frame.
#pragma once

#include <memory>
#include <string>

#include "core/pipeline/frame_result.h"

namespace throng {

struct AnnotatedOptions {
    bool raw = false;   // raw boxes below the kept ones; needs PipelineSettings::keep_raw
    bool blur = false;  // make faces unrecognisable
};

// An H.264 video; fps as far as known, 0 if not. Throws as VideoWriter's constructor.
[[nodiscard]] std::shared_ptr<ResultSink> make_video_sink(const std::string& path, double fps,
                                                          const AnnotatedOptions& options = {});

// A JPEG a frame in `folder`, which is made where it does not exist: of a still image under the image's name, of all
// else with the frame's number (clip-000012.jpg). Existing files are overwritten, but for the source itself: then write
// throws Error(usage). Throws Error(input) when the folder cannot be made or written.
[[nodiscard]] std::shared_ptr<ResultSink> make_image_sink(const std::string& folder,
                                                          const AnnotatedOptions& options = {});

}  // namespace throng
