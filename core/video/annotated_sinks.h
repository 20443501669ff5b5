// Sinks that show what was found: an annotated video, or an annotated image a frame.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "core/pipeline/frame_result.h"

namespace throng {

struct AnnotatedOptions {
    bool raw = false;   // raw boxes below the kept ones; needs PipelineSettings::keep_raw
    bool blur = false;  // make faces unrecognizable
    std::function<void(const std::string& path)> check_output{};  // throws where an image must not replace this file
    std::stop_token stop{};  // ends the waiting for the reader of a video that is a pipe
};

// An H.264 video; fps as far as known, 0 if not. Throws as VideoWriter's constructor.
[[nodiscard]] std::shared_ptr<ResultSink> make_video_sink(const std::string& path, double fps,
                                                          const AnnotatedOptions& options = {});

// One JPEG per frame in `folder`, which is created with the first one: of a still image under the image's name, of all
// else with the frame's number (clip-000012.jpg). Images and sources of the same name do not replace each other.
// Existing files are overwritten, apart from those that options.check_output rejects. Throws Error(input) when the
// folder cannot be created or written.
[[nodiscard]] std::shared_ptr<ResultSink> make_image_sink(const std::string& folder,
                                                          const AnnotatedOptions& options = {});

}  // namespace throng
